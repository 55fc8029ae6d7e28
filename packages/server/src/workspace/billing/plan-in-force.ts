import { type PaidPlan, type Plan, type PlanSettings, planOverride } from './plan.ts';
import { NO_LIMIT, type PlanLimits, planLimits } from './plan-limits.ts';
import { calendarMonth, monthSince, type UsageWindow } from './usage-window.ts';

/** The plan in an organization's row. Times are milliseconds since the epoch. */
export interface PlanRecord {
  /** Still the trial's plan after it ended. */
  plan: Plan;
  planStartedAtMs: number;
  /** Set by an administrator's command; such a plan outlasts a trial. */
  isSetByOperator: boolean;
  /** The one trial the organization ever had; null before. */
  trial: { plan: PaidPlan; startedAtMs: number; endsAtMs: number; convertedAtMs: number | null } | null;
  additionalUnits: number;
  /** Happens at its time without anybody writing it down. */
  pendingReduction: PendingReduction | null;
  /**
   * The time at which plan or units changed last; earlier usage is in the counters of the window that was current then.
   */
  usageSettledAtMs: number;
}

interface PendingReduction {
  additionalUnits: number;
  effectiveAtMs: number;
}

/** The origin of a plan (docs/contract/account.md 6.3). States of a payment provider come with a provider. */
type BillingState = 'admin_override' | 'trialing' | 'trial_expired';

/** An organization's plan at a moment: everything that follows from its row, the settings and the time. */
export interface PlanInForce {
  plan: Plan;
  billingState: BillingState | null;
  isTrialing: boolean;
  /** Capacity units beyond the included ones. */
  additionalUnits: number;
  pendingReduction: PendingReduction | null;
  usageWindow: UsageWindow;
  /** Each is `NO_LIMIT` while limits are not enforced. */
  limits: PlanLimits;
}

/**
 * The plan in force at a moment (docs/contract/account.md 6.4 to 6.8). A trial that ended is Free and a reduction
 * whose time has come has happened, without any job having run. The SQL function `effective_plan` says the same of the
 * plan alone.
 */
export function planInForce(record: PlanRecord, settings: PlanSettings, atMs: number): PlanInForce {
  const configured = planOverride(settings);
  const terms = configured === null ? ownTerms(record, atMs) : configuredTerms(configured);
  return {
    ...terms,
    usageWindow: usageWindow(record, terms, atMs),
    limits: settings.isEnforced ? planLimits(terms.plan, terms.additionalUnits) : UNLIMITED,
  };
}

type Terms = Omit<PlanInForce, 'usageWindow' | 'limits'>;

const UNLIMITED: PlanLimits = {
  monthlyRawIngestedEvents: NO_LIMIT,
  monthlyBundleRequests: NO_LIMIT,
  retainedBundleCap: NO_LIMIT,
  monthlyRemoteActivations: NO_LIMIT,
  monthlyAlertDeliveries: NO_LIMIT,
  monthlyWebhookDeliveries: NO_LIMIT,
};

function configuredTerms(plan: Plan): Terms {
  const billingState = plan === 'free' ? null : 'admin_override';
  return { plan, billingState, isTrialing: false, additionalUnits: 0, pendingReduction: null };
}

function ownTerms(record: PlanRecord, atMs: number): Terms {
  const { plan, trial, isSetByOperator } = record;
  if (trial !== null && trial.convertedAtMs === null && !isSetByOperator) {
    const isTrialing = atMs < trial.endsAtMs;
    return {
      plan: isTrialing ? plan : 'free',
      billingState: isTrialing ? 'trialing' : 'trial_expired',
      isTrialing,
      additionalUnits: 0,
      pendingReduction: null,
    };
  }
  // Without a payment provider it is the operator who gives paid plans, be it by `CULPRIT_PLAN_DEFAULT`.
  const billingState = isSetByOperator || plan !== 'free' ? 'admin_override' : null;
  if (plan === 'free') {
    return { plan, billingState, isTrialing: false, additionalUnits: 0, pendingReduction: null };
  }
  const { pendingReduction: pending } = record;
  const hasReduced = pending !== null && pending.effectiveAtMs <= atMs;
  return {
    plan,
    billingState,
    isTrialing: false,
    additionalUnits: hasReduced ? pending.additionalUnits : record.additionalUnits,
    pendingReduction: hasReduced ? null : pending,
  };
}

function usageWindow(record: PlanRecord, terms: Terms, atMs: number): UsageWindow {
  if (terms.isTrialing && record.trial !== null) {
    return { startMs: record.trial.startedAtMs, endMs: record.trial.endsAtMs };
  }
  return terms.plan === 'free' ? calendarMonth(atMs) : monthSince(record.planStartedAtMs, atMs);
}
