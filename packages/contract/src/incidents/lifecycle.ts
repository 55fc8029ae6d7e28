import Type, { type Static } from 'typebox';
import { WEBHOOK_EVENTS } from '../alerts/webhook-events.ts';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { CURSOR_LENGTH_MAX } from '../schemas/pagination.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { LIFECYCLE_KINDS } from './lifecycle-kinds.ts';
import { SEVERITIES } from './severities.ts';

const LIFECYCLE_WAIT_SECONDS_MAX = 25;
/** The days for which a cursor of the feed can be used. */
export const LIFECYCLE_CURSOR_DAYS = 30;

/** Something that happened to an incident, a bundle or an improvement, with what its subject says now. */
export const LifecycleRecord = Named('LifecycleRecord', {
  lifecycle_id: Type.String({ description: 'The same for each time that the record is returned' }),
  kind: Type.Enum([...LIFECYCLE_KINDS]),
  recorded_at: Timestamp,
  project_id: AnswerId('proj'),
  incident_id: Nullable(AnswerId('inc')),
  improvement_id: Nullable(AnswerId(null)),
  bundle_id: Nullable(AnswerId('bun')),
  title: Type.String(),
  severity: Type.Enum([...SEVERITIES]),
  status: Type.String({ description: 'Id of the incident or improvement' }),
  environment: Type.String(),
  service_name: Type.String(),
  occurrence_count: Nullable(Type.Integer({ minimum: 0, description: 'Null for improvements' })),
  webhook: Nullable(
    Closed({
      event: Type.Enum([...WEBHOOK_EVENTS]),
      body: Type.String({ description: 'Payload of a delivery of the event' }),
    }),
  ),
});
export type LifecycleRecord = Static<typeof LifecycleRecord>;

export const listLifecycle = defineEndpoint({
  id: 'listLifecycle',
  method: 'GET',
  path: '/v1/lifecycle',
  summary: 'Follow what happens to incidents, bundles and improvements, in order and without gaps',
  scope: { of: 'projects', id: 'query.project_id' },
  query: Closed({
    project_id: Type.Optional(RequestId('Absent: all visible projects')),
    kinds: Type.Optional(
      Type.String({ maxLength: 400, pattern: '^[a-z_.,]+$', description: 'Kinds, separated by commas' }),
    ),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: CURSOR_LENGTH_MAX,
        description: '`next_cursor` of the previous answer; absent: only the current cursor is returned',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })),
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LIFECYCLE_WAIT_SECONDS_MAX,
        default: 0,
        description: 'How long a response can wait for a record',
      }),
    ),
    webhooks: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1, default: 0, description: '1: with the bodies of webhooks' }),
    ),
  }),
  conditions: [
    'Records come oldest first in the order of their transactions; none is skipped, and each is returned at least once.',
    `A cursor that is older than ${LIFECYCLE_CURSOR_DAYS} days, or of another database, is refused with \`invalid_query\`.`,
    'Too many waiting requests of one person or address are refused with `rate_limited`.',
  ],
  responses: {
    200: Closed({
      lifecycle: Type.Array(LifecycleRecord),
      next_cursor: Type.String({ description: 'Never null: the feed has no end' }),
    }),
  },
  errors: ['rate_limited'],
});
