import Type, { type Static } from 'typebox';
import { defineEndpoint } from './endpoint.ts';

/** Why an instance takes no traffic (account.md 8). */
export const ReadinessFailure = Type.Enum([
  'db_unreachable',
  'db_schema_outdated',
  'object_store_unreachable',
  'queue_unreachable',
  'shutting_down',
]);
export type ReadinessFailure = Static<typeof ReadinessFailure>;

export const getHealth = defineEndpoint({
  id: 'getHealth',
  method: 'GET',
  path: '/health',
  summary: 'Name the running release and how long it has been up',
  auth: 'public',
  group: 'health',
  responses: {
    200: Type.Object(
      {
        status: Type.Literal('ok'),
        version: Type.String(),
        uptime: Type.Integer({ minimum: 0, description: 'Seconds since the start of the process' }),
      },
      { additionalProperties: false },
    ),
  },
  errors: ['invalid_query'],
});

export const getLive = defineEndpoint({
  id: 'getLive',
  method: 'GET',
  path: '/live',
  summary: 'Tell whether the process runs; depends on nothing else',
  auth: 'public',
  group: 'health',
  responses: { 200: Type.Object({ status: Type.Literal('live') }, { additionalProperties: false }) },
  errors: ['invalid_query'],
});

export const getReady = defineEndpoint({
  id: 'getReady',
  method: 'GET',
  path: '/ready',
  summary: 'Tell whether the instance should receive traffic',
  auth: 'public',
  group: 'health',
  responses: {
    200: Type.Object({ status: Type.Literal('ready') }, { additionalProperties: false }),
    503: Type.Object(
      { status: Type.Literal('not_ready'), reason: ReadinessFailure },
      { additionalProperties: false },
    ),
  },
  errors: ['invalid_query'],
});
