import type {
  AvailabilityCheck,
  CheckLimits,
  listAvailabilityChecks as endpoint,
} from '@culprit/contract/availability-checks';
import type { QueryOf } from '@culprit/contract/endpoint';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import type { AvailabilityRoom } from './availability.routes.ts';
import { listCheckRows } from './checks.queries.ts';
import { requireCheckProject } from './require-check.ts';

/**
 * A page of a project's checks, newest first, and what its plan allows.
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended`
 */
export async function listChecks(
  { database, plans }: AvailabilityRoom,
  member: Member,
  projectId: string,
  query: QueryOf<typeof endpoint>,
): Promise<{ availability_checks: AvailabilityCheck[]; limits: CheckLimits; next_cursor: string | null }> {
  const page = readPage([], query);
  const { scope, limits } = await requireCheckProject(database, plans, member, projectId);
  const rows = await listCheckRows(database, scope, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.check_id]);
  return { availability_checks: shown, limits, next_cursor: nextCursor };
}
