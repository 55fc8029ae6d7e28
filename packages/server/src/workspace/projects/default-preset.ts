import type { Plan, PlanSettings } from '../billing/plan.ts';

/** The preset of a new project (docs/contract/ingestion.md 4.2): the free plan has few events to spend. */
export function defaultPreset(plan: Plan, settings: PlanSettings): 'minimal' | 'balanced' {
  return settings.isEnforced && plan === 'free' ? 'minimal' : 'balanced';
}
