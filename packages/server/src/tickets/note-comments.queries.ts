import { SYNC } from '../notify/trackers/link-sync.ts';
import type { Transaction } from '../platform/db/database.ts';
import { inTransaction, sql, statement } from '../platform/db/statement.ts';

/** Statements over notes that cross between incidents and tickets. Ids are bare. */

/** A note that its ticket does not have yet. */
export interface UncopiedNote {
  linkId: string;
  projectId: string;
  incidentId: string;
  remoteId: string;
  noteId: string;
  body: string;
  authorName: string;
  shortId: string | null;
  createdAtMs: number;
  /** True if a request with it was sent, whose answer is unknown. */
  wasSent: boolean;
}

/** The oldest notes that the tickets of a tracker do not have, of those that are newer than link and setting. */
export const findUncopied = statement.many<[trackerId: string, limit: number], UncopiedNote>(
  'notes-uncopied',
  `select k.link_id as "linkId", k.project_id as "projectId", k.incident_id as "incidentId",
      k.remote_id as "remoteId", n.note_id as "noteId", n.body, coalesce(u.name, u.handle) as "authorName",
      case when i.number is not null then p.incident_key || '-' || i.number end as "shortId",
      n.created_at as "createdAtMs", c.note_id is not null as "wasSent"
    from incident_links k join trackers t on t.tracker_id = k.tracker_id
      join incidents i on i.incident_id = k.incident_id join projects p on p.project_id = k.project_id
      join incident_notes n on n.incident_id = k.incident_id and n.created_at > greatest(${SYNC.notesSince}, k.created_at, k.joined_at)
      -- Comments that became notes have no author here.
      join users u on u.user_id = n.author_user_id
      left join note_comments c on c.project_id = k.project_id and c.incident_id = k.incident_id
        and c.link_id = k.link_id and c.note_id = n.note_id
    where k.tracker_id = $1 and k.remote_id is not null and k.state in ('open', 'closed') and not k.is_paused
      and ${SYNC.notesSince} is not null and n.body is not null and c.is_done is not true
    order by n.created_at, n.note_id limit $2`,
);

/** Records that a note is sent to its ticket, before it is. */
export const beginCopy = statement.run<
  [projectId: string, incidentId: string, linkId: string, noteId: string]
>(
  'note-copy-begin',
  `insert into note_comments (project_id, incident_id, link_id, note_id, is_done)
    values ($1, $2, $3, $4, false) on conflict do nothing`,
);

/** Records that a ticket has a note, or refuses it. */
export const endCopy = inTransaction.run<[linkId: string, noteId: string]>(
  'note-copy-end',
  'update note_comments set is_done = true where link_id = $1 and note_id = $2',
);

export const countIncidentNotes = inTransaction.value<[incidentId: string], number>(
  'notes-of-incident',
  'select count(*) as notes from incident_notes where incident_id = $1',
  0,
);

/** Returns true if a comment is a note already. */
export const isTakenComment = inTransaction.value<[linkId: string, commentId: string], boolean>(
  'comment-is-taken',
  'select true as is_taken from note_comments where link_id = $1 and comment_id = $2',
  false,
);

/** Writes a comment of a ticket as a note; false when it is one already. */
export async function insertTakenComment(
  transaction: Transaction,
  taken: {
    noteId: string;
    projectId: string;
    incidentId: string;
    linkId: string;
    commentId: string;
    body: string;
  },
): Promise<boolean> {
  const rows = await transaction.query(
    sql('comment-take')`with taken as (
          insert into note_comments (project_id, incident_id, link_id, note_id, comment_id, is_done)
          values ($1, $2, $3, $4, $5, true)
          on conflict (link_id, comment_id) do nothing returning note_id
        )
        insert into incident_notes (note_id, project_id, incident_id, author_user_id, via, body)
        select note_id, $1::uuid, $2::uuid, null, 'tracker', $6 from taken returning 1`,
    [taken.projectId, taken.incidentId, taken.linkId, taken.noteId, taken.commentId, taken.body],
  );
  return rows.length > 0;
}
