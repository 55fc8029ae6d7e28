import type { Transaction } from '../../platform/db/database.ts';
import { queuePlanMail } from './billing.jobs.ts';
import { changePlanRecord } from './change-plan-record.ts';
import type { PaidPlan, PlanSettings } from './plan.ts';
import { type PlanRecord, planInForce } from './plan-in-force.ts';
import { lockPlanRecord } from './plan-records.queries.ts';

const DAY_MS = 86_400_000;
const TRIAL_MS = 30 * DAY_MS;

/**
 * Starts an organization's one trial inside the caller's transaction, with the messages that go with it
 * (docs/contract/account.md
 * 6.5). False, and nothing changed, when it is not eligible: the plan is not Free, there was a trial before, or plans
 * come from the configuration.
 */
export async function startTrial(
  transaction: Transaction,
  plans: PlanSettings,
  organizationId: string,
  targetPlan: PaidPlan,
): Promise<boolean> {
  const found = await lockPlanRecord(transaction, organizationId);
  if (found === null || !isTrialAvailable(found.record, plans, found.nowMs)) return false;
  const startedAtMs = found.nowMs;
  const endsAtMs = startedAtMs + TRIAL_MS;
  await changePlanRecord(transaction, plans, organizationId, found, {
    ...found.record,
    plan: targetPlan,
    planStartedAtMs: startedAtMs,
    isSetByOperator: false,
    trial: { plan: targetPlan, startedAtMs, endsAtMs, convertedAtMs: null },
    additionalUnits: 0,
    pendingReduction: null,
  });
  await queuePlanMail(transaction, organizationId, 'trial_started', startedAtMs);
  await queuePlanMail(transaction, organizationId, 'trial_seven_days_left', endsAtMs - 7 * DAY_MS);
  await queuePlanMail(transaction, organizationId, 'trial_one_day_left', endsAtMs - DAY_MS);
  await queuePlanMail(transaction, organizationId, 'trial_expired', endsAtMs);
  return true;
}

/** Returns true if a trial could start now. */
export function isTrialAvailable(record: PlanRecord, plans: PlanSettings, atMs: number): boolean {
  return (
    plans.source === 'account' && record.trial === null && planInForce(record, plans, atMs).plan === 'free'
  );
}
