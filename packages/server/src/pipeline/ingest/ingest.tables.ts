import { sql } from '../../platform/db/statement.ts';
import type { Table } from '../../table.ts';

export const INGEST_TABLES: readonly Table[] = [
  {
    name: 'batches',
    purge: ['by_blocks'],
    retention: { task: 'retention.clean-project' },
    exported: 'telemetry',
    objectColumn: 'object_key',
  },
  {
    name: 'event_fates',
    purge: ['by_project'],
    retention: {
      // By token, rule and hour. The counters by month and meter, which name neither, stay.
      window: sql('retention-fates')`with gone as (
            delete from event_fates where ctid = any (array(
              select ctid from event_fates where project_id = $1 and hour < $2 limit $3))
              and hour < $2
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: 'telemetry',
  },
  {
    name: 'foreign_kinds',
    purge: ['by_project'],
    retention: {
      window: sql('retention-foreign-kinds')`with gone as (
            delete from foreign_kinds where ctid = any (array(
              select ctid from foreign_kinds where project_id = $1 and hour < $2 limit $3))
              and hour < $2
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: 'telemetry',
  },
  {
    name: 'rejections',
    purge: ['by_project'],
    retention: {
      window: sql('retention-rejections')`with gone as (
            delete from rejections where ctid = any (array(
              select ctid from rejections where project_id = $1 and hour < $2 limit $3))
              and hour < $2
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: 'telemetry',
  },
  {
    name: 'rate_windows',
    purge: [{ through: 'project_tokens', key: 'token_id' }],
    retention: 'with_its_record',
    exported: 'limits of the minute',
    isLeftOutOfBackups: true,
  },
];
