import type { Transaction } from '../../platform/db/database.ts';
import { queueAllowanceCheck } from './billing.jobs.ts';
import { eventsUsed } from './events-used.ts';
import type { PlanSettings } from './plan.ts';
import { type PlanRecord, planInForce } from './plan-in-force.ts';
import { type ReadPlanRecord, updatePlanRecord } from './plan-records.queries.ts';
import { carryUsage, findCountedUsage } from './usage-counters.queries.ts';

/**
 * Writes a plan record that was locked with `lockPlanRecord`, and moves what was used so far into the window that is
 * current with the new terms (docs/contract/account.md 6.4: limits change immediately, `used` stays).
 * @param after its `usageSettledAtMs` is set here
 */
export async function changePlanRecord(
  transaction: Transaction,
  plans: PlanSettings,
  organizationId: string,
  { record: before, nowMs }: ReadPlanRecord,
  after: PlanRecord,
): Promise<void> {
  const fromStartMs = planInForce(before, plans, nowMs).usageWindow.startMs;
  const toStartMs = planInForce(after, plans, nowMs).usageWindow.startMs;
  const { eventsByWindow } = await findCountedUsage(transaction, organizationId, fromStartMs);
  const used = eventsUsed(before, plans, eventsByWindow, nowMs);
  const meters = await carryUsage(transaction, organizationId, { fromStartMs, toStartMs }, used);
  await updatePlanRecord(transaction, organizationId, { ...after, usageSettledAtMs: nowMs });
  // With other limits it may be a greater part than before.
  await queueAllowanceCheck(transaction, organizationId, toStartMs, meters);
}
