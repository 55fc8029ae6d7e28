import type {
  AlertDelivery,
  listAlertDeliveries as endpoint,
} from '@culprit/contract/alerts/alert-deliveries';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { listDeliveryRecords } from './alert-delivery-records.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkAlertDeliveriesPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage([], query);
}

/** A page of the deliveries of a rule, newest first (docs/contract/server-additions.md S14). */
export async function listAlertDeliveries(
  { database }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ deliveries: AlertDelivery[]; next_cursor: string | null }> {
  const rows = await listDeliveryRecords(database, access.recordId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.alert_delivery_id]);
  return { deliveries: shown, next_cursor: nextCursor };
}
