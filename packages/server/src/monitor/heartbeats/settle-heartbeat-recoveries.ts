import { resolveRecovered } from '../../pipeline/incidents/processing/resolve-recovered.ts';
import type { Database } from '../../platform/db/database.ts';
import { claimDueHeartbeatRecoveries } from './runs.queries.ts';

const RECOVERIES_PER_STEP = 50;

/** Resolves incidents of jobs that had recovered before their failures were processed; true when there may be more. */
export async function settleHeartbeatRecoveries(database: Database): Promise<boolean> {
  return await database.transaction(async (transaction) => {
    const due = await claimDueHeartbeatRecoveries(transaction, RECOVERIES_PER_STEP);
    for (const [projectId, recoveries] of Map.groupBy(due, (recovery) => recovery.projectId)) {
      await resolveRecovered(
        transaction,
        projectId,
        recoveries.flatMap(({ incidentId }) => incidentId ?? []),
      );
    }
    return due.length === RECOVERIES_PER_STEP;
  });
}
