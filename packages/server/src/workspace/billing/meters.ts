import { NO_LIMIT, type PlanLimits } from './plan-limits.ts';

const MONTHLY_METERS = [
  'monthly_bundle_requests',
  'monthly_raw_ingested_events',
  'monthly_remote_activations',
  'monthly_alert_deliveries',
  'monthly_webhook_deliveries',
] as const;

/** The monthly meters of docs/contract/account.md 6.4. Stored bundles are counted where they are stored. */
export type MonthlyMeter = (typeof MONTHLY_METERS)[number];

/** Returns true if text, such as that of a job, names a meter. */
export function isMonthlyMeter(text: unknown): text is MonthlyMeter {
  return MONTHLY_METERS.some((meter) => meter === text);
}

/** Those that refuse when they are used up. Events never are refused: their excess goes to the next window. */
export type Meter = Exclude<MonthlyMeter, 'monthly_raw_ingested_events'>;

/** The meter of generations that no stored document precedes; refreshes are free (docs/contract/incidents.md 3.9). */
export const BUNDLES_METER = 'monthly_bundle_requests';

/** The meter of events. */
export const EVENTS_METER = 'monthly_raw_ingested_events';

/** The allowance of a meter. */
export function limitOf(limits: PlanLimits, meter: MonthlyMeter): number {
  switch (meter) {
    case 'monthly_bundle_requests':
      return limits.monthlyBundleRequests;
    case 'monthly_raw_ingested_events':
      return limits.monthlyRawIngestedEvents;
    case 'monthly_remote_activations':
      return limits.monthlyRemoteActivations;
    case 'monthly_alert_deliveries':
      return limits.monthlyAlertDeliveries;
    case 'monthly_webhook_deliveries':
      return limits.monthlyWebhookDeliveries;
  }
}

/**
 * Returns the limit at which a meter refuses: null if nothing is refused, so that counting continues beyond `NO_LIMIT`.
 */
export function refusingLimitOf(limits: PlanLimits, meter: Meter): number | null {
  const limit = limitOf(limits, meter);
  return limit === NO_LIMIT ? null : limit;
}
