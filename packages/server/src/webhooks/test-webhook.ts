import type { BodyOf } from '@culprit/contract/endpoint';
import type { testWebhook as endpoint, WebhookDelivery } from '@culprit/contract/webhooks';
import { recordAudit } from '../audit/record-audit.ts';
import { takeAllowance } from '../billing/take-allowance.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { newUuid } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { insertTestDelivery } from './deliveries.queries.ts';
import { lockWebhook } from './receiving-webhooks.queries.ts';
import { requireWebhook } from './require-webhook.ts';
import { testBody } from './webhook-payload.ts';
import type { WebhooksRoom } from './webhooks.routes.ts';

/**
 * Queues a test delivery, whatever the webhook subscribes to (notifications.md 3.7). It takes one of the allowance.
 * @throws Problem `invalid_payload` for two different names of the event, `webhook_not_found`,
 * `shared_access_suspended`, `monthly_quota_exceeded`
 */
export async function testWebhook(
  { database, plans }: WebhooksRoom,
  member: Member,
  id: string,
  { event_type, event: alias }: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<WebhookDelivery> {
  if (event_type !== undefined && alias !== undefined && event_type !== alias) {
    throw new Problem('invalid_payload');
  }
  const event = event_type ?? alias ?? 'verification.passed';
  const access = await requireWebhook(database, plans, member, id);
  const { webhookId, projectId, organizationId } = access;
  const delivery = await database.transaction(async (transaction) => {
    if (!(await lockWebhook(transaction, webhookId))) throw new Problem('webhook_not_found');
    const [clock] = await transaction.query<{ now: number }>({
      name: 'clock',
      text: 'select culprit_now() as now',
    });
    const createdAtMs = clock?.now ?? Date.now();
    const deliveryId = newUuid();
    const made = await insertTestDelivery(transaction, {
      deliveryId,
      webhookId,
      projectId,
      eventType: event,
      body: testBody({ event, deliveryId, webhookId, projectId, occurredAtMs: createdAtMs }),
      createdAtMs,
    });
    // Last, because the counter is shared by the whole organization.
    const allowance = await takeAllowance(transaction, plans, organizationId, 'monthly_webhook_deliveries');
    if (!allowance.granted) {
      throw new Problem('monthly_quota_exceeded', { retryAfterSeconds: allowance.retryAfterSeconds });
    }
    return made;
  });
  await recordAudit(database, request, {
    ...access,
    action: 'webhook.tested',
    actorUserId: member.userId,
    subject: `webhook:${delivery.webhook_id}`,
    data: { delivery_id: delivery.delivery_id, event },
  });
  return delivery;
}
