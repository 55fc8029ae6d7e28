import type { AvailabilityCheck, CheckLimits } from '@culprit/contract/monitor/availability-checks';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { RecordAccess } from '../../workspace/access/authorize.ts';
import { checkScopeOf, limitsOf } from './check-scope.ts';
import { findCheck } from './checks.queries.ts';

/**
 * One check, and what the plan of its project allows.
 * @throws Problem `availability_check_not_found` when it was deleted
 */
export async function getCheck(
  { database, plans }: Runtime,
  access: RecordAccess,
): Promise<{ check: AvailabilityCheck; limits: CheckLimits }> {
  const scope = checkScopeOf(plans, access);
  const check = await findCheck(database, scope, access.recordId);
  if (check === null) throw new Problem('availability_check_not_found');
  return { check, limits: limitsOf(scope) };
}
