import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { NOTE_LENGTH_MAX, NOTES_MAX } from './triage-words.ts';

/** The author of a text, and the way by which it was written. */
export const authorFields = {
  author: Nullable(
    Closed(
      { user_id: AnswerId(null), name: Type.String(), email: Type.String() },
      { description: 'Null: the account is deleted, or a comment of a ticket' },
    ),
  ),
  via: Type.String({
    description: '`dashboard`, `api`, `cli`, `mcp`, or `tracker` for a comment of a ticket',
  }),
  token_label: Nullable(Type.String({ description: 'Label of the member token at the time' })),
};

export const Mention = Named('Mention', {
  kind: Type.Enum(['user', 'team']),
  id: AnswerId(null),
  offset: Type.Integer({ minimum: 0, description: 'Position of `@` in the body, in UTF-16 units' }),
  length: Type.Integer({ minimum: 1 }),
});
export type Mention = Static<typeof Mention>;

/** A note about an incident (docs/contract/team-workflow.md 4). */
export const Note = Named('Note', {
  note_id: AnswerId(null),
  incident_id: AnswerId('inc'),
  ...authorFields,
  body: Nullable(Type.String({ description: 'Text as written; null when the note was deleted' })),
  mentions: Type.Array(Mention),
  created_at: Timestamp,
  edited_at: Nullable(Timestamp),
  deleted_at: Nullable(Timestamp),
});
export type Note = Static<typeof Note>;

const noteParams = Closed({ id: PathId('incident'), noteId: PathId('note') });
const NoteBody = Closed({
  body: Type.String({
    minLength: 1,
    maxLength: NOTE_LENGTH_MAX,
    pattern: '\\S',
    description: 'Plain text; `@handle` mentions a person or a team of the project',
  }),
});
const noteAnswer = Closed({ note: Note });

export const listNotes = defineEndpoint({
  id: 'listNotes',
  method: 'GET',
  path: '/v1/incidents/:id/notes',
  summary: 'List the notes on an incident, oldest first',
  ...OF_INCIDENT,
  query: Closed({ ...pageQuery }),
  responses: {
    200: Closed({ notes: Type.Array(Note), next_cursor: NextCursor }),
  },
});

export const createNote = defineEndpoint({
  id: 'createNote',
  method: 'POST',
  path: '/v1/incidents/:id/notes',
  summary: 'Add a note to an incident',
  ...OF_INCIDENT,
  isRepeatable: true,
  body: NoteBody,
  conditions: [`An incident has at most ${NOTES_MAX} notes.`],
  responses: { 201: noteAnswer },
  errors: ['resource_limit_reached', 'rate_limited'],
});

export const updateNote = defineEndpoint({
  id: 'updateNote',
  method: 'PATCH',
  path: '/v1/incidents/:id/notes/:noteId',
  summary: 'Change a note of the caller',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params: noteParams,
  body: NoteBody,
  responses: { 200: noteAnswer },
  errors: ['note_not_found'],
});

export const deleteNote = defineEndpoint({
  id: 'deleteNote',
  method: 'DELETE',
  path: '/v1/incidents/:id/notes/:noteId',
  summary: 'Delete a note; admins can delete those of others',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params: noteParams,
  body: 'none',
  responses: { 200: noteAnswer },
  errors: ['note_not_found'],
});
