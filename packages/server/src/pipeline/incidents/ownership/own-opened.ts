import type { Transaction } from '../../../platform/db/database.ts';
import type { LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { OWNED_KINDS } from '../../ledger/ownership.jobs.ts';
import { ownIncidents } from './assign-owned.ts';
import { storedOwnership } from './compiled-ownership.ts';
import { enqueueOwning } from './ownership.queries.ts';

/**
 * Gives incidents that opened or regressed to their owners, in the transaction in which they did, so that alerts about
 * their team find it (docs/contract/team-workflow.md 2.3). Where lines name tags or monitors, which are known some
 * seconds later, a job does. Other events cost nothing.
 */
export async function ownOpened(
  transaction: Transaction,
  projectId: string,
  lifecycle: readonly LifecycleEvent[],
): Promise<void> {
  const incidentIds = [
    ...new Set(
      lifecycle.flatMap((event) =>
        OWNED_KINDS.includes(event.kind) && 'incidentId' in event ? event.incidentId : [],
      ),
    ),
  ];
  if (incidentIds.length === 0) return;
  const ownership = await storedOwnership(transaction, projectId);
  if (ownership === null) return;
  const { tagKeys, hasMonitors } = ownership;
  if (tagKeys.length > 0 || hasMonitors) enqueueOwning(transaction, projectId, incidentIds);
  else await ownIncidents(transaction, projectId, ownership, incidentIds);
}
