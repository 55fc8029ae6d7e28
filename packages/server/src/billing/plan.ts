import type { RetentionWindows } from './retention-windows.ts';

/** The three plans of account.md 6.1. */
export type Plan = 'free' | 'solo' | 'team';

/** Those that can be tried and bought. */
export type PaidPlan = Exclude<Plan, 'free'>;

/** How plans apply in this installation (account.md 6.8). */
export interface PlanSettings {
  source: 'account' | 'config';
  defaultPlan: Plan;
  isEnforced: boolean;
  /** Events and requests a project token may send in a minute, by plan (ingestion.md 3.7). */
  ingestionRatePerMinute: Record<Plan, number>;
  /** How long data is kept while limits are not enforced; else the plans decide. */
  retention: RetentionWindows;
}

/** Rate limits for the intake's admission, or null where plan limits are off. */
export function ingestionRateLimits(settings: PlanSettings): Record<Plan, number> | null {
  return settings.isEnforced ? settings.ingestionRatePerMinute : null;
}

/** With plans from the configuration, every organization has the default plan. */
export function planOverride(settings: PlanSettings): Plan | null {
  return settings.source === 'config' ? settings.defaultPlan : null;
}
