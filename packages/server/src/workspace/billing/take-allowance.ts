import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { countUpTo, countWithin } from './count-usage.ts';
import { type Meter, refusingLimitOf } from './meters.ts';
import type { PlanSettings } from './plan.ts';
import { planInForce } from './plan-in-force.ts';
import { findPlanRecord, lockSharedPlanRecord } from './plan-records.queries.ts';
import { findUsage } from './usage-counters.queries.ts';

/** The result of a request for an allowance; if it was refused, whole seconds until the meter is reset, at least 1. */
type Allowance = { granted: true } | { granted: false; retryAfterSeconds: number };

const GRANTED: Allowance = { granted: true };

/**
 * Takes `count` of a monthly allowance inside the caller's transaction, all of it or nothing: exact for any number of
 * concurrent calls (docs/contract/account.md 6.4). Call it late: the counter is shared by the whole organization and
 * locked until the commit. While plan limits are off it counts and grants. The owner gets a notice when 80 and 100
 * percent are reached.
 */
export async function consumeAllowance(
  transaction: Transaction,
  plans: PlanSettings,
  organizationId: string,
  meter: Meter,
  count = 1,
): Promise<Allowance> {
  const found = await lockSharedPlanRecord(transaction, organizationId);
  if (found === null) throw new Error('an allowance was asked for an organization that does not exist');
  const { usageWindow, limits } = planInForce(found.record, plans, found.nowMs);
  if (await countWithin(transaction, { organizationId, usageWindow, limits }, meter, count)) return GRANTED;
  const waitMs = usageWindow.endMs - found.nowMs;
  return { granted: false, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
}

/**
 * Takes as much of an allowance as there is, at most `count`, and returns how much. A grant of nothing locks the counter
 * as any other does.
 */
export async function consumeAllowanceUpTo(
  transaction: Transaction,
  plans: PlanSettings,
  organizationId: string,
  meter: Meter,
  count: number,
): Promise<number> {
  if (count === 0) return 0;
  const found = await lockSharedPlanRecord(transaction, organizationId);
  if (found === null) throw new Error('an allowance was asked for an organization that does not exist');
  const { usageWindow, limits } = planInForce(found.record, plans, found.nowMs);
  return await countUpTo(transaction, { organizationId, usageWindow, limits }, meter, count);
}

/** Returns true if one more could be taken now. Takes nothing: for work that is in vain without it. */
export async function isAllowanceLeft(
  database: Queryable,
  plans: PlanSettings,
  organizationId: string,
  meter: Meter,
): Promise<boolean> {
  if (!plans.isEnforced) return true;
  const found = await findPlanRecord(database, organizationId);
  if (found === null) return false;
  const { usageWindow, limits } = planInForce(found.record, plans, found.nowMs);
  const limit = refusingLimitOf(limits, meter);
  return limit === null || (await findUsage(database, organizationId, usageWindow.startMs, meter)) < limit;
}
