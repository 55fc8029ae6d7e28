import type { createNote as createEndpoint, Mention, Note } from '@culprit/contract/incidents/incident-notes';
import { NOTES_MAX } from '@culprit/contract/incidents/triage-words';
import { tellPeople } from '../../../notify/personal/notices.queries.ts';
import { removeNoteText } from '../../../notify/webhooks/lifecycle-facts.queries.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { newUuid, parseId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import { insertLifecycleEvents } from '../../ledger/lifecycle.queries.ts';
import type { Actor } from '../triage/change-triage.ts';
import { findNames } from '../triage/triage.queries.ts';
import { findHandles } from './find-mentions.ts';
import {
  clearNote,
  countNotes,
  findHandlesOf,
  holdRoom,
  insertNote,
  lockNote,
  saveNote,
} from './notes.queries.ts';

const NOTES_PER_MINUTE = 60;
const RETRY_SECONDS = 60;

/**
 * Writes a note with its ledger row in one transaction (docs/contract/team-workflow.md 4). A repeat finds the note.
 * @throws Problem `resource_limit_reached`, `rate_limited`
 */
export async function createNote(
  { database }: Pick<Runtime, 'database'>,
  actor: Actor,
  {
    access: { projectId, recordId: incidentId },
    body: { body },
    repeatId,
  }: Pick<ApiRequest<typeof createEndpoint>, 'access' | 'body' | 'repeatId'>,
): Promise<Note> {
  const noteId = repeatId ?? newUuid();
  return await database.transaction(async (transaction) => {
    await holdRoom(transaction, 'notes', incidentId);
    const before = repeatId === null ? null : await lockNote(transaction, incidentId, noteId);
    if (before !== null) return before.note;
    const { ofIncident, ofMinute } = await countNotes(transaction, incidentId, actor.userId);
    if (ofIncident >= NOTES_MAX) throw new Problem('resource_limit_reached');
    if (ofMinute >= NOTES_PER_MINUTE) throw new Problem('rate_limited', { retryAfterSeconds: RETRY_SECONDS });
    const mentions = await mentionsIn(transaction, projectId, body);
    await insertNote(transaction, { noteId, projectId, incidentId, actor, body, mentions });
    const { userId, via } = actor;
    const author = (await findNames(transaction, [userId])).get(userId)?.name ?? null;
    insertLifecycleEvents(transaction, [
      // The text stays in its row alone, from which it can be deleted.
      {
        projectId,
        incidentId,
        kind: 'incident.noted',
        data: { user_id: userId, via, note_id: noteId, author },
      },
    ]);
    const news = { projectId, incidentId, noteId, actorUserId: userId };
    tellPeople(transaction, [
      { ...news, reason: 'mentioned', ...idsOf(mentions) },
      { ...news, reason: 'watched', toAssignee: true, toWatchers: true },
    ]);
    return await savedNote(transaction, incidentId, noteId);
  });
}

/** Changes the text of a note. @throws Problem `note_not_found`, `forbidden` when it is another person's */
export async function updateNote(
  { database }: Pick<Runtime, 'database'>,
  { userId }: Pick<Actor, 'userId'>,
  access: RecordAccess,
  change: { noteId: string; body: string },
): Promise<Note> {
  const { projectId, recordId: incidentId } = access;
  return await database.transaction(async (transaction) => {
    const { note, authorUserId } = await heldNote(transaction, incidentId, change.noteId);
    if (authorUserId !== userId) throw new Problem('forbidden');
    if (note.body === change.body) return note;
    const mentions = await mentionsIn(transaction, projectId, change.body);
    await saveNote(transaction, note.note_id, change.body, mentions);
    const before = new Set(note.mentions.map(({ id }) => id));
    const added = mentions.filter(({ id }) => !before.has(id));
    const news = { projectId, incidentId, noteId: note.note_id, actorUserId: userId };
    tellPeople(transaction, [{ ...news, reason: 'mentioned', ...idsOf(added) }]);
    return await savedNote(transaction, incidentId, note.note_id);
  });
}

/** Removes the text of a note wherever it is kept; the row stays. @throws Problem `note_not_found`, `forbidden` */
export async function deleteNote(
  { database }: Pick<Runtime, 'database'>,
  { userId }: Pick<Actor, 'userId'>,
  access: RecordAccess,
  id: string,
): Promise<Note> {
  const { projectId, recordId: incidentId, role } = access;
  return await database.transaction(async (transaction) => {
    const { note, authorUserId } = await heldNote(transaction, incidentId, id);
    if (authorUserId !== userId && role === 'member') throw new Problem('forbidden');
    await clearNote(transaction, note.note_id);
    await removeNoteText(transaction, { projectId, incidentId, noteId: note.note_id });
    return await savedNote(transaction, incidentId, note.note_id);
  });
}

/** Returns the users and teams that mentions name. */
function idsOf(mentions: readonly Mention[]): { users: string[]; teams: string[] } {
  const ids = (kind: Mention['kind']) => mentions.filter((each) => each.kind === kind).map(({ id }) => id);
  return { users: ids('user'), teams: ids('team') };
}

async function heldNote(transaction: Transaction, incidentId: string, id: string) {
  const noteId = parseId([], id);
  const held = noteId === null ? null : await lockNote(transaction, incidentId, noteId);
  if (held === null || held.note.deleted_at !== null) throw new Problem('note_not_found');
  return held;
}

async function savedNote(transaction: Transaction, incidentId: string, noteId: string): Promise<Note> {
  const saved = await lockNote(transaction, incidentId, noteId);
  if (saved === null) throw new Error('a note was not written');
  return saved.note;
}

/** Handles of people with access to the project and of teams with such people; others stay text. */
async function mentionsIn(database: Queryable, projectId: string, body: string): Promise<Mention[]> {
  const named = findHandles(body);
  const people = await findHandlesOf(database, projectId, [
    ...new Set(named.flatMap(({ handles }) => handles)),
  ]);
  return named.flatMap(({ handles, offset }) => {
    const handle = handles.find((each) => people.has(each));
    const meant = handle === undefined ? undefined : people.get(handle);
    return handle === undefined || meant === undefined
      ? []
      : [{ ...meant, offset, length: handle.length + 1 }];
  });
}
