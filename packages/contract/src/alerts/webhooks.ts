import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { SEVERITIES } from '../incidents/severities.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { DELIVERY_ATTEMPTS_MAX } from './delivery-attempts.ts';
import { WEBHOOK_EVENTS } from './webhook-events.ts';

/** The events a test delivery can carry (docs/contract/notifications.md 3.7). */
export const TEST_EVENTS = ['verification.passed', 'verification.failed'] as const;

export const WEBHOOK_URL_LENGTH_MAX = 2000;
const FILTER_NAMES_MAX = 50;
const FILTER_NAME_LENGTH_MAX = 200;

const EventName = Type.Enum([...WEBHOOK_EVENTS]);
export type TestEventName = (typeof TEST_EVENTS)[number];

const FilterNames = Type.Array(Type.String({ minLength: 1, maxLength: FILTER_NAME_LENGTH_MAX }), {
  maxItems: FILTER_NAMES_MAX,
});
const FilterSeverity = Type.Enum([...SEVERITIES]);
const FilterBundleTypes = Type.Array(Type.Enum(['failure', 'improvement']), { maxItems: FILTER_NAMES_MAX });

/** Which events a webhook wants (docs/contract/notifications.md 3.4). All keys that are set must match. */
export const WebhookFilters = Closed(
  {
    environment: Type.Optional(FilterNames),
    service: Type.Optional(FilterNames),
    severity_min: Type.Optional(FilterSeverity),
    bundle_type: Type.Optional(FilterBundleTypes),
    verification: Type.Optional(Type.Boolean({ description: 'false: no events of verification runs' })),
  },
  { title: 'WebhookFilters', description: 'Only the keys that are set' },
);
export type WebhookFilters = Static<typeof WebhookFilters>;

/** The same as a client writes it: null and an empty list are the same as an absent key. */
export const WebhookFilterRequest = Named('WebhookFilterRequest', {
  environment: Type.Optional(Nullable(FilterNames)),
  service: Type.Optional(Nullable(FilterNames)),
  severity_min: Type.Optional(Nullable(FilterSeverity)),
  bundle_type: Type.Optional(Nullable(FilterBundleTypes)),
  verification: Type.Optional(Nullable(Type.Boolean())),
});
export type WebhookFilterRequest = Static<typeof WebhookFilterRequest>;

/** A webhook (docs/contract/notifications.md 3.2). The secret is not part of it. */
export const Webhook = Named('Webhook', {
  webhook_id: AnswerId('whk'),
  project_id: AnswerId('proj'),
  created_by_user_id: AnswerId(null),
  url: Type.String(),
  events: Type.Array(EventName),
  filters: WebhookFilters,
  is_enabled: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Webhook = Static<typeof Webhook>;

const DeliveryStatus = Type.Enum(['pending', 'delivered', 'retrying', 'failed', 'disabled']);
export type DeliveryStatus = Static<typeof DeliveryStatus>;

/** One event on its way to one webhook, over all its attempts (docs/contract/notifications.md 3.8). */
export const WebhookDelivery = Named('WebhookDelivery', {
  delivery_id: AnswerId('del'),
  webhook_id: AnswerId('whk'),
  event_type: EventName,
  status: DeliveryStatus,
  attempt_count: Type.Integer({ description: 'Attempts started since the last manual retry' }),
  next_attempt_at: Nullable(Timestamp),
  last_response_code: Nullable(Type.Integer()),
  last_attempted_at: Nullable(Timestamp),
  last_error: Nullable(
    Type.String({
      description:
        '`http_<status>`, `timeout`, `dns_error`, `tls_error`, `connection_error`, `invalid_response`, `target_blocked`, `webhook_disabled`, `webhook_auto_disabled` or `internal_error`',
    }),
  ),
  created_at: Timestamp,
  delivered_at: Nullable(Timestamp),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const TargetUrl = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_URL_LENGTH_MAX,
  description: 'Absolute address of the receiver; the outbound request policy decides what may be called',
});
const SubscribedEvents = Type.Array(EventName, {
  minItems: 1,
  maxItems: WEBHOOK_EVENTS.length,
  description: 'Duplicates are merged',
});

const webhookParams = Closed({ id: PathId('webhook') });
const webhookAnswer = Closed({ webhook: Webhook });

export const listWebhooks = defineEndpoint({
  id: 'listWebhooks',
  method: 'GET',
  path: '/v1/webhooks',
  summary: 'List webhooks, newest first',
  scope: { of: 'projects', id: 'query.project_id' },
  query: Closed({
    project_id: Type.Optional(RequestId('Only this project; without it, every project the caller sees')),
    ...pageQuery,
  }),
  responses: {
    200: Closed({ webhooks: Type.Array(Webhook), next_cursor: NextCursor }),
  },
});

export const createWebhook = defineEndpoint({
  id: 'createWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Create a webhook; the secret that signs its deliveries is only in this response',
  scope: { of: 'project', id: 'body.project_id' },
  body: Closed({
    project_id: RequestId('The project whose events are delivered'),
    url: TargetUrl,
    events: SubscribedEvents,
    filters: Type.Optional(WebhookFilterRequest),
    is_enabled: Type.Optional(Type.Boolean({ default: true })),
  }),
  responses: {
    201: Closed({
      webhook: Webhook,
      signing_secret: Type.String({ description: 'Only in this response' }),
    }),
  },
  errors: ['blocked_target', 'resource_limit_reached'],
});

export const getWebhook = defineEndpoint({
  id: 'getWebhook',
  method: 'GET',
  path: '/v1/webhooks/:id',
  summary: 'Get a webhook',
  scope: { of: 'record', kind: 'webhook', id: 'params.id' },
  params: webhookParams,
  responses: { 200: webhookAnswer },
});

export const updateWebhook = defineEndpoint({
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/v1/webhooks/:id',
  summary: 'Change a webhook; events and filters are replaced as a whole',
  scope: { of: 'record', kind: 'webhook', id: 'params.id' },
  params: webhookParams,
  body: Closed(
    {
      url: Type.Optional(TargetUrl),
      events: Type.Optional(SubscribedEvents),
      filters: Type.Optional(Nullable(WebhookFilterRequest)),
      is_enabled: Type.Optional(Type.Boolean()),
    },
    { minProperties: 1 },
  ),
  responses: { 200: webhookAnswer },
  errors: ['blocked_target'],
});

export const deleteWebhook = defineEndpoint({
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  summary: 'Delete a webhook with its deliveries',
  scope: { of: 'record', kind: 'webhook', id: 'params.id' },
  params: webhookParams,
  body: 'none',
  responses: { 204: 'empty' },
});

export const testWebhook = defineEndpoint({
  id: 'testWebhook',
  method: 'POST',
  path: '/v1/webhooks/:id/test',
  summary: 'Send a test delivery, whatever the webhook subscribes to and even while it is disabled',
  scope: { of: 'record', kind: 'webhook', id: 'params.id' },
  params: webhookParams,
  body: Closed({
    event_type: Type.Optional(Type.Enum([...TEST_EVENTS], { default: 'verification.passed' })),
    event: Type.Optional(Type.Enum([...TEST_EVENTS], { description: 'The same as `event_type`' })),
  }),
  isBodyOptional: true,
  conditions: ['`event_type` and `event`, if both are sent, are the same.'],
  responses: { 200: Closed({ delivery: WebhookDelivery }) },
  errors: ['monthly_quota_exceeded'],
});

export const listWebhookDeliveries = defineEndpoint({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/v1/webhooks/:id/deliveries',
  summary: 'List the deliveries of a webhook of the last 30 days, newest first',
  scope: { of: 'record', kind: 'webhook', id: 'params.id' },
  params: webhookParams,
  query: Closed({
    project_id: Type.Optional(RequestId("The webhook's project; any other answers `webhook_not_found`")),
    status: Type.Optional({ ...DeliveryStatus, description: 'Only deliveries with this status' }),
    ...pageQuery,
  }),
  responses: {
    200: Closed({ deliveries: Type.Array(WebhookDelivery), next_cursor: NextCursor }),
  },
});

export const retryWebhookDelivery = defineEndpoint({
  id: 'retryWebhookDelivery',
  method: 'POST',
  path: '/v1/webhooks/:id/deliveries/:did/retry',
  summary: 'Send a delivery again immediately, with the same body and id, whatever its state',
  scope: { of: 'record', kind: 'webhook', id: 'params.id' },
  params: Closed({ id: PathId('webhook'), did: PathId('delivery') }),
  body: 'none',
  responses: { 200: WebhookDelivery },
  errors: ['delivery_not_found'],
});

const DeliveryAttempt = Named('DeliveryAttempt', {
  started_at: Timestamp,
  duration_ms: Type.Integer({ minimum: 0 }),
  response_code: Nullable(Type.Integer()),
  error: Nullable(Type.String({ description: 'As `last_error`; null: it was delivered' })),
});
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

/** All of a delivery (docs/contract/server-additions.md S15). */
export const WebhookDeliveryDetail = Closed({
  delivery: WebhookDelivery,
  body: Type.String({ description: 'The bytes that every attempt sends' }),
  headers: Type.Record(Type.String(), Type.String(), {
    description:
      'Those of the latest attempt, or of the first one to come. The signatures use the current secret.',
  }),
  attempts: Type.Array(DeliveryAttempt, {
    maxItems: DELIVERY_ATTEMPTS_MAX,
    description: 'The latest, oldest first',
  }),
});
export type WebhookDeliveryDetail = Static<typeof WebhookDeliveryDetail>;

export const getWebhookDelivery = defineEndpoint({
  id: 'getWebhookDelivery',
  method: 'GET',
  path: '/v1/webhooks/:id/deliveries/:did',
  summary: 'Get a delivery with its body, headers and attempts',
  scope: { of: 'record', kind: 'webhook', id: 'params.id' },
  params: Closed({ id: PathId('webhook'), did: PathId('delivery') }),
  responses: { 200: WebhookDeliveryDetail },
  errors: ['delivery_not_found'],
});

export const rotateWebhookSecret = defineEndpoint({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/webhooks/:id/rotate-secret',
  summary:
    'Give a webhook a new signing secret, which is only in this response; the old one expires immediately',
  scope: { of: 'record', kind: 'webhook', id: 'params.id' },
  params: webhookParams,
  body: 'none',
  responses: {
    200: Closed({ webhook: Webhook, signing_secret: Type.String({ description: 'Only in this response' }) }),
  },
});
