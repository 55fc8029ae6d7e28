import Type, { type Static } from 'typebox';
import { LINK_STATES } from '../alerts/tracker-words.ts';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { Severity } from './incidents.ts';
import { INCIDENT_LIFECYCLE_KINDS } from './lifecycle-kinds.ts';
import { PRIORITY_LEVELS } from './triage-words.ts';

/** One entry of an incident's history (docs/contract/server-additions.md S5). */
export const HistoryEntry = Named('HistoryEntry', {
  id: Type.String({ description: 'Grows with the history of the project' }),
  kind: Type.Enum([...INCIDENT_LIFECYCLE_KINDS]),
  occurred_at: Timestamp,
  actor: Nullable(
    Closed(
      {
        user_id: AnswerId(null),
        name: Type.String({ description: 'The handle, if the person has no name' }),
        email: Type.String(),
      },
      {
        description: 'Person; null for actions of the service and of deleted accounts',
      },
    ),
  ),
  data: Closed(
    {
      severity_from: Nullable(Severity),
      severity_to: Nullable(Severity),
      deployment_id: Nullable(AnswerId(null)),
      generation: Nullable(Type.Integer({ minimum: 1 })),
      assignee: Nullable(
        Closed({ kind: Type.Enum(['user', 'team']), id: AnswerId(null), name: Type.String() }),
      ),
      priority_from: Nullable(Type.Enum([...PRIORITY_LEVELS])),
      priority_to: Nullable(Type.Enum([...PRIORITY_LEVELS])),
      snoozed_until: Nullable(Timestamp),
      because: Nullable(Type.String({ description: 'Reason why it woke or was resolved' })),
      kept_silent: Nullable(Type.Integer({ minimum: 0 })),
      note_id: Nullable(AnswerId(null)),
      fix_id: Nullable(AnswerId(null)),
      fix: Nullable(
        Closed(
          {
            url: Type.String(),
            commit_sha: Nullable(Type.String()),
            release: Nullable(Type.String()),
            author: Nullable(Type.String({ description: 'Name of its author' })),
          },
          {
            description:
              'The fix of `fix_id`; of a regression the one after which it came back. Null once it is deleted',
          },
        ),
      ),
      link_id: Nullable(AnswerId(null)),
      ticket: Nullable(Type.String({ description: 'Key or address of the ticket or link' })),
      link_state: Nullable(Type.Enum([...LINK_STATES])),
      closed_by: Nullable(
        Type.String({ description: 'Name of the person who closed the ticket, as its tracker has it' }),
      ),
      reason: Nullable(Type.String()),
      release: Nullable(
        Type.String({
          description: 'In which it regressed or was resolved; the earlier one that did not reopen it',
        }),
      ),
      via: Nullable(Type.String({ description: '`dashboard`, `api`, `cli` or `mcp`' })),
    },
    {
      description:
        'Severity at that moment, and before it where it was raised; deploy before a regression or a spike; generation of the bundle; what a person decided. Null unless it applies',
    },
  ),
});
export type HistoryEntry = Static<typeof HistoryEntry>;

/** The facts of an entry that has none. */
export const NO_HISTORY_DATA: HistoryEntry['data'] = {
  severity_from: null,
  severity_to: null,
  deployment_id: null,
  generation: null,
  assignee: null,
  priority_from: null,
  priority_to: null,
  snoozed_until: null,
  because: null,
  kept_silent: null,
  note_id: null,
  fix_id: null,
  fix: null,
  link_id: null,
  ticket: null,
  link_state: null,
  closed_by: null,
  reason: null,
  release: null,
  via: null,
};

export const getIncidentHistory = defineEndpoint({
  id: 'getIncidentHistory',
  method: 'GET',
  path: '/v1/incidents/:id/history',
  summary: 'List the activity of an incident, oldest first',
  ...OF_INCIDENT,
  query: Closed({ ...pageQuery }),
  responses: {
    200: Closed({ history: Type.Array(HistoryEntry), next_cursor: NextCursor }),
  },
});
