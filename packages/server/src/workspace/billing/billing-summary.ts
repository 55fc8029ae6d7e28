import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { BillingSummary } from '@culprit/contract/workspace/billing';
import { eventsUsed } from './events-used.ts';
import { EVENTS_METER, limitOf, type MonthlyMeter } from './meters.ts';
import type { PlanSettings } from './plan.ts';
import { type PlanInForce, type PlanRecord, planInForce } from './plan-in-force.ts';
import { INCLUDED_UNITS } from './plan-limits.ts';
import { isTrialAvailable } from './start-trial.ts';
import type { CountedUsage } from './usage-counters.queries.ts';

/** The facts of a summary, besides the plan record. */
interface BillingFacts {
  nowMs: number;
  activeProjects: number;
  storedBundles: number;
  usage: CountedUsage;
}

const DAY_MS = 86_400_000;

/** The `billing` object of every answer (docs/contract/account.md 6.3). */
export function billingSummary(record: PlanRecord, plans: PlanSettings, facts: BillingFacts): BillingSummary {
  const inForce = planInForce(record, plans, facts.nowMs);
  const { limits } = inForce;
  function allowance(meter: MonthlyMeter) {
    const used =
      meter === EVENTS_METER
        ? eventsUsed(record, plans, facts.usage.eventsByWindow, facts.nowMs)
        : (facts.usage.ofWindow.get(meter) ?? 0);
    return { used, limit: limitOf(limits, meter) };
  }
  return {
    plan: inForce.plan,
    billing_state: inForce.billingState,
    stripe_customer_id: null,
    active_projects: facts.activeProjects,
    capacity_units: capacityUnits(inForce),
    usage_window: {
      starts_at: formatTimestamp(inForce.usageWindow.startMs),
      ends_at: formatTimestamp(inForce.usageWindow.endMs),
    },
    allowances: {
      monthly_bundle_requests: allowance('monthly_bundle_requests'),
      monthly_raw_ingested_events: allowance('monthly_raw_ingested_events'),
      retained_bundle_cap: { used: facts.storedBundles, limit: limits.retainedBundleCap },
      monthly_remote_activations: allowance('monthly_remote_activations'),
      monthly_alert_deliveries: allowance('monthly_alert_deliveries'),
      monthly_webhook_deliveries: allowance('monthly_webhook_deliveries'),
    },
    trial: trialSummary(record, plans, inForce, facts.nowMs),
  };
}

function capacityUnits({ plan, additionalUnits, pendingReduction }: PlanInForce) {
  const included = INCLUDED_UNITS[plan];
  return {
    total: included + additionalUnits,
    included,
    additional_purchased: additionalUnits,
    pending_reduction:
      pendingReduction === null
        ? null
        : {
            additional_purchased: pendingReduction.additionalUnits,
            total: included + pendingReduction.additionalUnits,
            effective_at: formatTimestamp(pendingReduction.effectiveAtMs),
          },
  };
}

function trialSummary(
  record: PlanRecord,
  plans: PlanSettings,
  inForce: PlanInForce,
  nowMs: number,
): BillingSummary['trial'] {
  const { trial } = record;
  if (trial === null) {
    return {
      available: isTrialAvailable(record, plans, nowMs),
      active: false,
      plan: null,
      started_at: null,
      ends_at: null,
      used_at: null,
      converted_at: null,
      expired_at: null,
      days_remaining: null,
    };
  }
  const hasExpired = trial.convertedAtMs === null && trial.endsAtMs <= nowMs;
  return {
    available: false,
    active: inForce.isTrialing,
    plan: trial.plan,
    started_at: formatTimestamp(trial.startedAtMs),
    ends_at: formatTimestamp(trial.endsAtMs),
    used_at: formatTimestamp(trial.startedAtMs),
    converted_at: trial.convertedAtMs === null ? null : formatTimestamp(trial.convertedAtMs),
    expired_at: hasExpired ? formatTimestamp(trial.endsAtMs) : null,
    days_remaining: inForce.isTrialing ? Math.ceil((trial.endsAtMs - nowMs) / DAY_MS) : null,
  };
}
