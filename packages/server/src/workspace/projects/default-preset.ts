import type { Plan, PlanSettings } from '../billing/plan.ts';

/** The preset of a new project (docs/contract/ingestion.md 4.2): without plan limits there is no plan to protect. */
export function defaultPreset(plan: Plan, settings: PlanSettings): 'minimal' | 'balanced' | 'investigative' {
  if (!settings.isEnforced) return 'investigative';
  return plan === 'free' ? 'minimal' : 'balanced';
}
