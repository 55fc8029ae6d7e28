import type { updateWebhook as endpoint, Webhook } from '@culprit/contract/alerts/webhooks';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { Problem } from '../../platform/http/binding/problem.ts';
import { requireTarget } from '../../platform/outbound/require-target.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { disableWaiting } from './deliveries.queries.ts';
import { orderedEvents, setFilters } from './webhook.ts';
import { updateWebhookRow, type WebhookChange } from './webhooks.queries.ts';

/**
 * Returns the changes to a webhook.
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function checkWebhookChange(
  { outbound }: Runtime,
  { body }: { body: BodyOf<typeof endpoint> },
): WebhookChange {
  return {
    url: body.url === undefined ? null : requireTarget(outbound, body.url, '/url'),
    events: body.events === undefined ? null : orderedEvents(body.events),
    filters: body.filters === undefined ? null : setFilters(body.filters),
    isEnabled: body.is_enabled ?? null,
  };
}

/**
 * Changes a webhook (docs/contract/notifications.md 3.5). Deliveries that wait go to a new address; disabling ends
 * them.
 * @throws Problem `webhook_not_found` when it was deleted
 */
export async function updateWebhook(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint, WebhookChange>,
): Promise<Webhook> {
  const { access, caller, body, checked: change } = request;
  const { projectId, recordId: webhookId } = access;
  const webhook = await database.transaction(async (transaction) => {
    const updated = await updateWebhookRow(transaction, projectId, webhookId, change);
    if (updated === null) throw new Problem('webhook_not_found');
    if (updated.isStopped) await disableWaiting(transaction, webhookId, 'webhook_disabled');
    return updated.webhook;
  });
  await recordAudit(database, request, {
    ...access,
    action: 'webhook.updated',
    actorUserId: caller.userId,
    subject: `webhook:${webhook.webhook_id}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return webhook;
}
