import { resolveRecovered } from '../../pipeline/incidents/processing/resolve-recovered.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';

const RECOVERIES_PER_STEP = 50;

/** An incident to resolve, if it is there; ids are bare. */
interface DueRecovery {
  projectId: string;
  incidentId: string | null;
}

/**
 * Resolves some incidents of checks or jobs that had recovered before their failures were processed: a backlog must not
 * leave an incident open after the failure has ended.
 * @param claimDue takes recoveries whose failures are processed, at most `limit`
 * @returns true if there may be more
 */
export async function settleRecoveries(
  database: Database,
  claimDue: (transaction: Transaction, limit: number) => Promise<DueRecovery[]>,
): Promise<boolean> {
  return await database.transaction(async (transaction) => {
    const due = await claimDue(transaction, RECOVERIES_PER_STEP);
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
