import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { deleteDeliveries } from './deliveries.queries.ts';
import { requireWebhook } from './require-webhook.ts';
import { deleteWebhookRow } from './webhooks.queries.ts';
import type { WebhooksRoom } from './webhooks.routes.ts';

const DELIVERIES_PER_STEP = 5000;

/**
 * Deletes a webhook with all its deliveries, sent ones and waiting ones. Very many go step by step before, so that no
 * statement takes long; a call that did not get through them all is repeated and finds fewer.
 * @throws Problem `webhook_not_found`, `shared_access_suspended`
 */
export async function deleteWebhook(
  { database, plans }: WebhooksRoom,
  member: Member,
  id: string,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<void> {
  const access = await requireWebhook(database, plans, member, id);
  const { webhookId } = access;
  let removed = DELIVERIES_PER_STEP;
  while (removed === DELIVERIES_PER_STEP) {
    removed = await deleteDeliveries(database, webhookId, DELIVERIES_PER_STEP);
  }
  if (!(await deleteWebhookRow(database, webhookId))) throw new Problem('webhook_not_found');
  await recordAudit(database, request, {
    ...access,
    action: 'webhook.deleted',
    actorUserId: member.userId,
    subject: `webhook:${access.webhook.webhook_id}`,
  });
}
