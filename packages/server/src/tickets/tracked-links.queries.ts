import type { LinkState } from '@culprit/contract/alerts/tracker-words';
import { type LinkSync, SYNC, SYNC_COLUMNS, type SyncRow, syncOf } from '../notify/trackers/link-sync.ts';
import type { Transaction } from '../platform/db/database.ts';
import { inTransaction, sql, statement } from '../platform/db/statement.ts';

/** Statements of the work on one tracker: its links, and where their incidents are. */

/** A ticket that waits for its creation. */
export interface PendingLink {
  linkId: string;
  incidentId: string;
  projectId: string;
  title: string | null;
  labels: string[];
  priority: string | null;
  attempts: number;
}

/** The oldest tickets of a tracker that are still to be created, those that failed last, of incidents that are there. */
export const findPending = statement.many<[trackerId: string, limit: number], PendingLink>(
  'links-pending',
  `select k.link_id as "linkId", k.incident_id as "incidentId", k.project_id as "projectId", k.title, k.labels,
      k.priority, k.attempts
    from incident_links k join incidents i on i.incident_id = k.incident_id
    where k.tracker_id = $1 and k.remote_id is null and k.state = 'pending'
    order by k.attempts, k.created_at, k.link_id limit $2`,
);

/** Counts a request that may create a ticket, before it is sent. */
export const countAttempt = statement.run<[linkId: string]>(
  'link-attempt',
  'update incident_links set attempts = attempts + 1 where link_id = $1',
);

/** Records the final reason why a ticket was not created or changed. */
export const saveFailure = inTransaction.run<[linkId: string, state: LinkState, error: string]>(
  'link-failed',
  'update incident_links set state = $2, last_error = $3, synced_at = culprit_now() where link_id = $1',
);

/** Returns true if a tracker has tickets that may change. */
export const hasTickets = statement.exists<[trackerId: string]>(
  'links-any',
  `select from incident_links k join incidents i on i.incident_id = k.incident_id
    where k.tracker_id = $1 and k.remote_id is not null and k.state in ('open', 'closed') limit 1`,
);

/** A ticket of an incident. */
export interface TicketLink {
  linkId: string;
  incidentId: string;
  remoteId: string;
  /** The time at which the link was added. */
  createdAtMs: number;
}

/** Its columns, from a link `k`. */
export const TICKET_LINK = `k.link_id as "linkId", k.incident_id as "incidentId", k.remote_id as "remoteId",
  k.created_at as "createdAtMs"`;

/** A ticket that was read. */
export interface ReadLink extends TicketLink {
  /** The incidents to which it belonged before merges and splits. */
  formerIncidentIds: string[];
  isClosed: boolean;
  /** Comments cross that are newer; null: none do. */
  notesSinceMs: number | null;
}

/** The links of a tracker with some tickets, with their incidents. */
export const findByTickets = statement.many<[trackerId: string, remoteIds: readonly string[]], ReadLink>(
  'links-by-tickets',
  `select ${TICKET_LINK}, k.former_incident_ids as "formerIncidentIds", k.state = 'closed' as "isClosed",
      ${SYNC.notesSince} as "notesSinceMs"
    from incident_links k join trackers t on t.tracker_id = k.tracker_id
    where k.tracker_id = $1 and k.remote_id = any ($2::text[]) order by k.incident_id, k.link_id`,
);

/** Links of a tracker whose incident was resolved or came back since they were compared. */
export const findMoved = statement.many<[trackerId: string, limit: number], TicketLink>(
  'links-moved',
  `select ${TICKET_LINK} from incident_links k
    join incidents i on i.incident_id = k.incident_id
    where k.tracker_id = $1 and k.remote_id is not null and k.state in ('open', 'closed') and not k.is_paused
      and k.seen_resolved <> (i.status = 'resolved')
    order by i.status_changed_at, k.link_id limit $2`,
);

/** A ticket that another person has than its incident. */
export interface MisassignedLink extends TicketLink {
  /** The person who has the incident; null: none. */
  userId: string | null;
}

/** Links of a tracker whose incident was given to another person since that crossed; a team is none. */
export const findMisassigned = statement.many<[trackerId: string, limit: number], MisassignedLink>(
  'links-misassigned',
  `select ${TICKET_LINK}, a.assignee_user_id as "userId" from incident_links k
    join trackers t on t.tracker_id = k.tracker_id
    join incidents i on i.incident_id = k.incident_id
    left join incident_triage a on a.incident_id = k.incident_id
    where k.tracker_id = $1 and k.remote_id is not null and k.state = 'open' and not k.is_paused
      and ${SYNC.assignee} = 'to_tracker' and k.seen_assignee_user_id is distinct from a.assignee_user_id
    order by a.assigned_at, k.link_id limit $2`,
);

/** Records to whom a ticket was given, or that the tracker does not know the person. */
export const saveAssignment = inTransaction.run<
  [linkId: string, userId: string | null, isKnown: boolean, name: string | null]
>(
  'link-assigned',
  `update incident_links set seen_assignee_user_id = $2, assignee_name = case when $3 then $4 else assignee_name end,
      last_error = case when not $3 then 'assignee_unknown' end, synced_at = culprit_now()
    where link_id = $1`,
);

/** A link as the work compares it. */
export interface HeldLink {
  linkId: string;
  /** Another one than before if its incident was merged or split. */
  incidentId: string;
  projectId: string;
  key: string;
  isClosed: boolean;
  isPaused: boolean;
  sync: LinkSync;
  seen: { isResolved: boolean; isClosed: boolean };
  /** The person of the incident that crossed last, and the tracker's id of the one of the ticket when it was read last. */
  crossedUserId: string | null;
  ticketAssignee: string | null;
  /** The time of the ticket's last known change, by the tracker's clock, in milliseconds since the epoch. */
  reportedAtMs: number | null;
}

/** Notes when a state of a ticket was true, so that older reports have no effect. @param atMs null: now */
export async function saveReported(
  transaction: Transaction,
  linkId: string,
  atMs: number | null,
): Promise<void> {
  await transaction.query(
    {
      name: 'link-reported',
      // Reports name whole seconds.
      text: `update incident_links
        set reported_at = coalesce($2::timestamptz, date_trunc('second', culprit_now())) where link_id = $1`,
    },
    [linkId, atMs === null ? null : new Date(atMs)],
  );
}

/** A link with a ticket, held until the transaction ends; null when it was removed. */
export async function lockLink(transaction: Transaction, linkId: string): Promise<HeldLink | null> {
  const [row] = await transaction.query<
    SyncRow & {
      project_id: string;
      incident_id: string;
      key: string | null;
      state: string;
      is_paused: boolean;
      seen_resolved: boolean;
      seen_closed: boolean;
      seen_assignee_user_id: string | null;
      seen_ticket_assignee: string | null;
      reported_at: number | null;
    }
  >(
    sql(
      'link-lock',
    )`select k.project_id, k.incident_id, k.key, k.state, k.is_paused, k.seen_resolved, k.seen_closed, k.seen_assignee_user_id,
          k.seen_ticket_assignee, k.reported_at, ${SYNC_COLUMNS}
        from incident_links k join trackers t on t.tracker_id = k.tracker_id
        where k.link_id = $1 for update of k`,
    [linkId],
  );
  return row === undefined
    ? null
    : {
        linkId,
        projectId: row.project_id,
        incidentId: row.incident_id,
        key: row.key ?? '',
        isClosed: row.state === 'closed',
        isPaused: row.is_paused,
        sync: syncOf(row),
        seen: { isResolved: row.seen_resolved, isClosed: row.seen_closed },
        crossedUserId: row.seen_assignee_user_id,
        ticketAssignee: row.seen_ticket_assignee,
        reportedAtMs: row.reported_at,
      };
}

/** Changes that cross a link within ten minutes. */
const MOVES_MAX = 6;

/**
 * Counts a change that crosses a link that is not paused, and pauses the link when as many as may be have crossed within
 * the ten minutes before it.
 * @returns whether it may cross
 */
export async function countMove(transaction: Transaction, linkId: string): Promise<boolean> {
  const [row] = await transaction.query<{ is_paused: boolean }>(
    sql('link-move')`update incident_links k set
          moved_at = case when r.is_over then r.moved_at else r.moved_at || culprit_now() end,
          is_paused = r.is_over, last_error = case when r.is_over then 'flapping' end
        from (
          select coalesce(array_agg(m), '{}') as moved_at, count(*) >= $2 as is_over
          from incident_links l, unnest(l.moved_at) m
          where l.link_id = $1 and m > culprit_now() - interval '10 min'
        ) r
        where k.link_id = $1 returning k.is_paused`,
    [linkId, MOVES_MAX],
  );
  return row?.is_paused === false;
}

/** A paused link with the person to notify. */
export interface PausedLink {
  email: string;
  ticket: string;
  shortId: string | null;
  trackerName: string;
  incidentId: string;
}

/**
 * Returns a link and the person who added it, or else who connected its tracker; null when neither has access to the
 * project.
 */
export const findPausedLink = inTransaction.one<[linkId: string], PausedLink>(
  'link-paused',
  `select u.email, coalesce(k.key, k.url, '') as ticket, t.name as "trackerName", k.incident_id as "incidentId",
      case when i.number is not null then p.incident_key || '-' || i.number end as "shortId"
    from incident_links k join trackers t on t.tracker_id = k.tracker_id
      join incidents i on i.incident_id = k.incident_id join projects p on p.project_id = k.project_id
      join users u on u.user_id in (k.created_by_user_id, t.created_by_user_id)
      join project_members m on m.user_id = u.user_id and m.project_id = k.project_id
    where k.link_id = $1 order by u.user_id is distinct from k.created_by_user_id limit 1`,
);
