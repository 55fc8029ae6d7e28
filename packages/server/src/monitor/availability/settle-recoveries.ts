import { resolveRecovered } from '../../pipeline/incidents/processing/resolve-recovered.ts';
import type { Database } from '../../platform/db/database.ts';
import { claimDueRecoveries } from './runs.queries.ts';

const RECOVERIES_PER_STEP = 50;

/**
 * Resolves incidents of checks that had recovered before their failures were processed: a backlog must not leave open
 * what is over.
 */
export async function settleRecoveries(database: Database): Promise<void> {
  let taken = RECOVERIES_PER_STEP;
  while (taken === RECOVERIES_PER_STEP) {
    taken = await database.transaction(async (transaction) => {
      const due = await claimDueRecoveries(transaction, RECOVERIES_PER_STEP);
      for (const [projectId, recoveries] of Map.groupBy(due, (recovery) => recovery.projectId)) {
        await resolveRecovered(
          transaction,
          projectId,
          recoveries.flatMap(({ incidentId }) => incidentId ?? []),
        );
      }
      return due.length;
    });
  }
}
