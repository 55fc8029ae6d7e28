import type { retryWebhookDelivery as endpoint, WebhookDelivery } from '@culprit/contract/alerts/webhooks';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { restartDelivery } from './deliveries.queries.ts';

/**
 * Sends a delivery again immediately, with the same bytes and the same id, whatever its state
 * (docs/contract/notifications.md 3.11). Costs nothing of the allowance.
 * @throws Problem `delivery_not_found`
 */
export async function retryDelivery(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<WebhookDelivery> {
  const { access, caller, params } = request;
  const deliveryId = parseId(['del'], params.did);
  const delivery =
    deliveryId === null
      ? null
      : await database.transaction((transaction) =>
          restartDelivery(transaction, access.recordId, deliveryId),
        );
  if (delivery === null) throw new Problem('delivery_not_found');
  await recordAudit(database, request, {
    ...access,
    action: 'webhook.delivery_retried',
    actorUserId: caller.userId,
    subject: `webhook:${delivery.webhook_id}`,
    data: { delivery_id: delivery.delivery_id },
  });
  return delivery;
}
