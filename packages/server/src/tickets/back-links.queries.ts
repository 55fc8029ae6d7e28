import { inTransaction, statement } from '../platform/db/statement.ts';
import { TICKET_LINK, type TicketLink } from './tracked-links.queries.ts';

/** Statements over tickets that wait for the link to their incident. */

/** Records that a ticket waits for the link to its incident. */
export const wantBackLink = inTransaction.run<[linkId: string]>(
  'back-link-want',
  'update incident_links set needs_back_link = true where link_id = $1',
);

/** Records that a ticket is linked to its incident, or never will be. */
export const endBackLink = statement.run<[linkId: string]>(
  'back-link-end',
  'update incident_links set needs_back_link = false where link_id = $1',
);

/** The oldest tickets of a tracker that are still to be linked to their incidents. */
export const findBackless = statement.many<[trackerId: string, limit: number], TicketLink>(
  'back-links-missing',
  `select ${TICKET_LINK} from incident_links k
    join incidents i on i.incident_id = k.incident_id
    where k.tracker_id = $1 and k.remote_id is not null and k.state in ('open', 'closed') and k.needs_back_link
    order by k.created_at, k.link_id limit $2`,
);
