import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import type { AvailabilityRoom } from './availability.routes.ts';
import { deleteCheckRow } from './checks.queries.ts';
import { type CheckPath, requireCheck } from './require-check.ts';
import { deleteResults } from './results.queries.ts';

const RESULTS_PER_STEP = 5000;

/**
 * Deletes a check with its results and days; its incident stays as it is (account.md 7.7). Results go step by step, so
 * that no statement takes long.
 * @throws Problem `project_not_found`, `availability_check_not_found`, `forbidden`, `shared_access_suspended`
 */
export async function deleteCheck(
  { database, plans }: AvailabilityRoom,
  member: Member,
  path: CheckPath,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<void> {
  const { access, scope, checkId } = await requireCheck(database, plans, member, path, 'admin');
  let removed = RESULTS_PER_STEP;
  while (removed === RESULTS_PER_STEP) removed = await deleteResults(database, checkId, RESULTS_PER_STEP);
  if (!(await deleteCheckRow(database, scope.projectId, checkId))) {
    throw new Problem('availability_check_not_found');
  }
  await recordAudit(database, request, {
    action: 'availability_check.deleted',
    actorUserId: member.userId,
    organizationId: access.organizationId,
    projectId: access.projectId,
    subject: `availability_check:${checkId}`,
  });
}
