import type { CheckResult, listAvailabilityResults as endpoint } from '@culprit/contract/availability-checks';
import type { QueryOf } from '@culprit/contract/endpoint';
import { formatTimestamp } from '@culprit/contract/timestamps';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import type { AvailabilityRoom } from './availability.routes.ts';
import { type CheckPath, requireCheck } from './require-check.ts';
import { listResultRows } from './results.queries.ts';

/**
 * A page of a check's runs, newest first (account.md 7.6). The cursor names the slot of the last one, of which a check
 * has one run.
 * @throws Problem `invalid_query`, `project_not_found`, `availability_check_not_found`, `shared_access_suspended`
 */
export async function listResults(
  { database, plans }: AvailabilityRoom,
  member: Member,
  path: CheckPath,
  query: QueryOf<typeof endpoint>,
): Promise<{ results: CheckResult[]; next_cursor: string | null }> {
  const page = readPage([], query);
  const { checkId } = await requireCheck(database, plans, member, path);
  const rows = await listResultRows(database, checkId, page);
  const { shown, nextCursor } = pageOf(rows, page, ({ slotAtMs, result }) => [
    formatTimestamp(slotAtMs),
    result.result_id,
  ]);
  return { results: shown.map(({ result }) => result), next_cursor: nextCursor };
}
