import type {
  getWebhookDelivery as endpoint,
  WebhookDeliveryDetail,
} from '@culprit/contract/alerts/webhooks';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { attemptHeaders } from './attempt-headers.ts';
import { findDelivery } from './deliveries.queries.ts';
import { openSigningSecret } from './signing-secret.ts';

/**
 * All of a delivery (docs/contract/server-additions.md S15). Its signature is made anew, because only the body is kept.
 * @throws Problem `delivery_not_found`
 */
export async function getDelivery(
  { database, keys }: Runtime,
  { access, params }: ApiRequest<typeof endpoint>,
): Promise<WebhookDeliveryDetail> {
  const { recordId: webhookId } = access;
  const deliveryId = parseId(['del'], params.did);
  const found = deliveryId === null ? null : await findDelivery(database, webhookId, deliveryId);
  if (found === null || deliveryId === null) throw new Problem('delivery_not_found');
  const { delivery, body, attempts } = found;
  const secret = openSigningSecret(keys.webhookSecrets, found.sealedSecret, webhookId);
  return {
    delivery,
    body,
    headers:
      secret === null
        ? {}
        : attemptHeaders(secret, Buffer.from(body, 'utf8'), {
            eventType: delivery.event_type,
            deliveryId,
            attempt: Math.max(1, delivery.attempt_count),
            startedAtMs: found.lastAttemptedAtMs ?? Date.parse(delivery.created_at),
          }),
    attempts: attempts.map((attempt) => ({ ...attempt, started_at: formatTimestamp(attempt.started_at) })),
  };
}
