import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { NOTE_LENGTH_MAX, NOTES_MAX } from './triage-words.ts';

/** The author of a text, and the way by which it was written. */
export const authorFields = {
  author: Nullable(
    Type.Object(
      { user_id: AnswerId(null), name: Type.String(), email: Type.String() },
      { additionalProperties: false, description: 'Null: the account is deleted, or a comment of a ticket' },
    ),
  ),
  via: Type.String({
    description: '`dashboard`, `api`, `cli`, `mcp`, or `tracker` for a comment of a ticket',
  }),
  token_label: Nullable(Type.String({ description: 'Label of the member token at the time' })),
};

export const Mention = Type.Object(
  {
    kind: Type.Enum(['user', 'team']),
    id: AnswerId(null),
    offset: Type.Integer({ minimum: 0, description: 'Position of `@` in the body, in UTF-16 units' }),
    length: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false, title: 'Mention' },
);
export type Mention = Static<typeof Mention>;

/** A note about an incident (docs/contract/team-workflow.md 4). */
export const Note = Type.Object(
  {
    note_id: AnswerId(null),
    incident_id: AnswerId('inc'),
    ...authorFields,
    body: Nullable(Type.String({ description: 'Text as written; null when the note was deleted' })),
    mentions: Type.Array(Mention),
    created_at: Timestamp,
    edited_at: Nullable(Timestamp),
    deleted_at: Nullable(Timestamp),
  },
  { additionalProperties: false, title: 'Note' },
);
export type Note = Static<typeof Note>;

const incidentParams = Type.Object({ id: PathId('incident') }, { additionalProperties: false });
const noteParams = Type.Object(
  { id: PathId('incident'), noteId: PathId('note') },
  { additionalProperties: false },
);
const NoteBody = Type.Object(
  {
    body: Type.String({
      minLength: 1,
      maxLength: NOTE_LENGTH_MAX,
      pattern: '\\S',
      description: 'Plain text; `@handle` mentions a person or a team of the project',
    }),
  },
  { additionalProperties: false },
);
const noteAnswer = Type.Object({ note: Note }, { additionalProperties: false });

export const listNotes = defineEndpoint({
  id: 'listNotes',
  method: 'GET',
  path: '/v1/incidents/:id/notes',
  summary: 'List the notes on an incident, oldest first',
  auth: 'member',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params: incidentParams,
  query: Type.Object({ ...pageQuery }, { additionalProperties: false }),
  responses: {
    200: Type.Object({ notes: Type.Array(Note), next_cursor: NextCursor }, { additionalProperties: false }),
  },
});

export const createNote = defineEndpoint({
  id: 'createNote',
  method: 'POST',
  path: '/v1/incidents/:id/notes',
  summary: 'Add a note to an incident',
  auth: 'member',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  isRepeatable: true,
  params: incidentParams,
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
  auth: 'member',
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
  auth: 'member',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params: noteParams,
  body: 'none',
  responses: { 200: noteAnswer },
  errors: ['note_not_found'],
});
