import type { Plan, PlanSettings } from '../workspace/billing/plan.ts';
import { hasRemoteProbes } from '../workspace/billing/plan-limits.ts';

/** Returns true if a plan has remote probes; without plan limits every plan has (docs/contract/account.md 6.8). */
export function allowsRemoteProbes(plans: PlanSettings, plan: Plan): boolean {
  return !plans.isEnforced || hasRemoteProbes(plan);
}
