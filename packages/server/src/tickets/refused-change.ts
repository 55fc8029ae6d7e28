import { TrackerFailure } from '../notify/trackers/tracker-call.ts';
import type { Database, Transaction } from '../platform/db/database.ts';
import { type HeldLink, lockLink, saveFailure } from './tracked-links.queries.ts';

/**
 * Records that a tracker refused to change a ticket. The same request would fail again, so `save` writes that it is not
 * repeated.
 * @throws TrackerFailure any other failure, after which the tracker is tried again
 */
export async function recordRefusal(
  database: Database,
  linkId: string,
  error: unknown,
  save: (transaction: Transaction, link: HeldLink) => Promise<void>,
): Promise<void> {
  if (!(error instanceof TrackerFailure) || (error.kind !== 'missing' && error.kind !== 'invalid'))
    throw error;
  await database.transaction(async (transaction) => {
    const link = await lockLink(transaction, linkId);
    if (link === null) return;
    const state = error.kind === 'missing' ? 'gone' : link.isClosed ? 'closed' : 'open';
    await saveFailure(transaction, linkId, state, error.word);
    await save(transaction, link);
  });
}
