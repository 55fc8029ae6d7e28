import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';

/** Figures of the database itself. */
export async function readDatabaseFigures(
  database: Queryable,
): Promise<{ version: string; size_bytes: number; now: number }> {
  const [row] = await database.query<{ version: string; size_bytes: number; now: number }>(sql(
    'operator-database',
  )`select current_setting('server_version') as version, culprit_now() as now,
        pg_database_size(current_database()) as size_bytes`);
  if (row === undefined) throw new Error('the database reported no size');
  return row;
}

/**
 * Returns the outcomes of the events of all projects that were received in the last `hours` whole hours and this one.
 */
export const sumAllFates = statement.many<[hours: number], { fate: string; events: number }>(
  'operator-fates',
  `select fate, sum(events)::bigint as events from event_fates
    where hour > culprit_now() - make_interval(hours => $1) group by fate`,
);

/** Bytes of the stored events: every batch is read, so it is asked seldom. */
export const sumBatchBytes = statement.value<[], number>(
  'operator-batch-bytes',
  'select coalesce(sum(size_bytes), 0)::bigint as bytes from batches',
  0,
);
