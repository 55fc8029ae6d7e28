import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { listNotes as endpoint, Note } from '@culprit/contract/incidents/incident-notes';
import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { invalidCursor } from '../../../platform/http/binding/invalid-query.ts';
import { parseId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { listNoteRows } from './notes.queries.ts';

interface NotesPage {
  after: { createdAtMs: number; noteId: string } | null;
  limit: number;
}

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkNotesPage({ query }: { query: QueryOf<typeof endpoint> }): NotesPage {
  const { limit = PAGE_SIZE_DEFAULT, cursor } = query;
  if (cursor === undefined) return { after: null, limit };
  const decoded = decodeTimeCursor(cursor);
  const noteId = decoded === null ? null : parseId([], decoded.key);
  if (decoded === null || noteId === null) throw invalidCursor();
  return { after: { createdAtMs: decoded.timeMs, noteId }, limit };
}

/** A page of the notes about an incident, oldest first. */
export async function listNotes(
  { database }: Runtime,
  { access, checked: { after, limit } }: ApiRequest<typeof endpoint, NotesPage>,
): Promise<{ notes: Note[]; next_cursor: string | null }> {
  const rows = await listNoteRows(database, access.recordId, { after, limit: limit + 1 });
  const notes = rows.slice(0, limit);
  const last = notes.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return { notes, next_cursor: isEnd ? null : encodeCursor([last.created_at, last.note_id]) };
}
