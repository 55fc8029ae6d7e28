import type { QueryOf } from '@culprit/contract/endpoint';
import type { listWebhooks as endpoint, Webhook } from '@culprit/contract/webhooks';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import { projectsInScope } from '../projects/projects-in-scope.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listWebhookRows } from './webhooks.queries.ts';
import type { WebhooksRoom } from './webhooks.routes.ts';

/**
 * A page of webhooks, newest first: of one project, or of all the member sees (notifications.md 3.1).
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended` for a named project
 */
export async function listWebhooks(
  { database, plans }: WebhooksRoom,
  member: Member,
  query: QueryOf<typeof endpoint>,
): Promise<{ webhooks: Webhook[]; next_cursor: string | null }> {
  const page = readPage(['whk'], query);
  const projectIds = await projectsInScope(database, plans, member, query.project_id);
  const rows = await listWebhookRows(database, projectIds, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.webhook_id]);
  return { webhooks: shown, next_cursor: nextCursor };
}
