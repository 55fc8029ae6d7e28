import type {
  testWebhook as endpoint,
  TestEventName,
  WebhookDelivery,
} from '@culprit/contract/alerts/webhooks';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { sql } from '../../platform/db/statement.ts';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { consumeAllowance } from '../../workspace/billing/take-allowance.ts';
import { insertTestDelivery } from './deliveries.queries.ts';
import { lockWebhook } from './receiving-webhooks.queries.ts';
import { testBody } from './webhook-payload.ts';

/** The event that a body asks for. @throws Problem `invalid_payload` for two different names of it */
export function checkTestEvent({
  body: { event_type, event: alias },
}: {
  body: BodyOf<typeof endpoint>;
}): TestEventName {
  if (event_type !== undefined && alias !== undefined && event_type !== alias) {
    throw invalidPayload('/event', 'names another event than event_type');
  }
  return event_type ?? alias ?? 'verification.passed';
}

/**
 * Queues a test delivery, whatever the webhook subscribes to (docs/contract/notifications.md 3.7). It takes one of the
 * allowance.
 * @throws Problem `webhook_not_found` when it was deleted, `monthly_quota_exceeded`
 */
export async function testWebhook(
  { database, plans }: Runtime,
  request: ApiRequest<typeof endpoint, TestEventName>,
): Promise<WebhookDelivery> {
  const { access, caller, checked: event } = request;
  const { projectId, organizationId, recordId: webhookId } = access;
  const delivery = await database.transaction(async (transaction) => {
    if (!(await lockWebhook(transaction, webhookId))) throw new Problem('webhook_not_found');
    const [clock] = await transaction.query<{ now: number }>(sql('clock')`select culprit_now() as now`);
    const createdAtMs = clock?.now ?? Date.now();
    const deliveryId = newUuid();
    const created = await insertTestDelivery(transaction, {
      deliveryId,
      webhookId,
      projectId,
      eventType: event,
      body: testBody({ event, deliveryId, webhookId, projectId, occurredAtMs: createdAtMs }),
      createdAtMs,
    });
    // Last, because the counter is shared by the whole organization.
    const allowance = await consumeAllowance(
      transaction,
      plans,
      organizationId,
      'monthly_webhook_deliveries',
    );
    if (!allowance.granted) {
      throw new Problem('monthly_quota_exceeded', { retryAfterSeconds: allowance.retryAfterSeconds });
    }
    return created;
  });
  await recordAudit(database, request, {
    ...access,
    action: 'webhook.tested',
    actorUserId: caller.userId,
    subject: `webhook:${delivery.webhook_id}`,
    data: { delivery_id: delivery.delivery_id, event },
  });
  return delivery;
}
