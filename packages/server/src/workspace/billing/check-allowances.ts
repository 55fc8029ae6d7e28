import type { Transaction } from '../../platform/db/database.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import { allowanceMail } from './allowance-mail.ts';
import { findOwnerAddress } from './billing.queries.ts';
import { percentReached } from './count-usage.ts';
import { eventsUsed } from './events-used.ts';
import { EVENTS_METER, limitOf, type MonthlyMeter } from './meters.ts';
import type { PlanSettings } from './plan.ts';
import { planInForce } from './plan-in-force.ts';
import { findPlanRecord, type ReadPlanRecord } from './plan-records.queries.ts';
import { findCountedUsage, lockCounter, updateCounter } from './usage-counters.queries.ts';

/**
 * Writes to the owner when a meter has reached 80 or 100 percent of its allowance: for each percentage once in a
 * window, and for the higher alone when both are reached (docs/contract/notifications.md 6). Does nothing for a window
 * that has ended, and while plan limits are off.
 */
export async function checkAllowances(
  transaction: Transaction,
  { plans, mailKey, appUrl }: { plans: PlanSettings; mailKey: Buffer; appUrl: string },
  organizationId: string,
  windowStartMs: number,
  meters: readonly MonthlyMeter[],
): Promise<void> {
  const to = await findOwnerAddress(transaction, organizationId);
  // In the order in which a change of the plan locks them.
  for (const meter of meters.toSorted()) {
    const counter = await lockCounter(transaction, organizationId, windowStartMs, meter);
    // Behind the lock: a change of the plan writes the counters too.
    const found = await findPlanRecord(transaction, organizationId);
    if (counter === null || found === null || to === null) continue;
    const { plan, usageWindow, limits } = planInForce(found.record, plans, found.nowMs);
    if (usageWindow.startMs !== windowStartMs) continue;
    const carried = meter === EVENTS_METER ? await leftOver(transaction, plans, organizationId, found) : 0;
    const [used, limit] = [counter.used + carried, limitOf(limits, meter)];
    const percent = percentReached(used, limit);
    const crossesThreshold = percent > counter.noticedPercent;
    const noticedPercent = crossesThreshold ? percent : counter.noticedPercent;
    await updateCounter(transaction, organizationId, windowStartMs, meter, { carried, noticedPercent });
    if (percent === 0 || !crossesThreshold) continue;
    const { endMs: endsAtMs } = usageWindow;
    const mail = allowanceMail({ meter, percent, used, limit, plan, endsAtMs, appUrl });
    await queueMail(transaction, mailKey, { to, ...mail });
  }
}

/** Events beyond the limits of the windows before. */
async function leftOver(
  transaction: Transaction,
  plans: PlanSettings,
  organizationId: string,
  { record, nowMs }: ReadPlanRecord,
): Promise<number> {
  const { startMs } = planInForce(record, plans, nowMs).usageWindow;
  const { eventsByWindow } = await findCountedUsage(transaction, organizationId, startMs);
  return eventsUsed(record, plans, eventsByWindow, nowMs) - (eventsByWindow.get(startMs) ?? 0);
}
