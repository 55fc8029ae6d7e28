/** The three plans of docs/contract/account.md 6.1. */
export type Plan = 'free' | 'solo' | 'team';

/** Those that can be tried and bought. */
export type PaidPlan = Exclude<Plan, 'free'>;

/** The time for which data is kept, in days (docs/contract/incidents.md 8). */
export interface RetentionWindows {
  /** Raw events, by the time they were received. */
  rawDays: number;
  /** Incidents with everything of theirs, event rows, bundles, improvements, deployments. */
  incidentDays: number;
}

/** The settings of plans in this installation (docs/contract/account.md 6.8). */
export interface PlanSettings {
  source: 'account' | 'config';
  defaultPlan: Plan;
  isEnforced: boolean;
  /** Events and requests a project token may send in a minute, by plan (docs/contract/ingestion.md 3.7). */
  ingestionRatePerMinute: Record<Plan, number>;
  /** The time for which data is kept while limits are not enforced; else the plans decide. */
  retention: RetentionWindows;
}

/** Returns the rate limits for the admission of events, or null where plan limits are off. */
export function ingestionRateLimits(settings: PlanSettings): Record<Plan, number> | null {
  return settings.isEnforced ? settings.ingestionRatePerMinute : null;
}

/** With plans from the configuration, every organization has the default plan. */
export function planOverride(settings: PlanSettings): Plan | null {
  return settings.source === 'config' ? settings.defaultPlan : null;
}
