import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import type { PaidPlan, Plan } from './plan.ts';
import type { PlanRecord } from './plan-in-force.ts';

/** The columns of `organizations o` that `planRecordOf` reads, for statements that need them beside their own. */
export const PLAN_COLUMNS = `o.plan, o.plan_started_at, o.is_plan_set_by_operator, o.trial_plan, o.trial_started_at,
  o.trial_ends_at, o.trial_converted_at, o.additional_units, o.pending_units, o.pending_units_at, o.usage_settled_at`;

/** The row that `PLAN_COLUMNS` selects. */
export interface PlanRow {
  plan: Plan;
  plan_started_at: number;
  is_plan_set_by_operator: boolean;
  trial_plan: PaidPlan | null;
  trial_started_at: number | null;
  trial_ends_at: number | null;
  trial_converted_at: number | null;
  additional_units: number;
  pending_units: number | null;
  pending_units_at: number | null;
  usage_settled_at: number;
}

/** The record of a row. */
export function planRecordOf(row: PlanRow): PlanRecord {
  const { trial_plan: trialPlan, trial_started_at: trialStartedAtMs, trial_ends_at: trialEndsAtMs } = row;
  const { pending_units: pendingUnits, pending_units_at: pendingUnitsAtMs } = row;
  return {
    plan: row.plan,
    planStartedAtMs: row.plan_started_at,
    isSetByOperator: row.is_plan_set_by_operator,
    trial:
      trialPlan === null || trialStartedAtMs === null || trialEndsAtMs === null
        ? null
        : {
            plan: trialPlan,
            startedAtMs: trialStartedAtMs,
            endsAtMs: trialEndsAtMs,
            convertedAtMs: row.trial_converted_at,
          },
    additionalUnits: row.additional_units,
    pendingReduction:
      pendingUnits === null || pendingUnitsAtMs === null
        ? null
        : { additionalUnits: pendingUnits, effectiveAtMs: pendingUnitsAtMs },
    usageSettledAtMs: row.usage_settled_at,
  };
}

/** An organization's plan record, read at a moment of the database clock. */
export interface ReadPlanRecord {
  record: PlanRecord;
  nowMs: number;
}

/** The plan record; null when there is no such organization. */
export async function findPlanRecord(
  database: Queryable,
  organizationId: string,
): Promise<ReadPlanRecord | null> {
  return await readOne(
    database,
    sql(
      'plan-record-find',
    )`select ${PLAN_COLUMNS}, culprit_now() as now from organizations o where organization_id = $1`,
    organizationId,
  );
}

/** The same, with a lock that keeps the plan from changing until the transaction ends. Takers do not hinder another. */
export async function lockSharedPlanRecord(
  transaction: Transaction,
  organizationId: string,
): Promise<ReadPlanRecord | null> {
  return await readOne(
    transaction,
    sql('plan-record-hold')`select ${PLAN_COLUMNS}, culprit_now() as now from organizations o
        where organization_id = $1 for key share`,
    organizationId,
  );
}

/** The same, locked for a change of the plan: waits for those who take allowances under the one that was. */
export async function lockPlanRecord(
  transaction: Transaction,
  organizationId: string,
): Promise<ReadPlanRecord | null> {
  const found = await readOne(
    transaction,
    sql('plan-record-lock')`select ${PLAN_COLUMNS}, culprit_now() as now from organizations o
        where organization_id = $1 for update`,
    organizationId,
  );
  // The clock may have been read before the wait for another change, which is not to be undone by an older moment.
  return found === null ? null : { ...found, nowMs: Math.max(found.nowMs, found.record.usageSettledAtMs) };
}

async function readOne(
  database: Queryable,
  statement: { name: string; text: string },
  organizationId: string,
): Promise<ReadPlanRecord | null> {
  const [row] = await database.query<PlanRow & { now: number }>(statement, [organizationId]);
  return row === undefined ? null : { record: planRecordOf(row), nowMs: row.now };
}

/** Writes a changed record back, under the lock of `lockPlanRecord`. */
export async function updatePlanRecord(
  transaction: Queryable,
  organizationId: string,
  record: PlanRecord,
): Promise<void> {
  const { trial, pendingReduction: pending } = record;
  const time = (ms: number | null | undefined) => (ms === null || ms === undefined ? null : new Date(ms));
  await transaction.query(
    sql(
      'plan-record-update',
    )`update organizations set plan = $2, plan_started_at = $3, is_plan_set_by_operator = $4, trial_plan = $5,
          trial_started_at = $6, trial_ends_at = $7, trial_converted_at = $8, additional_units = $9,
          pending_units = $10, pending_units_at = $11, usage_settled_at = $12
        where organization_id = $1`,
    [
      organizationId,
      record.plan,
      new Date(record.planStartedAtMs),
      record.isSetByOperator,
      trial?.plan ?? null,
      time(trial?.startedAtMs),
      time(trial?.endsAtMs),
      time(trial?.convertedAtMs),
      record.additionalUnits,
      pending?.additionalUnits ?? null,
      time(pending?.effectiveAtMs),
      new Date(record.usageSettledAtMs),
    ],
  );
}
