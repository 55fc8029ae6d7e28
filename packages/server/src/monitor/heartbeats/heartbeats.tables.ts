import type { Table } from '../../table.ts';

export const HEARTBEAT_TABLES: readonly Table[] = [
  // Before the heartbeats, whose deletion would remove the rest of them in one statement.
  {
    name: 'heartbeat_runs',
    purge: ['by_project'],
    retention: {
      expired: {
        name: 'delete-expired-heartbeat_runs',
        // By heartbeat, along the index that lists them.
        text: `with gone as (
            delete from heartbeat_runs where ctid = any (array(
              select old.place from heartbeats h
              cross join lateral (
                select r.ctid as place from heartbeat_runs r
                where r.heartbeat_id = h.heartbeat_id and r.started_at < (select culprit_now()) - interval '30 days'
                limit $1
              ) old
              limit $1))
            returning 1
          )
          select count(*) as removed from gone`,
      },
    },
    exported: 'telemetry',
  },
  {
    name: 'heartbeat_days',
    purge: ['by_project'],
    retention: { expired: `day < ((select culprit_now()) at time zone 'UTC')::date - 90` },
    exported: 'telemetry',
  },
  {
    name: 'heartbeats',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'heartbeats',
        scope: 'project',
        key: 'heartbeat_id',
        columns: `heartbeat_id, project_id, slug, environment, name, service_name, schedule_type, schedule_value,
          schedule_unit, timezone, margin_minutes, max_runtime_minutes, failure_threshold, recovery_threshold,
          is_enabled, managed_by, created_at, updated_at`,
        from: 'heartbeats where project_id = $1',
      },
    ],
  },
  {
    name: 'heartbeat_watch',
    purge: 'no_project',
    retention: 'kept',
    exported: 'when the service itself was there',
    isLeftOutOfBackups: true,
  },
];
