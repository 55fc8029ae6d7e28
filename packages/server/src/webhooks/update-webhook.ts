import type { BodyOf } from '@culprit/contract/endpoint';
import type { updateWebhook as endpoint, Webhook } from '@culprit/contract/webhooks';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { requireTarget } from '../platform/outbound/require-target.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { disableWaiting } from './deliveries.queries.ts';
import { requireWebhook } from './require-webhook.ts';
import { orderedEvents, setFilters } from './webhook.ts';
import { updateWebhookRow, type WebhookChange } from './webhooks.queries.ts';
import type { WebhooksRoom } from './webhooks.routes.ts';

/**
 * Changes a webhook (notifications.md 3.5). Deliveries that wait go to a new address; disabling ends them.
 * @throws Problem `invalid_payload`, `blocked_target`, `webhook_not_found`, `shared_access_suspended`
 */
export async function updateWebhook(
  room: WebhooksRoom,
  member: Member,
  id: string,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<Webhook> {
  const { database, plans } = room;
  const change: WebhookChange = {
    url: body.url === undefined ? null : requireTarget(room.outbound, body.url),
    events: body.events === undefined ? null : orderedEvents(body.events),
    filters: body.filters === undefined ? null : setFilters(body.filters),
    isEnabled: body.is_enabled ?? null,
  };
  const access = await requireWebhook(database, plans, member, id);
  const { webhookId } = access;
  const webhook = await database.transaction(async (transaction) => {
    const updated = await updateWebhookRow(transaction, webhookId, change);
    if (updated === null) throw new Problem('webhook_not_found');
    if (updated.isStopped) await disableWaiting(transaction, webhookId, 'webhook_disabled');
    return updated.webhook;
  });
  await recordAudit(database, request, {
    ...access,
    action: 'webhook.updated',
    actorUserId: member.userId,
    subject: `webhook:${webhook.webhook_id}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return webhook;
}
