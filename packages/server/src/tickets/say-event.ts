import { randomUUID } from 'node:crypto';
import type { OpenTracker } from '../notify/trackers/open-trackers.queries.ts';
import type { Call } from '../notify/trackers/tracker-api.ts';
import { TRACKER_APIS } from '../notify/trackers/tracker-apis.ts';
import { findIncidentRecords } from '../pipeline/incidents/reading/incidents.queries.ts';
import { errorFields } from '../platform/error-fields.ts';
import { shownText } from '../platform/mail/mail.ts';
import type { TicketOptions } from './create-ticket.ts';
import { beginSaying, type UnsaidEvent } from './said-events.queries.ts';
import { commentAddress } from './ticket-draft.ts';

/**
 * Says in a comment what happened to an incident, once or never: a comment that is written twice would be worse than one
 * that is missing (docs/contract/team-workflow.md 7.4).
 */
export async function sayEvent(
  { database, appUrl, log }: TicketOptions,
  { kind, connection }: OpenTracker,
  call: Call,
  { linkId, incidentId, remoteId, lifecycleId, ...event }: UnsaidEvent,
): Promise<void> {
  const [incident] = await findIncidentRecords(database, [incidentId]);
  if (incident === undefined || !(await beginSaying(database, linkId, lifecycleId))) return;
  const { incident_id: id, short_id: number, occurrence_count: count } = incident;
  const name = number ?? 'The incident';
  const text =
    event.kind === 'incident.spike_detected'
      ? `${name} happens much more often than before (${count} events).`
      : `A fix of ${number ?? 'the incident'} was proposed.`;
  const code = event.text === null ? null : shownText(event.text);
  await TRACKER_APIS[kind]
    .comment(connection, call, remoteId, {
      ...{ text, code, id: randomUUID() },
      url: commentAddress(appUrl, id, null),
    })
    .catch((error: unknown) => log.info({ linkId, ...errorFields(error) }, 'a ticket got no comment'));
}
