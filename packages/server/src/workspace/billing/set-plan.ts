import type { Transaction } from '../../platform/db/database.ts';
import { queuePlanMail } from './billing.jobs.ts';
import { changePlanRecord } from './change-plan-record.ts';
import type { Plan, PlanSettings } from './plan.ts';
import { type PlanRecord, planInForce } from './plan-in-force.ts';
import { lockPlanRecord } from './plan-records.queries.ts';

/** The plan that an operator gives an organization. */
export interface PlanChoice {
  plan: Plan;
  /** Extra units, 0 to 99, none on Free. Null keeps them while the plan stays the same, and is none otherwise. */
  additionalUnits: number | null;
}

/**
 * Sets an organization's plan on behalf of the operator (docs/contract/account.md 6.8), inside the caller's
 * transaction: immediately, and as the conversion of a running trial. A plan that stays the same keeps its usage
 * window.
 */
export async function setPlan(
  transaction: Transaction,
  plans: PlanSettings,
  organizationId: string,
  choice: PlanChoice,
): Promise<void> {
  const found = await lockPlanRecord(transaction, organizationId);
  if (found === null) throw new Error('the organization does not exist');
  const { record, nowMs } = found;
  const after = recordWith(record, plans, choice, nowMs);
  await changePlanRecord(transaction, plans, organizationId, found, after);
  const isConverted = after.trial !== null && record.trial?.convertedAtMs !== after.trial.convertedAtMs;
  if (isConverted) await queuePlanMail(transaction, organizationId, 'trial_converted', nowMs);
}

function recordWith(record: PlanRecord, plans: PlanSettings, choice: PlanChoice, nowMs: number): PlanRecord {
  const { plan } = choice;
  const inForce = planInForce(record, plans, nowMs);
  const isSame = inForce.plan === plan && !inForce.isTrialing;
  const keepsUnits = isSame && choice.additionalUnits === null;
  return {
    plan,
    planStartedAtMs: isSame ? record.planStartedAtMs : nowMs,
    isSetByOperator: true,
    trial:
      inForce.isTrialing && record.trial !== null ? { ...record.trial, convertedAtMs: nowMs } : record.trial,
    additionalUnits: keepsUnits ? inForce.additionalUnits : (choice.additionalUnits ?? 0),
    pendingReduction: keepsUnits ? inForce.pendingReduction : null,
    usageSettledAtMs: record.usageSettledAtMs,
  };
}
