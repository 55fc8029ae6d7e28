import type { OpenTracker } from '../notify/trackers/open-trackers.queries.ts';
import { isOfOneTicket, TrackerFailure } from '../notify/trackers/tracker-call.ts';
import type { Database, Transaction } from '../platform/db/database.ts';
import { type HeldLink, lockLink, saveFailure } from './tracked-links.queries.ts';

/** Failed runs in a row, over about 25 minutes, after which a failure of one ticket is a refusal. */
export const FAILED_RUNS_MAX = 5;

/**
 * Returns true if a failed request for one ticket is not repeated: it would fail again.
 * @param failedRuns of the tracker in a row
 */
export function isForGood(failure: TrackerFailure, failedRuns: number): boolean {
  const { kind } = failure;
  if (kind === 'missing' || kind === 'invalid') return true;
  return failedRuns >= FAILED_RUNS_MAX && isOfOneTicket(failure);
}

/**
 * Records that a tracker refused to change a ticket. The same request would fail again, so `save` writes that it is not
 * repeated.
 * @throws TrackerFailure any other failure, after which the tracker is tried again
 */
export async function recordRefusal(
  { database, tracker }: { database: Database; tracker: Pick<OpenTracker, 'failures'> },
  linkId: string,
  error: unknown,
  save: (transaction: Transaction, link: HeldLink) => Promise<void>,
): Promise<void> {
  if (!(error instanceof TrackerFailure) || !isForGood(error, tracker.failures)) throw error;
  await database.transaction(async (transaction) => {
    const link = await lockLink(transaction, linkId);
    if (link === null) return;
    const state = error.kind === 'missing' ? 'gone' : link.isClosed ? 'closed' : 'open';
    await saveFailure(transaction, linkId, state, error.word);
    await save(transaction, link);
  });
}
