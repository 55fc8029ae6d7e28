import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { AlertChannels, alertParams } from './alerts.ts';

const DeliveryStatus = Type.Enum(['pending', 'retrying', 'delivered', 'failed']);

/** A transition that a rule matched, on its way (docs/contract/notifications.md 1.11). */
export const AlertDelivery = Named('AlertDelivery', {
  alert_delivery_id: AnswerId(null),
  alert_id: AnswerId('alt'),
  project_id: AnswerId('proj'),
  incident_id: Nullable(AnswerId('inc')),
  dedupe_key: Type.String(),
  notification_key: Type.String(),
  channel: AlertChannels,
  status: DeliveryStatus,
  attempt_count: Type.Integer({ minimum: 0 }),
  next_attempt_at: Nullable(Timestamp),
  last_attempted_at: Nullable(Timestamp),
  last_response_code: Nullable(Type.Integer()),
  last_error: Nullable(Type.String()),
  created_at: Timestamp,
  delivered_at: Nullable(Timestamp),
});
export type AlertDelivery = Static<typeof AlertDelivery>;

export const listAlertDeliveries = defineEndpoint({
  id: 'listAlertDeliveries',
  method: 'GET',
  path: '/v1/alerts/:id/deliveries',
  summary: 'List the deliveries of an alert rule of the last 30 days, newest first',
  scope: { of: 'record', kind: 'alert', id: 'params.id' },
  params: alertParams,
  query: Closed(pageQuery),
  responses: {
    200: Closed({ deliveries: Type.Array(AlertDelivery), next_cursor: NextCursor }),
  },
});

export const testAlert = defineEndpoint({
  id: 'testAlert',
  method: 'POST',
  path: '/v1/alerts/:id/test',
  summary: 'Send a test message over the channel of an alert rule; it counts toward the allowance',
  scope: { of: 'record', kind: 'alert', id: 'params.id' },
  params: alertParams,
  body: 'none',
  conditions: ['Testing a rule that is disabled or has no `config` fails with `alert_disabled`.'],
  responses: { 200: Closed({ delivery: AlertDelivery }) },
  errors: ['rate_limited', 'monthly_quota_exceeded'],
});
