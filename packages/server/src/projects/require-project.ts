import type { Role } from '@culprit/contract/endpoint';
import type { ProblemCode } from '@culprit/contract/problems';
import { type Plan, type PlanSettings, planOverride } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';

/** What a person may do in a project, looked up for this one request (reliability rule A9). */
export interface ProjectAccess {
  /** Bare UUIDs. */
  projectId: string;
  organizationId: string;
  ownerUserId: string;
  role: Role;
  /** In force now; with plans from the configuration the configured one. */
  plan: Plan;
}

const RANKS: Readonly<Record<Role, number>> = { member: 0, admin: 1, owner: 2 };

/**
 * Steps 7 to 9 of the order of checks (account.md 0) for a project named in a path, query or body: it is visible, the
 * role suffices, and other people's access is not paused by the owner's plan (1.7).
 * @param findMissing the code of what the path names inside the project, when it is not there: asked about callers whose
 * role is too low, because they too learn that first. Everybody else learns it from the operation.
 * @throws Problem `project_not_found`, `forbidden`, `shared_access_suspended`
 */
export async function requireProject(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  projectId: string,
  leastRole: Role = 'member',
  findMissing: (projectId: string) => Promise<ProblemCode | null> = async () => null,
): Promise<ProjectAccess> {
  const id = parseId(['proj'], projectId);
  const access = id === null ? null : await findProjectAccess(database, plans, userId, id);
  if (access === null) throw new Problem('project_not_found');
  if (RANKS[access.role] < RANKS[leastRole]) {
    throw new Problem((await findMissing(access.projectId)) ?? 'forbidden');
  }
  if (isSharedAccessSuspended(plans, access)) throw new Problem('shared_access_suspended');
  return access;
}

/** Below Team, everybody but the owner is kept out (account.md 1.7). Without plan limits nobody is. */
export function isSharedAccessSuspended(
  plans: PlanSettings,
  access: Pick<ProjectAccess, 'role' | 'plan'>,
): boolean {
  return plans.isEnforced && access.role !== 'owner' && access.plan !== 'team';
}

/**
 * The parameter of the SQL function `shared_access_suspended`, the same rule for statements that judge many projects:
 * the plan that holds for all, or null for each organization's own.
 */
export function sharedAccessPlan(plans: PlanSettings): Plan | null {
  return plans.isEnforced ? planOverride(plans) : 'team';
}

/** The person's place in a live project; null when they have none, or it does not exist. */
async function findProjectAccess(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  projectId: string,
): Promise<ProjectAccess | null> {
  const [row] = await database.query<{
    organization_id: string;
    owner_user_id: string;
    role: Role;
    plan: Plan;
  }>(
    {
      name: 'project-access',
      text: `select p.organization_id, o.owner_user_id, m.role, effective_plan(o, culprit_now()) as plan
        from project_members m
        join projects p on p.project_id = m.project_id and p.deleted_at is null
        join organizations o on o.organization_id = p.organization_id
        where m.user_id = $1 and m.project_id = $2`,
    },
    [userId, projectId],
  );
  if (row === undefined) return null;
  return {
    projectId,
    organizationId: row.organization_id,
    ownerUserId: row.owner_user_id,
    role: row.role,
    plan: planOverride(plans) ?? row.plan,
  };
}
