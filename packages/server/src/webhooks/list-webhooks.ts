import type { QueryOf } from '@culprit/contract/endpoint';
import type { listWebhooks as endpoint, Webhook } from '@culprit/contract/webhooks';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import { findAccessibleProjectIds } from '../projects/projects.queries.ts';
import { requireProject } from '../projects/require-project.ts';
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
  const projectIds =
    query.project_id === undefined
      ? await findAccessibleProjectIds(database, plans, member.userId)
      : [(await requireProject(database, plans, member.userId, query.project_id)).projectId];
  const rows = await listWebhookRows(database, projectIds, {
    after: page.after === null ? null : { createdAtMs: page.after.createdAtMs, webhookId: page.after.id },
    limit: page.limit,
  });
  const { shown, nextCursor } = pageOf(rows, page, (row) => row.webhook_id);
  return { webhooks: shown, next_cursor: nextCursor };
}
