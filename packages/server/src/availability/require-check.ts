import type { AvailabilityCheck, CheckLimits } from '@culprit/contract/availability-checks';
import type { Role } from '@culprit/contract/endpoint';
import type { ProblemCode } from '@culprit/contract/problems';
import type { PlanSettings } from '../billing/plan.ts';
import { checkAllowance } from '../billing/plan-limits.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import { type ProjectAccess, requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { type CheckScope, findCheck, hasCheck } from './checks.queries.ts';

/** The ids of a check's path, as written. */
export interface CheckPath {
  projectId: string;
  checkId: string;
}

/** The place of a member in a project, with what its plan allows of checks. */
export interface CheckAccess {
  access: ProjectAccess;
  scope: CheckScope;
  limits: CheckLimits;
}

/**
 * A project in which the member may do something with checks.
 * @throws Problem `project_not_found`, `forbidden`, `shared_access_suspended`
 */
export async function requireCheckProject(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  projectId: string,
  leastRole: Role = 'member',
  findMissing?: (projectId: string) => Promise<ProblemCode | null>,
): Promise<CheckAccess> {
  const access = await requireProject(database, plans, member.userId, projectId, leastRole, findMissing);
  const allowance = checkAllowance(access.plan, plans.isEnforced);
  return {
    access,
    scope: { projectId: access.projectId, plan: access.plan, allowance },
    limits: {
      max_checks_per_project: allowance.checksMax,
      min_interval_seconds: allowance.intervalSecondsMin,
    },
  };
}

/**
 * A check the member may see, or with a role, do something to.
 * @throws Problem `project_not_found`, `availability_check_not_found`, `forbidden`, `shared_access_suspended`
 */
export async function requireCheck(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  path: CheckPath,
  leastRole: Role = 'member',
): Promise<CheckAccess & { check: AvailabilityCheck; checkId: string }> {
  const checkId = parseId([], path.checkId);
  const found = await requireCheckProject(
    database,
    plans,
    member,
    path.projectId,
    leastRole,
    async (projectId) =>
      checkId !== null && (await hasCheck(database, projectId, checkId))
        ? null
        : 'availability_check_not_found',
  );
  const check = checkId === null ? null : await findCheck(database, found.scope, checkId);
  if (checkId === null || check === null) throw new Problem('availability_check_not_found');
  return { ...found, check, checkId };
}
