import type { CheckLimits } from '@culprit/contract/monitor/availability-checks';
import type { ProjectAccess } from '../../workspace/access/project-access.ts';
import type { Plan, PlanSettings } from '../../workspace/billing/plan.ts';
import { type CheckAllowance, checkAllowance } from '../../workspace/billing/plan-limits.ts';

/** The project whose checks are read, and its plan. */
export interface CheckScope {
  projectId: string;
  plan: Plan;
  allowance: CheckAllowance;
}

/** Returns the checks of a project to which the caller has access. */
export function checkScopeOf(plans: PlanSettings, { projectId, plan }: ProjectAccess): CheckScope {
  return { projectId, plan, allowance: checkAllowance(plan, plans.isEnforced) };
}

/** Returns the limits of the plan, in the form of answers. */
export function limitsOf({ allowance }: CheckScope): CheckLimits {
  return { max_checks_per_project: allowance.checksMax, min_interval_seconds: allowance.intervalSecondsMin };
}
