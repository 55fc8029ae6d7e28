import {
  ALERTS_PAGE_SIZE_DEFAULT,
  type Alert,
  type listAlerts as endpoint,
} from '@culprit/contract/alerts/alerts';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { listRuleRows } from './alert-rules.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkAlertsPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage(['alt'], query, ALERTS_PAGE_SIZE_DEFAULT);
}

/** A page of a project's alert rules, newest first (docs/contract/notifications.md 1.5). */
export async function listAlerts(
  { database, keys }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ alerts: Alert[]; next_cursor: string | null }> {
  const rows = await listRuleRows(database, keys.receiverAddresses, access.projectId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.alert_id]);
  return { alerts: shown, next_cursor: nextCursor };
}
