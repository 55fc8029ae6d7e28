import type { listWebhookDeliveries as endpoint, WebhookDelivery } from '@culprit/contract/alerts/webhooks';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { Problem } from '../../platform/http/binding/problem.ts';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { listDeliveryRows } from './deliveries.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkDeliveriesPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage(['del'], query);
}

/**
 * A page of a webhook's deliveries, newest first (docs/contract/notifications.md 3.8).
 * @throws Problem `webhook_not_found` when another project is named
 */
export async function listDeliveries(
  { database }: Runtime,
  { access, query, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ deliveries: WebhookDelivery[]; next_cursor: string | null }> {
  if (query.project_id !== undefined && parseId(['proj'], query.project_id) !== access.projectId) {
    throw new Problem('webhook_not_found');
  }
  const rows = await listDeliveryRows(database, access.recordId, page, query.status ?? null);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.delivery_id]);
  return { deliveries: shown, next_cursor: nextCursor };
}
