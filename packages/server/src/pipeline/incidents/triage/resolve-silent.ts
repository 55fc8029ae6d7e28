import type { Database } from '../../../platform/db/database.ts';
import { resolveUnattended } from '../processing/resolve-recovered.ts';
import { claimSilenceCheck, findSilent } from './silence.queries.ts';

const DAY_MS = 86_400_000;

/** Incidents that one step resolves: with one step of a project every 12 minutes, at most 1,000 an hour. */
export const SILENT_PER_STEP = 200;

/**
 * Resolves some incidents of one project that had no signal for as long as its setting says
 * (docs/contract/team-workflow.md 3.5).
 * @returns whether another project may be due
 */
export async function resolveSilent(database: Database): Promise<boolean> {
  // Committed before any incident is locked, because a claim holds the row of the project.
  const due = await claimSilenceCheck(database);
  if (due === null) return false;
  const { projectId, days } = due;
  await database.transaction(async (transaction) => {
    const silent = await findSilent(transaction, projectId, days, SILENT_PER_STEP);
    // A signal or a person may have come between the search and the locks.
    await resolveUnattended(transaction, projectId, silent, {
      ledgerData: () => ({ because: 'silence' }),
      mayResolve: ({ state, snooze }, nowMs) => {
        const movedMs = Math.max(state.newestReceivedAtMs, state.statusChangedAtMs);
        return snooze === null && movedMs <= nowMs - days * DAY_MS;
      },
    });
  });
  return true;
}
