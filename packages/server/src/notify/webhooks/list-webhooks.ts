import type { listWebhooks as endpoint, Webhook } from '@culprit/contract/alerts/webhooks';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { listWebhookRows } from './webhooks.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkWebhooksPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage(['whk'], query);
}

/** A page of webhooks, newest first: of one project, or of all the member sees (docs/contract/notifications.md 3.1). */
export async function listWebhooks(
  { database }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ webhooks: Webhook[]; next_cursor: string | null }> {
  const rows = await listWebhookRows(database, access.projectIds, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.webhook_id]);
  return { webhooks: shown, next_cursor: nextCursor };
}
