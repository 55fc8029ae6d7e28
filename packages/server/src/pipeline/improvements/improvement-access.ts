import type { Plan, PlanSettings } from '../../workspace/billing/plan.ts';

/**
 * Returns true if improvements are generated on a plan: not on Free; without plan limits always
 * (docs/contract/incidents.md 6.4).
 */
export function generatesImprovements(plans: PlanSettings, plan: Plan): boolean {
  return !plans.isEnforced || plan !== 'free';
}
