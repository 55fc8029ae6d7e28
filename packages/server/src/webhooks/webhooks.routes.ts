import * as webhooks from '@culprit/contract/webhooks';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import type { Secret } from '../platform/secret.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listWebhooks } from './list-webhooks.ts';
import { requireWebhook } from './require-webhook.ts';
import { retryDelivery } from './retry-delivery.ts';
import { testWebhook } from './test-webhook.ts';
import { updateWebhook } from './update-webhook.ts';

export interface WebhooksRoom {
  database: Database;
  plans: PlanSettings;
  /** From `deriveKey(dataKey, 'webhook-secrets')`. */
  secretKey: Secret<Buffer>;
  outbound: OutboundPolicy;
}

/** Webhooks of projects and their deliveries. */
export function bindWebhookRoutes<C extends Callers & { member: Member }>(
  binder: Binder<C>,
  room: WebhooksRoom,
): void {
  binder.bind(webhooks.listWebhooks).to(async ({ caller, query }) => ({
    status: 200,
    body: await listWebhooks(room, caller, query),
  }));
  binder.bind(webhooks.createWebhook).to(async (context) => ({
    status: 201,
    body: await createWebhook(room, context.caller, context.body, context),
  }));
  binder.bind(webhooks.getWebhook).to(async ({ caller, params }) => {
    const { webhook } = await requireWebhook(room.database, room.plans, caller, params.id);
    return { status: 200, body: { webhook } };
  });
  binder.bind(webhooks.updateWebhook).to(async (context) => {
    const { caller, params, body } = context;
    return { status: 200, body: { webhook: await updateWebhook(room, caller, params.id, body, context) } };
  });
  binder.bind(webhooks.deleteWebhook).to(async (context) => {
    await deleteWebhook(room, context.caller, context.params.id, context);
    return { status: 204 };
  });
  binder.bind(webhooks.testWebhook).to(async (context) => {
    const { caller, params, body } = context;
    return { status: 200, body: { delivery: await testWebhook(room, caller, params.id, body, context) } };
  });
  binder.bind(webhooks.listWebhookDeliveries).to(async ({ caller, params, query }) => ({
    status: 200,
    body: await listDeliveries(room, caller, params.id, query),
  }));
  binder.bind(webhooks.retryWebhookDelivery).to(async (context) => {
    const { caller, params } = context;
    const ids = { webhookId: params.id, deliveryId: params.did };
    return { status: 200, body: await retryDelivery(room, caller, ids, context) };
  });
}
