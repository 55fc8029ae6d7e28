import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { CURSOR_LENGTH_MAX } from '../schemas/pagination.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { eventTypes } from './event-fields.ts';

export const TAIL_EVENTS_MAX = 200;
export const TAIL_MINUTES = 15;
export const TAIL_TEXT_LENGTH_MAX = 500;

const EventTypeWord = Type.Enum([...eventTypes]);
const Level = Type.Enum(['debug', 'info', 'warning', 'error', 'critical', 'fatal']);
const Name = Type.String({ minLength: 1, maxLength: 200 });

/** An event as it was accepted a moment ago (docs/contract/server-additions.md S19). */
export const TailEvent = Named('TailEvent', {
  event_id: Type.String(),
  event_type: EventTypeWord,
  received_at: Timestamp,
  occurred_at: Timestamp,
  service: Type.String(),
  environment: Type.String(),
  level: Nullable(Level),
  text: Type.String({ description: `One line of ${TAIL_TEXT_LENGTH_MAX} characters at most` }),
  incident_id: Nullable(AnswerId('inc')),
  trace_id: Nullable(Type.String()),
});
export type TailEvent = Static<typeof TailEvent>;

const Cursor = Type.String({
  minLength: 1,
  maxLength: CURSOR_LENGTH_MAX,
  description: '`cursor` of the previous answer',
});

export const tailEvents = defineEndpoint({
  id: 'tailEvents',
  method: 'GET',
  path: '/v1/projects/:id/tail',
  summary: 'Read the newest events of a project as they were accepted, redacted',
  ...OF_PROJECT,
  query: Closed({
    after: Type.Optional(Cursor),
    type: Type.Optional(EventTypeWord),
    level: Type.Optional({ ...Level, description: 'Minimum level; excludes events without one' }),
    service: Type.Optional(Name),
    environment: Type.Optional(Name),
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Part of the text, in any case' }),
    ),
  }),
  conditions: [
    `Events of the last ${TAIL_MINUTES} minutes, ${TAIL_EVENTS_MAX} at most; older or larger ones are not listed.`,
    'An event can be there before it is processed, and then has no incident yet.',
  ],
  responses: {
    200: Closed({ events: Type.Array(TailEvent, { description: 'Newest first' }), cursor: Type.String() }),
  },
});

/** The data that a probe captured (docs/contract/server-additions.md S16). */
export const ProbeResult = Named('ProbeResult', {
  event_id: Type.String(),
  activation_id: Nullable(Type.String()),
  label: Type.String(),
  data: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true }),
  occurred_at: Timestamp,
  service: Type.String(),
  environment: Type.String(),
  incident_id: Nullable(AnswerId('inc')),
});
export type ProbeResult = Static<typeof ProbeResult>;

export const listProbeResults = defineEndpoint({
  id: 'listProbeResults',
  method: 'GET',
  path: '/v1/projects/:id/probe-results',
  summary: 'List what the probes of a project captured in the last 7 days, newest first',
  ...OF_PROJECT,
  query: Closed({
    activation_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Only results of this activation' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    cursor: Type.Optional(Cursor),
  }),
  conditions: [
    'A page may have fewer results than asked for, or none, and still a `next_cursor`: one request reads a bounded number of events.',
  ],
  responses: {
    200: Closed({ results: Type.Array(ProbeResult), next_cursor: Nullable(Type.String()) }),
  },
});
