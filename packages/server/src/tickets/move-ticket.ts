import type { OpenTracker } from '../notify/trackers/open-trackers.queries.ts';
import type { Call, Ticket } from '../notify/trackers/tracker-api.ts';
import { TRACKER_APIS } from '../notify/trackers/tracker-apis.ts';
import { TrackerFailure } from '../notify/trackers/tracker-call.ts';
import { findIncidentRecords } from '../pipeline/incidents/reading/incidents.queries.ts';
import { insertLifecycleEvents } from '../pipeline/ledger/lifecycle.queries.ts';
import { errorFields } from '../platform/error-fields.ts';
import { nextStep } from './compare-sides.ts';
import type { TicketOptions } from './create-ticket.ts';
import { mayCross } from './cross-link.ts';
import { saveSeen, saveTicket } from './links.queries.ts';
import { stateChange } from './settle-ticket.ts';
import { lockLink, saveFailure, saveReported } from './tracked-links.queries.ts';

/**
 * Lets a ticket follow its incident, which was resolved or came back (docs/contract/team-workflow.md 7.4).
 * @throws TrackerFailure what keeps the tracker from work
 */
export async function moveTicket(
  options: TicketOptions,
  { kind, connection, sync }: OpenTracker,
  call: Call,
  { linkId, incidentId, remoteId }: { linkId: string; incidentId: string; remoteId: string },
): Promise<void> {
  const { database, appUrl, log } = options;
  const api = TRACKER_APIS[kind];
  const [incident] = await findIncidentRecords(database, [incidentId]);
  if (incident === undefined) return;
  const isResolved = incident.status === 'resolved';
  const step = await database.transaction(async (transaction) => {
    const link = await lockLink(transaction, linkId);
    if (link === null || link.isPaused) return 'none';
    const now = { isResolved, isClosed: link.isClosed, isWontFix: false };
    const next = nextStep(link.seen, now, sync);
    if (next === 'close' || next === 'reopen') {
      return (await mayCross(transaction, options, linkId)) ? next : 'none';
    }
    await saveSeen(transaction, linkId, { isResolved, isClosed: link.isClosed });
    return 'none';
  });
  if (step === 'none') return;
  const isClosed = step === 'close';
  let ticket: Ticket;
  try {
    ticket = await api.setClosed(connection, call, remoteId, isClosed);
  } catch (error) {
    if (!(error instanceof TrackerFailure) || (error.kind !== 'missing' && error.kind !== 'invalid'))
      throw error;
    await database.transaction(async (transaction) => {
      const link = await lockLink(transaction, linkId);
      if (link === null) return;
      const state = error.kind === 'missing' ? 'gone' : link.isClosed ? 'closed' : 'open';
      await saveFailure(transaction, linkId, state, error.word);
      // The same request would fail again: it is not repeated until the incident changes.
      await saveSeen(transaction, linkId, { isResolved, isClosed: link.isClosed });
    });
    return;
  }
  await database.transaction(async (transaction) => {
    const link = await lockLink(transaction, linkId);
    if (link === null) return;
    await saveTicket(transaction, linkId, ticket, true);
    await saveSeen(transaction, linkId, { isResolved, isClosed: ticket.isClosed });
    if (api.readChanged === null) await saveReported(transaction, linkId, null);
    if (link.isClosed !== ticket.isClosed) {
      insertLifecycleEvents(transaction, [stateChange(link, incidentId, ticket)]);
    }
  });
  // Said once or never: a comment that is written twice would be worse than one that is missing.
  await api
    .comment(connection, call, remoteId, commentOn(incident, isClosed, appUrl))
    .catch((error: unknown) => log.info({ linkId, ...errorFields(error) }, 'a ticket got no comment'));
}

function commentOn(
  incident: { short_id: string | null; incident_id: string; status: string; occurrence_count: number },
  isClosed: boolean,
  appUrl: string,
): string {
  const { short_id: number, status, occurrence_count: count } = incident;
  const happened = isClosed
    ? `${number ?? 'The incident'} was resolved.`
    : `${number ?? 'The incident'} ${status === 'regressed' ? 'happened again' : 'was reopened'} (${count} events).`;
  return `${happened} ${appUrl}/incidents/${incident.incident_id}`;
}
