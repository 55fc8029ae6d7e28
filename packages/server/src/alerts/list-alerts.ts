import { ALERTS_PAGE_SIZE_DEFAULT, type Alert, type listAlerts as endpoint } from '@culprit/contract/alerts';
import type { QueryOf } from '@culprit/contract/endpoint';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listRuleRows } from './alert-rules.queries.ts';
import type { AlertsRoom } from './alerts.routes.ts';

/**
 * A page of a project's alert rules, newest first (notifications.md 1.5).
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended`
 */
export async function listAlerts(
  { database, plans }: AlertsRoom,
  member: Member,
  query: QueryOf<typeof endpoint>,
): Promise<{ alerts: Alert[]; next_cursor: string | null }> {
  const page = readPage(['alt'], query, ALERTS_PAGE_SIZE_DEFAULT);
  const { projectId } = await requireProject(database, plans, member.userId, query.project_id);
  const rows = await listRuleRows(database, projectId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.alert_id]);
  return { alerts: shown, next_cursor: nextCursor };
}
