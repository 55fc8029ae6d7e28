import { SAID } from '../notify/trackers/link-sync.ts';
import type { SAID_KINDS } from '../notify/trackers/trackers.jobs.ts';
import { inTransaction, statement } from '../platform/db/statement.ts';

/** Statements over what happened to incidents and is said in comments of their tickets. Ids are bare. */

/** Events of one link that wait; those after them are not said. */
const WAITING_MAX = 20;

/** Notes which of some ledger rows the open tickets of their incidents are to say. */
export const noteSaid = inTransaction.run<[projectId: string, lifecycleIds: readonly number[]]>(
  'said-events-note',
  `with meant as (
      select k.link_id, array_agg(l.lifecycle_id order by l.lifecycle_id) as ids
      from lifecycle_events l join incident_links k on k.incident_id = l.incident_id
        join trackers t on t.tracker_id = k.tracker_id
      where l.lifecycle_id = any ($2::bigint[]) and ${SAID.isSaidKind} and t.project_id = $1
        and k.remote_id is not null and k.state = 'open' and ${SAID.isWanted}
      group by k.link_id
    ), held as (
      select k.link_id, m.ids from incident_links k join meant m on m.link_id = k.link_id
      order by k.link_id for update of k
    )
    update incident_links k set to_say = (k.to_say || h.ids)[:${WAITING_MAX}] from held h where h.link_id = k.link_id`,
);

/** An event that a ticket is to say. */
export interface UnsaidEvent {
  linkId: string;
  incidentId: string;
  remoteId: string;
  lifecycleId: number;
  kind: keyof typeof SAID_KINDS;
  /** The address of a fix; null where it has none. */
  text: string | null;
}

/** The earliest event of each ticket of a tracker that it has not said yet. */
export const findUnsaid = statement.many<[trackerId: string, limit: number], UnsaidEvent>(
  'said-events-unsaid',
  `select k.link_id as "linkId", k.incident_id as "incidentId", k.remote_id as "remoteId",
      l.lifecycle_id as "lifecycleId", l.kind, l.data ->> 'text' as text
    from incident_links k join incidents i on i.incident_id = k.incident_id
      join lifecycle_events l on l.lifecycle_id = k.to_say[1] and ${SAID.isSaidKind}
    where k.tracker_id = $1 and k.remote_id is not null and k.state = 'open' and not k.is_paused
      and cardinality(k.to_say) > 0
    order by l.lifecycle_id, k.link_id limit $2`,
);

/** Records that an event is said, before it is; false when it was. */
export const beginSaying = statement.exists<[linkId: string, lifecycleId: number]>(
  'said-events-begin',
  'update incident_links set to_say = to_say[2:] where link_id = $1 and to_say[1] = $2 returning 1',
);
