import type { Fix } from '@culprit/contract/incidents/incident-fixes';
import type { Mention, Note } from '@culprit/contract/incidents/incident-notes';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../../platform/db/statement.ts';
import { prefixedId } from '../../../platform/ids.ts';
import type { Actor } from '../triage/change-triage.ts';

/** Statements over notes and fixes. Each is bound to an incident that the caller sees. */

interface AuthorRow {
  incident_id: string;
  user_id: string | null;
  name: string | null;
  email: string | null;
  via: string;
  token_label: string | null;
  created_at: number;
}

interface NoteRow extends AuthorRow {
  note_id: string;
  body: string | null;
  mentions: Mention[];
  edited_at: number | null;
  deleted_at: number | null;
  author_user_id: string;
}

const AUTHOR = `u.user_id, coalesce(u.name, u.handle) as name, u.email`;
const NOTE_COLUMNS = `n.note_id, n.incident_id, n.author_user_id, ${AUTHOR}, n.via, n.token_label, n.body, n.mentions,
  n.created_at, n.edited_at, n.deleted_at`;

/** The label of the token that a person uses; null in a browser. */
const TOKEN_LABEL = '(select label from member_tokens where token_id = $5::uuid)';

/** An incident and those that were merged into it. */
const WITH_MERGED = `(select $1::uuid union
  select from_incident_id from incident_aliases where incident_id = $1 and from_incident_id is not null)`;

/** A page of the notes about an incident and those that were merged into it, oldest first. */
export async function listNoteRows(
  database: Queryable,
  incidentId: string,
  page: { after: { createdAtMs: number; noteId: string } | null; limit: number },
): Promise<Note[]> {
  const rows = await database.query<NoteRow>(
    sql(
      'notes-list',
    )`select ${NOTE_COLUMNS} from incident_notes n left join users u on u.user_id = n.author_user_id
        where n.incident_id in ${WITH_MERGED}
          and ($2::timestamptz is null or (n.created_at, n.note_id) > ($2, $3::uuid))
        order by n.created_at, n.note_id limit $4`,
    [
      incidentId,
      page.after === null ? null : new Date(page.after.createdAtMs),
      page.after?.noteId ?? null,
      page.limit,
    ],
  );
  return rows.map(noteOf);
}

/** A note about an incident, held until the transaction ends, with the id of its author; null when it is gone. */
export const lockNote = inTransaction.one<
  [incidentId: string, noteId: string],
  NoteRow,
  { note: Note; authorUserId: string }
>(
  'note-lock',
  `select ${NOTE_COLUMNS} from incident_notes n left join users u on u.user_id = n.author_user_id
    where n.incident_id = $1 and n.note_id = $2 for update of n`,
  (row) => ({ note: noteOf(row), authorUserId: row.author_user_id }),
);

/** Writes a note. */
export async function insertNote(
  transaction: Transaction,
  note: {
    noteId: string;
    projectId: string;
    incidentId: string;
    actor: Actor;
    body: string;
    mentions: readonly Mention[];
  },
): Promise<void> {
  const { noteId, projectId, incidentId, actor, body, mentions } = note;
  await transaction.query(
    sql(
      'note-insert',
    )`insert into incident_notes (note_id, project_id, incident_id, author_user_id, token_label, via, body, mentions)
        values ($1, $2, $3, $4, ${TOKEN_LABEL}, $6, $7, $8::jsonb)`,
    [
      noteId,
      projectId,
      incidentId,
      actor.userId,
      actor.tokenId ?? null,
      actor.via,
      body,
      JSON.stringify(mentions),
    ],
  );
}

/** Saves another text of a note that the caller holds. */
export async function saveNote(
  transaction: Transaction,
  noteId: string,
  body: string,
  mentions: readonly Mention[],
): Promise<void> {
  await transaction.query(
    sql(
      'note-save',
    )`update incident_notes set body = $2, mentions = $3::jsonb, edited_at = culprit_now() where note_id = $1`,
    [noteId, body, JSON.stringify(mentions)],
  );
}

/** Removes the text of a note that the caller holds. */
export const clearNote = inTransaction.run<[noteId: string]>(
  'note-clear',
  `update incident_notes set body = null, mentions = '[]', deleted_at = culprit_now() where note_id = $1`,
);

/** One transaction at a time counts and adds notes, or fixes, of an incident. */
export const holdRoom = inTransaction.run<[what: 'notes' | 'fixes', incidentId: string]>(
  'notes-hold-room',
  `select pg_advisory_xact_lock(hashtextextended('culprit.' || $1 || '.' || $2, 0))`,
);

/** Returns how many notes an incident has, and how many its author wrote within the last minute. */
export async function countNotes(
  database: Queryable,
  incidentId: string,
  userId: string,
): Promise<{ ofIncident: number; ofMinute: number }> {
  const [row] = await database.query<{ of_incident: number; of_minute: number }>(
    sql('notes-count')`select
          (select count(*) from incident_notes where incident_id = $1)::integer as of_incident,
          (select count(*) from incident_notes where author_user_id = $2
            and created_at > (select culprit_now()) - interval '1 minute')::integer as of_minute`,
    [incidentId, userId],
  );
  return { ofIncident: row?.of_incident ?? 0, ofMinute: row?.of_minute ?? 0 };
}

/** The people of a project and the teams among them with some handles, by handle; a person goes before a team. */
export async function findHandlesOf(
  database: Queryable,
  projectId: string,
  handles: readonly string[],
): Promise<Map<string, Pick<Mention, 'kind' | 'id'>>> {
  if (handles.length === 0) return new Map();
  const rows = await database.query<{ handle: string; kind: Mention['kind']; id: string }>(
    sql('people-by-handle')`select t.slug as handle, 'team' as kind, t.team_id as id
        from teams t join projects p on p.organization_id = t.organization_id
        where p.project_id = $1 and t.slug = any ($2::text[]) and exists (
          select from team_members tm join project_members m on m.user_id = tm.user_id
          where tm.team_id = t.team_id and m.project_id = $1)
        union all
        select u.handle, 'user', u.user_id from users u
        join project_members m on m.user_id = u.user_id and m.project_id = $1
        where u.handle = any ($2::text[])
        order by kind`,
    [projectId, [...handles]],
  );
  return new Map(rows.map(({ handle, kind, id }) => [handle, { kind, id }]));
}

interface FixRow extends AuthorRow {
  fix_id: string;
  url: string;
  commit_sha: string | null;
  release: string | null;
  summary: string | null;
  verification: Fix['verification'];
  resolves: boolean;
  deployed_in: string | null;
  deployed_at: number | null;
  author_user_id: string;
}

const FIX_COLUMNS = `f.fix_id, f.incident_id, f.author_user_id, ${AUTHOR}, f.via, f.token_label, f.url, f.commit_sha,
  f.release, f.summary, f.verification, f.resolves, f.deployed_in, f.deployed_at, f.created_at`;

/** The fixes of an incident and of those that were merged into it, newest first, each with the id of its author. */
export const listFixRows = statement.many<
  [incidentId: string, limit: number],
  FixRow,
  { fix: Fix; authorUserId: string }
>(
  'fixes-list',
  `select ${FIX_COLUMNS} from incident_fixes f left join users u on u.user_id = f.author_user_id
    where f.incident_id in ${WITH_MERGED} order by f.created_at desc, f.fix_id desc limit $2`,
  (row) => ({ fix: fixOf(row), authorUserId: row.author_user_id }),
);

/** Counts the fixes of an incident alone. */
export const countFixes = inTransaction.value<[incidentId: string], number>(
  'fixes-count',
  'select count(*) as fixes from incident_fixes where incident_id = $1',
  0,
);

/** Writes a fix. */
export async function insertFix(
  transaction: Transaction,
  fix: {
    fixId: string;
    projectId: string;
    incidentId: string;
    actor: Actor;
    url: string;
    commitSha: string | null;
    release: string | null;
    summary: string | null;
    verification: Fix['verification'];
    resolves: boolean;
  },
): Promise<void> {
  const { fixId, projectId, incidentId, actor } = fix;
  await transaction.query(
    sql(
      'fix-insert',
    )`insert into incident_fixes (fix_id, project_id, incident_id, author_user_id, token_label, via, url,
          commit_sha, release, summary, verification, resolves)
        values ($1, $2, $3, $4, ${TOKEN_LABEL}, $6, $7, $8, $9, $10, $11::jsonb, $12)`,
    [
      fixId,
      projectId,
      incidentId,
      actor.userId,
      actor.tokenId ?? null,
      actor.via,
      fix.url,
      fix.commitSha,
      fix.release,
      fix.summary,
      fix.verification === null ? null : JSON.stringify(fix.verification),
      fix.resolves,
    ],
  );
}

/** Deletes a fix of a project. */
export const removeFix = inTransaction.run<[projectId: string, fixId: string]>(
  'fix-delete',
  'delete from incident_fixes where project_id = $1 and fix_id = $2',
);

function noteOf(row: NoteRow): Note {
  return {
    note_id: row.note_id,
    ...authorOf(row),
    body: row.body,
    mentions: row.mentions,
    created_at: isoTime(row.created_at),
    edited_at: row.edited_at === null ? null : isoTime(row.edited_at),
    deleted_at: row.deleted_at === null ? null : isoTime(row.deleted_at),
  };
}

function fixOf(row: FixRow): Fix {
  return {
    fix_id: row.fix_id,
    ...authorOf(row),
    url: row.url,
    commit_sha: row.commit_sha,
    release: row.release,
    summary: row.summary,
    verification: row.verification,
    resolves: row.resolves,
    deployed_in: row.deployed_in,
    deployed_at: row.deployed_at === null ? null : isoTime(row.deployed_at),
    created_at: isoTime(row.created_at),
  };
}

function authorOf(row: AuthorRow): Pick<Note, 'incident_id' | 'author' | 'via' | 'token_label'> {
  const { user_id: id, name, email } = row;
  return {
    incident_id: prefixedId('inc', row.incident_id),
    author: id === null || name === null || email === null ? null : { user_id: id, name, email },
    via: row.via,
    token_label: row.token_label,
  };
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
