import type { CheckLimits } from '@culprit/contract/availability-checks';
import type { ProjectAccess } from '../../workspace/access/project-access.ts';
import type { Plan, PlanSettings } from '../../workspace/billing/plan.ts';
import { type CheckAllowance, checkAllowance } from '../../workspace/billing/plan-limits.ts';

/** Whose checks are read, and under which plan. */
export interface CheckScope {
  projectId: string;
  plan: Plan;
  allowance: CheckAllowance;
}

/** The checks of a project that somebody has access to. */
export function checkScopeOf(plans: PlanSettings, { projectId, plan }: ProjectAccess): CheckScope {
  return { projectId, plan, allowance: checkAllowance(plan, plans.isEnforced) };
}

/** What the plan allows, as answers say it. */
export function limitsOf({ allowance }: CheckScope): CheckLimits {
  return { max_checks_per_project: allowance.checksMax, min_interval_seconds: allowance.intervalSecondsMin };
}
