import { randomUUID } from 'node:crypto';
import type { OpenTracker } from '../notify/trackers/open-trackers.queries.ts';
import type { Call, CommentText, Ticket } from '../notify/trackers/tracker-api.ts';
import { TRACKER_APIS } from '../notify/trackers/tracker-apis.ts';
import { findIncidentRecords } from '../pipeline/incidents/reading/incidents.queries.ts';
import { insertLifecycleEvents } from '../pipeline/ledger/lifecycle.queries.ts';
import { errorFields } from '../platform/error-fields.ts';
import { nextStep } from './compare-sides.ts';
import type { TicketOptions } from './create-ticket.ts';
import { mayCross } from './cross-link.ts';
import { saveSeen, saveTicket } from './links.queries.ts';
import { recordRefusal } from './refused-change.ts';
import { stateChange } from './settle-ticket.ts';
import { commentAddress } from './ticket-draft.ts';
import { lockLink, saveReported, type TicketLink } from './tracked-links.queries.ts';

/**
 * Lets a ticket follow its incident, which was resolved or came back (docs/contract/team-workflow.md 7.4).
 * @throws TrackerFailure what keeps the tracker from work
 */
export async function moveTicket(
  options: TicketOptions,
  tracker: OpenTracker,
  call: Call,
  { linkId, remoteId }: TicketLink,
): Promise<void> {
  const { database, appUrl, log } = options;
  const { kind, connection } = tracker;
  const api = TRACKER_APIS[kind];
  const decided = await database.transaction(async (transaction) => {
    const link = await lockLink(transaction, linkId);
    if (link === null || link.isPaused) return null;
    // Read after the link is held: a report that resolved the incident has been recorded for both.
    const [incident] = await findIncidentRecords(transaction, [link.incidentId]);
    if (incident === undefined) return null;
    const isResolved = incident.status === 'resolved';
    const now = { isResolved, isClosed: link.isClosed, isWontFix: false };
    const next = nextStep(link.seen, now, link.sync);
    if (next === 'close' || next === 'reopen') {
      return (await mayCross(transaction, options, linkId))
        ? { incident, isClosed: next === 'close', sync: link.sync }
        : null;
    }
    await saveSeen(transaction, linkId, { isResolved, isClosed: link.isClosed });
    return null;
  });
  if (decided === null) return;
  const { incident, isClosed, sync } = decided;
  let ticket: Ticket;
  try {
    ticket = await api.setClosed(connection, call, remoteId, isClosed);
  } catch (error) {
    return await recordRefusal({ database, tracker }, linkId, error, (transaction, link) =>
      saveSeen(transaction, linkId, { isResolved: isClosed, isClosed: link.isClosed }),
    );
  }
  await database.transaction(async (transaction) => {
    const link = await lockLink(transaction, linkId);
    if (link === null) return;
    await saveTicket(transaction, linkId, ticket, true);
    await saveSeen(transaction, linkId, { isResolved: isClosed, isClosed: ticket.isClosed });
    // A reading can be behind this answer.
    await saveReported(transaction, linkId, ticket.updatedAtMs);
    if (link.isClosed !== ticket.isClosed) {
      insertLifecycleEvents(transaction, [stateChange(link, link.incidentId, { ...ticket, closedBy: null })]);
    }
  });
  if (!isClosed && !sync.comments.includes('regressed')) return;
  // Said once or never: a comment that is written twice would be worse than one that is missing.
  await api
    .comment(connection, call, remoteId, commentOn(incident, isClosed, appUrl))
    .catch((error: unknown) => log.info({ linkId, ...errorFields(error) }, 'a ticket got no comment'));
}

function commentOn(
  incident: { short_id: string | null; incident_id: string; status: string; occurrence_count: number },
  isClosed: boolean,
  appUrl: string,
): CommentText {
  const { short_id: number, status, occurrence_count: count } = incident;
  const happened = isClosed
    ? `${number ?? 'The incident'} was resolved.`
    : `${number ?? 'The incident'} ${status === 'regressed' ? 'happened again' : 'was reopened'} (${count} events).`;
  const url = commentAddress(appUrl, incident.incident_id, null);
  return { text: happened, code: null, url, id: randomUUID() };
}
