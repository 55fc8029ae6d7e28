import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { OpenMap } from '../schemas/open-json.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { StackBlock, SymbolicationBlock } from './bundle-stack.ts';
import { LogLevel } from './logs.ts';

const NullableString = Nullable(Type.String());

/** One event attached to an incident, with what it says (docs/contract/server-additions.md S7). */
export const EventDetail = Named('EventDetail', {
  event_id: Type.String(),
  event_type: Type.String(),
  occurred_at: Timestamp,
  received_at: Timestamp,
  is_sampled: Type.Boolean({ description: 'Whether the bundle keeps it as one of its occurrences' }),
  service: Type.String(),
  environment: Type.String(),
  sdk: Closed({ name: Type.String(), version: Type.String() }),
  correlation: Closed({ trace_id: NullableString, request_id: NullableString, session_id: NullableString }),
  level: Nullable(LogLevel),
  payload: OpenMap,
  context: OpenMap,
  stack: Type.Optional(StackBlock),
  symbolication: Type.Optional(SymbolicationBlock),
});
export type EventDetail = Static<typeof EventDetail>;

export const EventAnswer = Named('EventAnswer', {
  event: EventDetail,
  older_event_id: Nullable(Type.String({ description: 'The next older event of the incident' })),
  newer_event_id: Nullable(Type.String({ description: 'The next newer one' })),
});
export type EventAnswer = Static<typeof EventAnswer>;

export const getIncidentEvent = defineEndpoint({
  id: 'getIncidentEvent',
  method: 'GET',
  path: '/v1/incidents/:id/events/:eventId',
  summary: 'Get one event of an incident with its payload, redacted',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params: Closed({
    id: PathId('incident'),
    eventId: Type.String({ minLength: 1, maxLength: 128, description: 'As the rows of logs name it' }),
  }),
  responses: { 200: EventAnswer },
  errors: ['event_not_found', 'event_expired'],
});
