import type { QueryOf } from '@culprit/contract/endpoint';
import type { listWebhookDeliveries as endpoint, WebhookDelivery } from '@culprit/contract/webhooks';
import { Problem } from '../platform/http/problem.ts';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listDeliveryRows } from './deliveries.queries.ts';
import { requireWebhook } from './require-webhook.ts';
import type { WebhooksRoom } from './webhooks.routes.ts';

/**
 * A page of a webhook's deliveries, newest first (notifications.md 3.8).
 * @throws Problem `invalid_query`, `webhook_not_found`, also when another project is named, `shared_access_suspended`
 */
export async function listDeliveries(
  { database, plans }: WebhooksRoom,
  member: Member,
  id: string,
  query: QueryOf<typeof endpoint>,
): Promise<{ deliveries: WebhookDelivery[]; next_cursor: string | null }> {
  const page = readPage(['del'], query);
  const { webhookId, projectId } = await requireWebhook(database, plans, member, id);
  if (query.project_id !== undefined && parseId(['proj'], query.project_id) !== projectId) {
    throw new Problem('webhook_not_found');
  }
  const rows = await listDeliveryRows(database, webhookId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.delivery_id]);
  return { deliveries: shown, next_cursor: nextCursor };
}
