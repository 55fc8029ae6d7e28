import { randomUUID } from 'node:crypto';
import type { OpenTracker } from '../notify/trackers/open-trackers.queries.ts';
import type { Call } from '../notify/trackers/tracker-api.ts';
import { TRACKER_APIS } from '../notify/trackers/tracker-apis.ts';
import { findIncidentRecords } from '../pipeline/incidents/reading/incidents.queries.ts';
import { errorFields } from '../platform/error-fields.ts';
import type { TicketOptions } from './create-ticket.ts';
import { commentAddress } from './ticket-draft.ts';
import { beginSayingUnlinked, type UnlinkedTicket } from './unlinked-tickets.queries.ts';

/** Says in a comment that a ticket is no longer linked to its incident, once or never, as events are said. */
export async function sayUnlinked(
  { database, appUrl, log }: TicketOptions,
  { kind, connection }: OpenTracker,
  call: Call,
  { linkId, projectId, incidentId, remoteId }: UnlinkedTicket,
): Promise<void> {
  const [incident] = await findIncidentRecords(database, [incidentId]);
  const isFirst = await beginSayingUnlinked(database, projectId, incidentId, linkId);
  if (incident === undefined || !isFirst) return;
  const text = `${incident.short_id ?? 'The incident'} is no longer linked to this ticket.`;
  await TRACKER_APIS[kind]
    .comment(connection, call, remoteId, {
      ...{ text, code: null, id: randomUUID() },
      url: commentAddress(appUrl, incident.incident_id, null),
    })
    .catch((error: unknown) => log.info({ linkId, ...errorFields(error) }, 'a ticket got no comment'));
}
