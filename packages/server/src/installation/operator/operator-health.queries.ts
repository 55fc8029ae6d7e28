import type { Queryable } from '../../platform/db/database.ts';

/** Figures of the database itself. */
export async function readDatabaseFigures(
  database: Queryable,
): Promise<{ version: string; size_bytes: number; now: number }> {
  const [row] = await database.query<{ version: string; size_bytes: number; now: number }>({
    name: 'operator-database',
    text: `select current_setting('server_version') as version, culprit_now() as now,
        pg_database_size(current_database()) as size_bytes`,
  });
  if (row === undefined) throw new Error('the database reported no size');
  return row;
}

/**
 * Returns the outcomes of the events of all projects that were received in the last `hours` whole hours and this one.
 */
export async function sumAllFates(
  database: Queryable,
  hours: number,
): Promise<{ fate: string; events: number }[]> {
  return await database.query<{ fate: string; events: number }>(
    {
      name: 'operator-fates',
      text: `select fate, sum(events)::bigint as events from event_fates
        where hour > culprit_now() - make_interval(hours => $1) group by fate`,
    },
    [hours],
  );
}

/** Bytes of the stored events: every batch is read, so it is asked seldom. */
export async function sumBatchBytes(database: Queryable): Promise<number> {
  const [row] = await database.query<{ bytes: number }>({
    name: 'operator-batch-bytes',
    text: 'select coalesce(sum(size_bytes), 0)::bigint as bytes from batches',
  });
  return row?.bytes ?? 0;
}
