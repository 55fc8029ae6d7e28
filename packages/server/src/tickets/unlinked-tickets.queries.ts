import { SYNC } from '../notify/trackers/link-sync.ts';
import { inTransaction, statement } from '../platform/db/statement.ts';

/** Statements over tickets whose link a person removed. Ids are bare. */

/** Notes that a ticket says that its link is removed, where its comments say that. */
export const noteUnlinked = inTransaction.run<[linkId: string]>(
  'unlinked-ticket-note',
  `insert into unlinked_tickets (project_id, incident_id, link_id, tracker_id, remote_id)
    select k.project_id, k.incident_id, k.link_id, k.tracker_id, k.remote_id
    from incident_links k join trackers t on t.tracker_id = k.tracker_id
    where k.link_id = $1 and k.remote_id is not null and k.state in ('open', 'closed') and not k.is_paused
      and ${SYNC.comments} ? 'unlinked'
    on conflict do nothing`,
);

/** A ticket that is to say that its link is removed. */
export interface UnlinkedTicket {
  linkId: string;
  projectId: string;
  incidentId: string;
  remoteId: string;
}

/** The earliest ones of a tracker that have not said it yet. */
export const findUnlinked = statement.many<[trackerId: string, limit: number], UnlinkedTicket>(
  'unlinked-tickets-find',
  `select link_id as "linkId", project_id as "projectId", incident_id as "incidentId",
      remote_id as "remoteId" from unlinked_tickets
    where tracker_id = $1 order by created_at, link_id limit $2`,
);

/** Records that it is said, before it is; false when it was. */
export const beginSayingUnlinked = statement.exists<[projectId: string, incidentId: string, linkId: string]>(
  'unlinked-ticket-begin',
  'delete from unlinked_tickets where project_id = $1 and incident_id = $2 and link_id = $3 returning 1',
);
