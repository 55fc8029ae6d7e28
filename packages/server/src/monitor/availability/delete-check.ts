import type { deleteAvailabilityCheck as endpoint } from '@culprit/contract/monitor/availability-checks';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { deleteCheckRow } from './checks.queries.ts';
import { deleteResults } from './results.queries.ts';

const RESULTS_PER_STEP = 5000;

/**
 * Deletes a check with its results and days; its incident stays unchanged (docs/contract/account.md 7.7). Results are
 * deleted step by step before it, so that no statement takes long.
 * @throws Problem `availability_check_not_found` when it was deleted
 */
export async function deleteCheck(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<void> {
  const { access, caller } = request;
  const { projectId, recordId: checkId } = access;
  let deleted = RESULTS_PER_STEP;
  while (deleted === RESULTS_PER_STEP) deleted = await deleteResults(database, checkId, RESULTS_PER_STEP);
  if (!(await deleteCheckRow(database, projectId, checkId))) {
    throw new Problem('availability_check_not_found');
  }
  await recordAudit(database, request, {
    ...access,
    action: 'availability_check.deleted',
    actorUserId: caller.userId,
    subject: `availability_check:${checkId}`,
  });
}
