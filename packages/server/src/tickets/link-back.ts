import { backLinksOf } from '../notify/trackers/back-links.ts';
import type { OpenTracker } from '../notify/trackers/open-trackers.queries.ts';
import type { Call } from '../notify/trackers/tracker-api.ts';
import { TrackerFailure } from '../notify/trackers/tracker-call.ts';
import { findIncidentRecords } from '../pipeline/incidents/reading/incidents.queries.ts';
import { errorFields } from '../platform/error-fields.ts';
import { endBackLink } from './back-links.queries.ts';
import type { TicketOptions } from './create-ticket.ts';
import { isForGood } from './refused-change.ts';
import { incidentAddress } from './ticket-draft.ts';
import type { TicketLink } from './tracked-links.queries.ts';

/** The words of a token that may do what tickets need, but not this. */
const FORBIDDEN = ['http_403', 'graphql_forbidden'];

/**
 * Links a ticket to its incident where its tracker shows such links (docs/contract/team-workflow.md 7.2). One that it
 * refuses is left out, because the address is in the text too.
 * @throws TrackerFailure what keeps the tracker from work
 */
export async function linkBack(
  { database, appUrl, log }: TicketOptions,
  { kind, connection, failures }: OpenTracker,
  call: Call,
  { linkId, incidentId, remoteId }: TicketLink,
): Promise<void> {
  const add = backLinksOf(kind);
  const [incident] = await findIncidentRecords(database, [incidentId]);
  if (add !== null && incident !== undefined) {
    const { incident_id: id, short_id: number } = incident;
    const title = `${number ?? 'Incident'} in Culprit`;
    try {
      await add(connection, call, remoteId, { incidentId: id, url: incidentAddress(appUrl, id), title });
    } catch (error) {
      const isRefused =
        error instanceof TrackerFailure && (FORBIDDEN.includes(error.word) || isForGood(error, failures));
      if (!isRefused) throw error;
      log.info({ linkId, ...errorFields(error) }, 'a ticket got no link to its incident');
    }
  }
  await endBackLink(database, linkId);
}
