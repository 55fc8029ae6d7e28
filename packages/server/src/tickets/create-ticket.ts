import { backLinksOf } from '../notify/trackers/back-links.ts';
import type { OpenTracker } from '../notify/trackers/open-trackers.queries.ts';
import type { Call, Ticket } from '../notify/trackers/tracker-api.ts';
import { TRACKER_APIS } from '../notify/trackers/tracker-apis.ts';
import { TrackerFailure } from '../notify/trackers/tracker-call.ts';
import { readBundle } from '../pipeline/bundles/document/read-bundle.ts';
import { findIncidentRecords } from '../pipeline/incidents/reading/incidents.queries.ts';
import { insertLifecycleEvents } from '../pipeline/ledger/lifecycle.queries.ts';
import type { Runtime } from '../runtime.ts';
import { wantBackLink } from './back-links.queries.ts';
import { saveSeen, saveTicket } from './links.queries.ts';
import { isForGood } from './refused-change.ts';
import { ticketDraft } from './ticket-draft.ts';
import { countAttempt, lockLink, type PendingLink, saveFailure } from './tracked-links.queries.ts';

export type TicketOptions = Pick<
  Runtime,
  'database' | 'objects' | 'plans' | 'keys' | 'outbound' | 'appUrl' | 'log'
>;

/**
 * Creates the ticket of a link, once: if the answer of a request was lost, its ticket is searched before the request is
 * repeated (docs/contract/team-workflow.md 7.3). A permanent refusal of the tracker is recorded at the link.
 * @throws TrackerFailure what keeps the tracker from work
 */
export async function createTicket(
  options: TicketOptions,
  { kind, connection, failures }: OpenTracker,
  call: Call,
  link: PendingLink,
): Promise<void> {
  const { database, appUrl } = options;
  const { linkId, incidentId, projectId } = link;
  const [incident] = await findIncidentRecords(database, [incidentId]);
  if (incident === undefined) return;
  const { title, labels, priority } = link;
  const bundle = await bundleOf(options, incidentId);
  const draft = { ...ticketDraft(incident, bundle, { linkId, title, appUrl }), labels, priority };
  const api = TRACKER_APIS[kind];
  let ticket: Ticket;
  try {
    const earlier = link.attempts === 0 ? null : await api.findCreated(connection, call, draft);
    if (earlier === null) await countAttempt(database, linkId);
    ticket = earlier ?? (await api.create(connection, call, draft));
  } catch (error) {
    if (!(error instanceof TrackerFailure) || !isForGood(error, failures)) throw error;
    await database.transaction((transaction) => saveFailure(transaction, linkId, 'failed', error.word));
    return;
  }
  await database.transaction(async (transaction) => {
    const held = await lockLink(transaction, linkId);
    if (held === null) return;
    await saveTicket(transaction, linkId, ticket, true);
    await saveSeen(transaction, linkId, { isResolved: false, isClosed: ticket.isClosed });
    if (backLinksOf(kind) !== null) await wantBackLink(transaction, linkId);
    const data = {
      link_id: linkId,
      ticket: ticket.key,
      link_state: ticket.isClosed ? 'closed' : 'open',
    };
    insertLifecycleEvents(transaction, [
      { projectId, incidentId: held.incidentId, kind: 'incident.link_state_changed', data },
    ]);
  });
}

/** The document of the bundle; null while there is none that can be read. */
async function bundleOf(options: TicketOptions, incidentId: string): Promise<unknown> {
  const bundle = await readBundle(options, incidentId);
  if (bundle.kind !== 'ready') return null;
  try {
    return JSON.parse(bundle.bytes.toString('utf8'));
  } catch {
    return null;
  }
}
