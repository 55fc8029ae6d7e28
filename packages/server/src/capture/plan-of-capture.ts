import type { Plan, PlanSettings } from '../workspace/billing/plan.ts';

/** The plan that counts for capture: without plan limits everything of Team is open (docs/contract/account.md 6.8). */
export function planOfCapture(plans: PlanSettings, plan: Plan): Plan {
  return plans.isEnforced ? plan : 'team';
}
