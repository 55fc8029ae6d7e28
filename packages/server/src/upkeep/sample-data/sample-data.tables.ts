import { sql } from '../../platform/db/statement.ts';
import type { Table } from '../../table.ts';

export const SAMPLE_DATA_TABLES: readonly Table[] = [
  {
    name: 'sample_data',
    purge: ['by_project'],
    retention: {
      // It is kept while it has incidents.
      window: sql('retention-sample-data')`with gone as (
            delete from sample_data where ctid = any (array(
              select ctid from sample_data s where s.project_id = $1 and s.received_at < $2
                and s.removing_since is null
                and not exists (select from incidents i where i.project_id = s.project_id and i.sample_id = s.sample_id)
              limit $3))
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: 'telemetry',
  },
];
