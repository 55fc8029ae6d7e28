import type { BillingSummary } from '@culprit/contract/workspace/billing';
import type { Queryable } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { countHoldings } from './billing.queries.ts';
import { billingSummary } from './billing-summary.ts';
import type { PlanSettings } from './plan.ts';
import { planInForce } from './plan-in-force.ts';
import { findPlanRecord } from './plan-records.queries.ts';
import { findCountedUsage } from './usage-counters.queries.ts';

/**
 * Plan, capacity, allowances and trial of an organization as of now (docs/contract/account.md 6.3).
 * @throws Problem `forbidden` when the organization is gone
 */
export async function getBilling(
  database: Queryable,
  plans: PlanSettings,
  organizationId: string,
): Promise<BillingSummary> {
  const found = await findPlanRecord(database, organizationId);
  if (found === null) throw new Problem('forbidden');
  const { usageWindow } = planInForce(found.record, plans, found.nowMs);
  const usage = await findCountedUsage(database, organizationId, usageWindow.startMs);
  const counts = await countHoldings(database, organizationId);
  return billingSummary(found.record, plans, {
    nowMs: found.nowMs,
    ...counts,
    usage,
  });
}
