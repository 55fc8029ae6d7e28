import type { Transaction } from '../../platform/db/database.ts';
import { queueAllowanceCheck } from './billing.jobs.ts';
import { EVENTS_METER, limitOf, type Meter, type MonthlyMeter, refusingLimitOf } from './meters.ts';
import type { PlanInForce } from './plan-in-force.ts';
import { NO_LIMIT } from './plan-limits.ts';
import { addUsage, addUsageUpTo, addUsageWithin, noteUsage } from './usage-counters.queries.ts';

/** The facts about an organization and its plan that counting needs. */
interface CountedPlan extends Pick<PlanInForce, 'usageWindow' | 'limits'> {
  organizationId: string;
}

/**
 * Counts events, which are never refused (docs/contract/account.md 6.4). As everybody who counts, call it late in the
 * transaction: the counter is shared by the whole organization and locked until the commit.
 */
export async function countEvents(transaction: Transaction, plan: CountedPlan, count: number): Promise<void> {
  const { organizationId, usageWindow, limits } = plan;
  if (limits.monthlyRawIngestedEvents === NO_LIMIT) {
    noteUsage(transaction, organizationId, usageWindow.startMs, EVENTS_METER, count);
    return;
  }
  const used = await addUsage(transaction, organizationId, usageWindow.startMs, EVENTS_METER, count);
  // A new counter does not yet include the excess of earlier windows.
  const isFirst = used === count;
  if (isFirst || crossesThreshold(plan, EVENTS_METER, used, count)) {
    await queueAllowanceCheck(transaction, organizationId, usageWindow.startMs, [EVENTS_METER]);
  }
}

/** Counts up to the limit, all or nothing; false when it would be passed. */
export async function countWithin(
  transaction: Transaction,
  plan: CountedPlan,
  meter: Meter,
  count: number,
): Promise<boolean> {
  const { organizationId, usageWindow, limits } = plan;
  const limit = refusingLimitOf(limits, meter);
  if (limit === null) {
    noteUsage(transaction, organizationId, usageWindow.startMs, meter, count);
    return true;
  }
  const used = await addUsageWithin(transaction, organizationId, usageWindow.startMs, meter, count, limit);
  if (used === null) return false;
  if (crossesThreshold(plan, meter, used, count)) {
    await queueAllowanceCheck(transaction, organizationId, usageWindow.startMs, [meter]);
  }
  return true;
}

/** Counts as much as fits below the limit, at most `count`; returns how much. */
export async function countUpTo(
  transaction: Transaction,
  plan: CountedPlan,
  meter: Meter,
  count: number,
): Promise<number> {
  const { organizationId, usageWindow, limits } = plan;
  const limit = refusingLimitOf(limits, meter);
  if (limit === null) {
    noteUsage(transaction, organizationId, usageWindow.startMs, meter, count);
    return count;
  }
  const { used, granted } = await addUsageUpTo(
    transaction,
    organizationId,
    usageWindow.startMs,
    meter,
    count,
    limit,
  );
  if (granted > 0 && crossesThreshold(plan, meter, used, granted)) {
    await queueAllowanceCheck(transaction, organizationId, usageWindow.startMs, [meter]);
  }
  return granted;
}

/** The percentages of an allowance about which its owner is notified (docs/contract/notifications.md 6); 0: none. */
type NoticePercent = 0 | 80 | 100;

/**
 * Returns the highest percentage that is reached of an allowance. For one that is not given, or has no limit, this is
 * 0.
 */
export function percentReached(used: number, limit: number): NoticePercent {
  if (limit === 0 || limit === NO_LIMIT) return 0;
  if (used >= limit) return 100;
  return used * 100 >= limit * 80 ? 80 : 0;
}

/** Returns true if this count reached a percentage: exactly one does, because counts wait for one another. */
function crossesThreshold(
  { limits }: CountedPlan,
  meter: MonthlyMeter,
  used: number,
  count: number,
): boolean {
  const limit = limitOf(limits, meter);
  return percentReached(used, limit) > percentReached(used - count, limit);
}
