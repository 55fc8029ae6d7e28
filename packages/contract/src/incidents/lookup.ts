import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

export const LOOKUP_MATCHES_MAX = 20;

/** The record that an id names (docs/contract/server-additions.md S8). */
export const LookupMatch = Named('LookupMatch', {
  kind: Type.Enum(['incident', 'bundle', 'improvement', 'event', 'trace', 'request', 'session']),
  incident_id: Nullable(AnswerId('inc')),
  improvement_id: Nullable(AnswerId('bun')),
  event_id: Nullable(Type.String()),
  occurred_at: Timestamp,
});
export type LookupMatch = Static<typeof LookupMatch>;

export const LookupAnswer = Named('LookupAnswer', {
  matches: Type.Array(LookupMatch, {
    maxItems: LOOKUP_MATCHES_MAX,
    description:
      'Newest first. An event, trace, request or session is listed once for each incident that has it, or once with null if none has',
  }),
});
export type LookupAnswer = Static<typeof LookupAnswer>;

export const lookUpId = defineEndpoint({
  id: 'lookUpId',
  method: 'GET',
  path: '/v1/lookup',
  summary: 'Find an incident, bundle, improvement, event, trace, request or session by its id',
  scope: { of: 'projects', id: 'query.project_id' },
  query: Closed({
    id: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Id from an application or this API; event ids are kept for seven days',
    }),
    project_id: Type.Optional(RequestId('Only this project')),
  }),
  responses: { 200: LookupAnswer },
});
