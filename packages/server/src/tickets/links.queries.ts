import { LINK_SYNC_FIELDS, type LinkState } from '@culprit/contract/alerts/tracker-words';
import type { IncidentLink } from '@culprit/contract/incidents/incident-links';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { SYNC_COLUMNS, type SyncRow } from '../notify/trackers/link-sync.ts';
import type { Ticket } from '../notify/trackers/tracker-api.ts';
import type { Transaction } from '../platform/db/database.ts';
import { inTransaction, sql, statement } from '../platform/db/statement.ts';
import { prefixedId } from '../platform/ids.ts';

/** Statements over tickets and links as people see them, each bound to an incident that the caller sees. */

interface LinkRow extends SyncRow {
  link_id: string;
  incident_id: string;
  tracker_id: string | null;
  kind: IncidentLink['kind'];
  key: string | null;
  url: string | null;
  title: string | null;
  state: LinkState;
  state_name: string | null;
  assignee_name: string | null;
  own_sync: string[] | null;
  is_paused: boolean;
  last_error: string | null;
  synced_at: number | null;
  created_by_user_id: string | null;
  created_at: number;
}

const COLUMNS = `k.link_id, k.incident_id, k.tracker_id, t.kind, k.key, k.url, k.title, k.state, k.state_name,
  k.assignee_name, ${SYNC_COLUMNS}, (select array_agg(name) from jsonb_object_keys(k.sync) name) as own_sync, k.is_paused,
  k.last_error, k.synced_at, k.created_by_user_id, k.created_at`;

function recordOf(row: LinkRow): IncidentLink {
  return {
    link_id: row.link_id,
    incident_id: prefixedId('inc', row.incident_id),
    tracker_id: row.tracker_id,
    kind: row.kind,
    key: row.key,
    url: row.url,
    title: row.title,
    state: row.state,
    state_name: row.state_name,
    assignee_name: row.assignee_name,
    sync:
      row.tracker_id === null
        ? null
        : {
            close_on_resolve: row.close_on_resolve,
            reopen_on_regress: row.reopen_on_regress,
            resolve_on_close: row.resolve_on_close,
            wont_fix: row.wont_fix,
            assignee: row.assignee,
            comments: row.comments,
            notes: row.notes_since !== null,
          },
    own_sync: LINK_SYNC_FIELDS.filter((field) => row.own_sync?.includes(field) === true),
    is_paused: row.is_paused,
    last_error: row.last_error,
    synced_at: row.synced_at === null ? null : formatTimestamp(row.synced_at),
    created_by_user_id: row.created_by_user_id,
    created_at: formatTimestamp(row.created_at),
  };
}

/** The incident, or the one into which it was merged, which has its links. */
const STAYING = `coalesce((select a.incident_id from incidents i join incident_aliases a on a.service_id = i.service_id
    and a.fingerprint_version = i.fingerprint_version and a.fingerprint = i.fingerprint
  where i.incident_id = $1 and a.merged_into is not null), $1)`;

/** The links of an incident, newest first: there are few. A process of an earlier release merges without moving them. */
export const listLinkRows = statement.many<[incidentId: string], LinkRow, IncidentLink>(
  'links-list',
  `select ${COLUMNS} from incident_links k left join trackers t on t.tracker_id = k.tracker_id
    where k.incident_id in ($1::uuid, ${STAYING})
    order by k.created_at desc, k.link_id desc`,
  recordOf,
);

/** A link before its creation. */
export interface NewLink {
  linkId: string;
  projectId: string;
  incidentId: string;
  trackerId: string | null;
  /** Null: an alert rule. */
  userId: string | null;
  url: string | null;
  title: string | null;
  state: LinkState;
  /** Labels of a new ticket. */
  labels?: readonly string[];
  priority?: string | null;
}

/** Inserts a link as the incident is now. */
export async function insertLink(transaction: Transaction, link: NewLink): Promise<void> {
  await transaction.query(
    sql(
      'link-insert',
    )`insert into incident_links (link_id, project_id, incident_id, tracker_id, created_by_user_id, url, title,
          state, is_created, seen_resolved, labels, priority)
        select $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::uuid, $6::text, $7::text, $8::text, $8 = 'pending',
          i.status = 'resolved', $9::text[], $10::text
        from incidents i where i.incident_id = $3`,
    [
      link.linkId,
      link.projectId,
      link.incidentId,
      link.trackerId,
      link.userId,
      link.url,
      link.title,
      link.state,
      [...(link.labels ?? [])],
      link.priority ?? null,
    ],
  );
}

/**
 * Writes the current state of a ticket.
 * @param isDone whether a change of ours succeeded, which clears an earlier failure
 */
export async function saveTicket(
  transaction: Transaction,
  linkId: string,
  ticket: Ticket,
  isDone = false,
): Promise<void> {
  await transaction.query(
    sql(
      'link-ticket-save',
    )`update incident_links set remote_id = $2, key = $3, url = coalesce($4, url), title = coalesce($5, title), state = $6, state_name = $7,
          assignee_name = case when $9 then $8 else assignee_name end,
          last_error = case when not $10 then last_error end, synced_at = culprit_now()
        where link_id = $1`,
    [
      linkId,
      ticket.id,
      ticket.key,
      ticket.url,
      ticket.title,
      ticket.isClosed ? 'closed' : 'open',
      ticket.stateName,
      ticket.assignee?.name ?? null,
      ticket.assignee !== undefined,
      isDone,
    ],
  );
}

/** Writes in which state the sides of a link were compared. */
export async function saveSeen(
  transaction: Transaction,
  linkId: string,
  seen: { isResolved: boolean; isClosed: boolean },
): Promise<void> {
  await transaction.query(
    sql('link-seen-save')`update incident_links set seen_resolved = $2, seen_closed = $3 where link_id = $1`,
    [linkId, seen.isResolved, seen.isClosed],
  );
}

/** Writes whose the ticket was when it was read last. */
export const saveTicketAssignee = inTransaction.run<[linkId: string, ticketAssignee: string | null]>(
  'link-ticket-assignee-save',
  'update incident_links set seen_ticket_assignee = $2 where link_id = $1',
);

/** Writes the person of the incident that crossed last, whichever way; null: none. */
export const saveCrossedAssignee = inTransaction.run<[linkId: string, userId: string | null]>(
  'link-crossed-assignee-save',
  'update incident_links set seen_assignee_user_id = $2 where link_id = $1',
);

/**
 * Lets a link be worked on again: one whose creation or change failed, and one that was paused. A change that failed
 * counts as not seen, so that it is tried again.
 */
export const resetLink = inTransaction.run<[linkId: string]>(
  'link-reset',
  `update incident_links set state = case when state = 'failed' then 'pending' else state end,
      seen_resolved = case when last_error is not null and remote_id is not null then state = 'closed'
        else seen_resolved end,
      seen_assignee_user_id = case when last_error is null then seen_assignee_user_id end,
      is_paused = false, moved_at = '{}', last_error = null
    where link_id = $1`,
);

/** Sets what a link sets otherwise than its tracker. @param sync fields as JSON, in which null takes one back */
export const saveSync = inTransaction.run<[linkId: string, sync: string]>(
  'link-sync-save',
  `update incident_links k set sync = s.sync,
      notes_since = case when s.sync -> 'notes' = 'true' then coalesce(k.notes_since, culprit_now()) end
    from (select jsonb_strip_nulls(sync || $2::jsonb) as sync from incident_links where link_id = $1) s
    where k.link_id = $1`,
);

/** Deletes a link; false when it is gone. */
export const removeLink = inTransaction.exists<[linkId: string]>(
  'link-delete',
  'delete from incident_links where link_id = $1 returning 1',
);
