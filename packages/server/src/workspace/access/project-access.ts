import type { Role } from '@culprit/contract/endpoints/endpoint';
import { type Plan, type PlanSettings, planOverride } from '../billing/plan.ts';

/** The rights of a person in a project, looked up for one request (docs/contract/reliability.md A9). */
export interface ProjectAccess {
  /** Bare UUIDs. */
  projectId: string;
  organizationId: string;
  ownerUserId: string;
  role: Role;
  /** In force now; with plans from the configuration the configured one. */
  plan: Plan;
}

/**
 * Returns true if the plan is below Team and the person is not the owner: then access is suspended
 * (docs/contract/account.md 1.7). Without plan limits it never is.
 */
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
