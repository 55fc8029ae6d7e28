import * as webhooks from '@culprit/contract/alerts/webhooks';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
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
    .answers((request) => listWebhooks(runtime, request));
  binder
    .bind(webhooks.createWebhook)
    .checked((request) => checkNewWebhook(runtime, request))
    .answers((request) => createWebhook(runtime, request));
  binder.bind(webhooks.getWebhook).answers(({ access }) => getWebhook(runtime, access));
  binder
    .bind(webhooks.updateWebhook)
    .checked((request) => checkWebhookChange(runtime, request))
    .answers((request) => updateWebhook(runtime, request));
  binder.bind(webhooks.deleteWebhook).answers((request) => deleteWebhook(runtime, request));
  binder
    .bind(webhooks.testWebhook)
    .checked(checkTestEvent)
    .answers((request) => testWebhook(runtime, request));
  binder
    .bind(webhooks.listWebhookDeliveries)
    .checked(checkDeliveriesPage)
    .answers((request) => listDeliveries(runtime, request));
  binder.bind(webhooks.retryWebhookDelivery).answers((request) => retryDelivery(runtime, request));
  binder.bind(webhooks.getWebhookDelivery).answers((request) => getDelivery(runtime, request));
  binder.bind(webhooks.rotateWebhookSecret).answers((request) => rotateSecret(runtime, request));
}
