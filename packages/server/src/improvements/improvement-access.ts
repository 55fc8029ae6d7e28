import type { Plan, PlanSettings } from '../billing/plan.ts';

/** Whether improvements are generated on a plan: not on Free; without plan limits always (incidents.md 6.4). */
export function generatesImprovements(plans: PlanSettings, plan: Plan): boolean {
  return !plans.isEnforced || plan !== 'free';
}
