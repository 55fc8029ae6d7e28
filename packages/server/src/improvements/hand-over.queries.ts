import type { Queryable } from '../platform/db/database.ts';
import { IMPROVEMENTS_LANE, TAKE_OBSERVATIONS } from './improvements.jobs.ts';
import type { ObservedBatch } from './observation.ts';

/**
 * Hands observations over inside the transaction that counted their events: they count once, as their events do. A job
 * of its own for each transaction, because a row that several would change would make them wait for each other; its key
 * keeps it from being there twice.
 */
export async function handOverObservations(
  transaction: Queryable,
  projectId: string,
  observed: ObservedBatch,
): Promise<void> {
  await transaction.query(
    {
      name: 'improvements-hand-over',
      text: `insert into jobs (lane, kind, project_id, key, payload)
        values ('${IMPROVEMENTS_LANE}', '${TAKE_OBSERVATIONS}', $1, gen_random_uuid(), $2)`,
    },
    [projectId, JSON.stringify(observed)],
  );
}
