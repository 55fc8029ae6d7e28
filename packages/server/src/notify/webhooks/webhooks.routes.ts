import * as webhooks from '@culprit/contract/webhooks';
import type { Binder } from '../../platform/http/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../../workspace/access/api-callers.ts';
import { checkNewWebhook, createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getDelivery } from './get-delivery.ts';
import { getWebhook } from './get-webhook.ts';
import { checkDeliveriesPage, listDeliveries } from './list-deliveries.ts';
import { checkWebhooksPage, listWebhooks } from './list-webhooks.ts';
import { retryDelivery } from './retry-delivery.ts';
import { rotateSecret } from './rotate-secret.ts';
import { checkTestEvent, testWebhook } from './test-webhook.ts';
import { checkWebhookChange, updateWebhook } from './update-webhook.ts';

/** Webhooks of projects and their deliveries. */
export function bindWebhookRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(webhooks.listWebhooks)
    .checked(checkWebhooksPage)
    .to(async (request) => ({ status: 200, body: await listWebhooks(runtime, request) }));
  binder
    .bind(webhooks.createWebhook)
    .checked((request) => checkNewWebhook(runtime, request))
    .to(async (request) => ({ status: 201, body: await createWebhook(runtime, request) }));
  binder.bind(webhooks.getWebhook).to(async ({ access }) => ({
    status: 200,
    body: { webhook: await getWebhook(runtime, access) },
  }));
  binder
    .bind(webhooks.updateWebhook)
    .checked((request) => checkWebhookChange(runtime, request))
    .to(async (request) => ({ status: 200, body: { webhook: await updateWebhook(runtime, request) } }));
  binder.bind(webhooks.deleteWebhook).to(async (request) => {
    await deleteWebhook(runtime, request);
    return { status: 204 };
  });
  binder
    .bind(webhooks.testWebhook)
    .checked(checkTestEvent)
    .to(async (request) => ({ status: 200, body: { delivery: await testWebhook(runtime, request) } }));
  binder
    .bind(webhooks.listWebhookDeliveries)
    .checked(checkDeliveriesPage)
    .to(async (request) => ({ status: 200, body: await listDeliveries(runtime, request) }));
  binder.bind(webhooks.retryWebhookDelivery).to(async (request) => ({
    status: 200,
    body: await retryDelivery(runtime, request),
  }));
  binder.bind(webhooks.getWebhookDelivery).to(async (request) => ({
    status: 200,
    body: await getDelivery(runtime, request),
  }));
  binder.bind(webhooks.rotateWebhookSecret).to(async (request) => ({
    status: 200,
    body: await rotateSecret(runtime, request),
  }));
}
