import type { WebhookDelivery } from '@culprit/contract/webhooks';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { restartDelivery } from './deliveries.queries.ts';
import { requireWebhook } from './require-webhook.ts';
import type { WebhooksRoom } from './webhooks.routes.ts';

/**
 * Sends a delivery again at once, with the same bytes and the same id, whatever its state (notifications.md 3.11). Costs
 * nothing of the allowance.
 * @throws Problem `webhook_not_found`, `delivery_not_found`, `shared_access_suspended`
 */
export async function retryDelivery(
  { database, plans }: WebhooksRoom,
  member: Member,
  ids: { webhookId: string; deliveryId: string },
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<WebhookDelivery> {
  const access = await requireWebhook(database, plans, member, ids.webhookId);
  const deliveryId = parseId(['del'], ids.deliveryId);
  const delivery =
    deliveryId === null
      ? null
      : await database.transaction((transaction) =>
          restartDelivery(transaction, access.webhookId, deliveryId),
        );
  if (delivery === null) throw new Problem('delivery_not_found');
  await recordAudit(database, request, {
    ...access,
    action: 'webhook.delivery_retried',
    actorUserId: member.userId,
    subject: `webhook:${delivery.webhook_id}`,
    data: { delivery_id: delivery.delivery_id },
  });
  return delivery;
}
