import { LINKS_MAX } from '@culprit/contract/alerts/tracker-words';
import type { TicketRequest } from '../notify/alerts/message-outcome.ts';
import { askTracker } from '../notify/trackers/asked-trackers.queries.ts';
import { openTracker } from '../notify/trackers/open-trackers.queries.ts';
import { tryTracker } from '../notify/trackers/test-tracker.ts';
import { lockTracker } from '../notify/trackers/trackers.queries.ts';
import { lockIncidents } from '../pipeline/incidents/processing/locked-incidents.queries.ts';
import { insertLifecycleEvents } from '../pipeline/ledger/lifecycle.queries.ts';
import type { Transaction } from '../platform/db/database.ts';
import type { Runtime } from '../runtime.ts';
import { newLinkId } from './change-links.ts';
import { insertLink, listLinkRows } from './links.queries.ts';

/** The result of an attempt; without an error the ticket exists. */
interface Filed {
  error: string | null;
  /** Another attempt would end the same. */
  isFinal: boolean;
}

const failed = (error: string): Filed => ({ error, isFinal: true });
const waiting = (error: string): Filed => ({ error, isFinal: false });
const DONE: Filed = { error: null, isFinal: false };

/**
 * Lets an incident have a ticket, because an alert rule wants it (docs/contract/team-workflow.md 7.6). The first attempt
 * asks the tracker for it, and those after it read what came of that. An incident that has a ticket of the tracker gets no
 * other one.
 */
export async function fileTicket(
  runtime: Pick<Runtime, 'database' | 'keys' | 'outbound'>,
  request: TicketRequest,
): Promise<Filed> {
  const { database, keys } = runtime;
  const { trackerId, incidentId, projectId } = request;
  const tracker = await openTracker(database, keys, trackerId);
  if (tracker === null || tracker.projectId !== projectId) return failed('tracker_not_found');
  if (incidentId !== null) {
    return await database.transaction((transaction) =>
      fileFor(transaction, { ...request, incidentId }, tracker.isStopped),
    );
  }
  const failure = await tryTracker(runtime, tracker);
  if (failure === null) return DONE;
  const isPassing = failure.kind === 'unavailable' || failure.kind === 'limited';
  return isPassing ? waiting(failure.word) : failed(failure.word);
}

async function fileFor(
  transaction: Transaction,
  { incidentId, projectId, trackerId, triggeredAt }: TicketRequest & { incidentId: string },
  isStopped: boolean,
): Promise<Filed> {
  // A person who creates a ticket in the same moment waits here.
  const [incident] = await lockIncidents(transaction, [incidentId]);
  if (incident === undefined) return failed('incident_not_found');
  const links = await listLinkRows(transaction, incidentId);
  const known = links.find((each) => each.tracker_id === trackerId && each.state !== 'gone');
  if (known !== undefined) {
    if (known.state === 'pending') return waiting(isStopped ? 'tracker_refused' : 'ticket_pending');
    if (known.state !== 'failed') return DONE;
    // A ticket that failed before this transition is retried.
    if (known.created_at >= triggeredAt) return failed(known.last_error?.split(':')[0] ?? 'tracker_refused');
  }
  if (incident.state.status === 'resolved') return failed('incident_resolved');
  if (links.length >= LINKS_MAX) return failed('resource_limit_reached');
  // One that is deleted at this moment would not see the link.
  if ((await lockTracker(transaction, projectId, trackerId)) === null) return failed('tracker_not_found');
  const linkId = newLinkId();
  await insertLink(transaction, {
    ...{ linkId, projectId, incidentId, trackerId, userId: null },
    ...{ url: null, title: null, state: 'pending' },
  });
  const data = { because: 'alert', link_id: linkId };
  insertLifecycleEvents(transaction, [{ projectId, incidentId, kind: 'incident.linked', data }]);
  await askTracker(transaction, trackerId);
  return waiting('ticket_pending');
}
