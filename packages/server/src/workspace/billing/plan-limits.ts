import { HEARTBEATS_MAX, HEARTBEATS_OF_CHECK_INS_MAX } from '@culprit/contract/monitor/heartbeat-limits';
import type { Plan } from './plan.ts';

/** The allowances of a plan, extra capacity units included (docs/contract/account.md 6.1). */
export interface PlanLimits {
  monthlyRawIngestedEvents: number;
  monthlyBundleRequests: number;
  /** Stored bundles at any time. */
  retainedBundleCap: number;
  monthlyRemoteActivations: number;
  monthlyAlertDeliveries: number;
  monthlyWebhookDeliveries: number;
}

/** The value of every `limit` of an answer while plan limits are off (docs/contract/account.md 6.8). */
export const NO_LIMIT = 2_147_483_647;

/** Capacity units a plan comes with; extra ones add to its limits. */
export const INCLUDED_UNITS: Record<Plan, number> = { free: 1, solo: 3, team: 15 };

const BASE: Record<Plan, PlanLimits> = {
  free: {
    monthlyRawIngestedEvents: 750,
    monthlyBundleRequests: 100,
    retainedBundleCap: 50,
    monthlyRemoteActivations: 0,
    monthlyAlertDeliveries: 25,
    monthlyWebhookDeliveries: 100,
  },
  solo: {
    monthlyRawIngestedEvents: 10_500,
    monthlyBundleRequests: 750,
    retainedBundleCap: 450,
    monthlyRemoteActivations: 75,
    monthlyAlertDeliveries: 225,
    monthlyWebhookDeliveries: 750,
  },
  team: {
    monthlyRawIngestedEvents: 150_000,
    monthlyBundleRequests: 15_000,
    retainedBundleCap: 6_000,
    monthlyRemoteActivations: 1_500,
    monthlyAlertDeliveries: 4_500,
    monthlyWebhookDeliveries: 15_000,
  },
};

/** The limits that one extra unit adds. Free has none. */
const PER_ADDITIONAL_UNIT: Record<Plan, PlanLimits> = {
  free: {
    monthlyRawIngestedEvents: 0,
    monthlyBundleRequests: 0,
    retainedBundleCap: 0,
    monthlyRemoteActivations: 0,
    monthlyAlertDeliveries: 0,
    monthlyWebhookDeliveries: 0,
  },
  solo: {
    monthlyRawIngestedEvents: 3_500,
    monthlyBundleRequests: 250,
    retainedBundleCap: 150,
    monthlyRemoteActivations: 25,
    monthlyAlertDeliveries: 75,
    monthlyWebhookDeliveries: 250,
  },
  team: {
    monthlyRawIngestedEvents: 10_000,
    monthlyBundleRequests: 1_000,
    retainedBundleCap: 400,
    monthlyRemoteActivations: 100,
    monthlyAlertDeliveries: 300,
    monthlyWebhookDeliveries: 1_000,
  },
};

/** The allowances of a plan with that many extra capacity units (0 to 99). Whether they are enforced is a setting. */
export function planLimits(plan: Plan, additionalUnits: number): PlanLimits {
  const base = BASE[plan];
  const added = PER_ADDITIONAL_UNIT[plan];
  return {
    monthlyRawIngestedEvents:
      base.monthlyRawIngestedEvents + additionalUnits * added.monthlyRawIngestedEvents,
    monthlyBundleRequests: base.monthlyBundleRequests + additionalUnits * added.monthlyBundleRequests,
    retainedBundleCap: base.retainedBundleCap + additionalUnits * added.retainedBundleCap,
    monthlyRemoteActivations:
      base.monthlyRemoteActivations + additionalUnits * added.monthlyRemoteActivations,
    monthlyAlertDeliveries: base.monthlyAlertDeliveries + additionalUnits * added.monthlyAlertDeliveries,
    monthlyWebhookDeliveries:
      base.monthlyWebhookDeliveries + additionalUnits * added.monthlyWebhookDeliveries,
  };
}

/**
 * Returns true if a plan lets its owner invite people to projects. Use it only while plan limits are enforced; else
 * everything is open.
 */
export function hasInvites(plan: Plan): boolean {
  return plan === 'team';
}

/** Returns true if Slack destinations may be connected and used. Use it only while plan limits are enforced. */
export function hasSlackDestinations(plan: Plan): boolean {
  return plan === 'team';
}

/** Returns true if remote probes may be activated. Use it only while plan limits are enforced. */
export function hasRemoteProbes(plan: Plan): boolean {
  return plan !== 'free';
}

/**
 * The most heartbeats of a project, and the most of them that check-ins can create; the rest is reserved for people.
 */
interface HeartbeatAllowance {
  heartbeatsMax: number;
  ofCheckInsMax: number;
}

const HEARTBEATS: Record<Plan, HeartbeatAllowance> = {
  free: { heartbeatsMax: 3, ofCheckInsMax: 2 },
  solo: { heartbeatsMax: 20, ofCheckInsMax: 15 },
  team: { heartbeatsMax: HEARTBEATS_MAX, ofCheckInsMax: HEARTBEATS_OF_CHECK_INS_MAX },
};

/** The heartbeats a plan allows each project (docs/contract/account.md 6.1). Without plan limits there is a bound all the same. */
export function heartbeatAllowance(plan: Plan, isEnforced: boolean): HeartbeatAllowance {
  return HEARTBEATS[isEnforced ? plan : 'team'];
}

/** The availability checks that a project can have (docs/contract/account.md 6.1). */
export interface CheckAllowance {
  checksMax: number;
  intervalSecondsMin: number;
}

const CHECKS: Record<Plan, CheckAllowance> = {
  free: { checksMax: 1, intervalSecondsMin: 300 },
  solo: { checksMax: 3, intervalSecondsMin: 60 },
  team: { checksMax: 8, intervalSecondsMin: 30 },
};

/**
 * While plan limits are off (docs/contract/account.md 6.8): a bound all the same, because each check takes of our own
 * time.
 */
const CHECKS_UNENFORCED: CheckAllowance = { checksMax: 100, intervalSecondsMin: 30 };

/** The availability checks a plan allows each project. */
export function checkAllowance(plan: Plan, isEnforced: boolean): CheckAllowance {
  return isEnforced ? CHECKS[plan] : CHECKS_UNENFORCED;
}
