import type { Plan, PlanSettings } from '../billing/plan.ts';
import { hasRemoteProbes } from '../billing/plan-limits.ts';

/** Whether a plan has remote probes; without plan limits every plan has (account.md 6.8). */
export function areRemoteProbesOpen(plans: PlanSettings, plan: Plan): boolean {
  return !plans.isEnforced || hasRemoteProbes(plan);
}
