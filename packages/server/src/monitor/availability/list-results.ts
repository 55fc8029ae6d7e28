import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type {
  CheckResult,
  listAvailabilityResults as endpoint,
} from '@culprit/contract/monitor/availability-checks';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { listResultRows } from './results.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkResultsPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage([], query);
}

/**
 * A page of a check's runs, newest first (docs/contract/account.md 7.6). The cursor names the slot of the last one, of
 * which a check has one run.
 */
export async function listResults(
  { database }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ results: CheckResult[]; next_cursor: string | null }> {
  const rows = await listResultRows(database, access.recordId, page);
  const { shown, nextCursor } = pageOf(rows, page, ({ slotAtMs, result }) => [
    formatTimestamp(slotAtMs),
    result.result_id,
  ]);
  return { results: shown.map(({ result }) => result), next_cursor: nextCursor };
}
