import Type, { type Static } from 'typebox';
import { Closed } from '../schemas/closed-object.ts';
import { defineEndpoint } from './endpoint.ts';

/** Why an instance takes no traffic (docs/contract/account.md 8). */
export const ReadinessFailure = Type.Enum([
  'db_unreachable',
  'db_schema_outdated',
  'object_store_unreachable',
  'queue_unreachable',
  'worker_starting',
  'shutting_down',
]);
export type ReadinessFailure = Static<typeof ReadinessFailure>;

export const getHealth = defineEndpoint({
  id: 'getHealth',
  method: 'GET',
  path: '/health',
  summary: 'Report the running release and its uptime',
  auth: 'public',
  group: 'health',
  responses: {
    200: Closed({
      status: Type.Literal('ok'),
      version: Type.String(),
      uptime: Type.Integer({ minimum: 0, description: 'Seconds since the start of the process' }),
    }),
  },
  errors: ['invalid_query'],
});

export const getLive = defineEndpoint({
  id: 'getLive',
  method: 'GET',
  path: '/live',
  summary: 'Report whether the process is running; depends on nothing else',
  auth: 'public',
  group: 'health',
  responses: { 200: Closed({ status: Type.Literal('live') }) },
  errors: ['invalid_query'],
});

export const getReady = defineEndpoint({
  id: 'getReady',
  method: 'GET',
  path: '/ready',
  summary: 'Report whether the instance should receive traffic',
  auth: 'public',
  group: 'health',
  responses: {
    200: Closed({ status: Type.Literal('ready') }),
    503: Closed({ status: Type.Literal('not_ready'), reason: ReadinessFailure }),
  },
  errors: ['invalid_query'],
});
