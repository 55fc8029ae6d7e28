import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type {
  AvailabilityCheck,
  CheckLimits,
  listAvailabilityChecks as endpoint,
} from '@culprit/contract/monitor/availability-checks';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { checkScopeOf, limitsOf } from './check-scope.ts';
import { listCheckRows } from './checks.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkChecksPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage([], query);
}

/** A page of a project's checks, newest first, and what its plan allows. */
export async function listChecks(
  { database, plans }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ availability_checks: AvailabilityCheck[]; limits: CheckLimits; next_cursor: string | null }> {
  const scope = checkScopeOf(plans, access);
  const rows = await listCheckRows(database, scope, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.check_id]);
  return { availability_checks: shown, limits: limitsOf(scope), next_cursor: nextCursor };
}
