import type { BillingSummary } from '@culprit/contract/workspace/billing';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import { type CapacityChange, capacityProblem, withCapacityChange } from './capacity.ts';
import { changePlanRecord } from './change-plan-record.ts';
import { getBilling } from './get-billing.ts';
import type { PaymentProvider } from './payment-provider.ts';
import type { PlanSettings } from './plan.ts';
import { type PlanInForce, planInForce } from './plan-in-force.ts';
import { findPlanRecord, lockPlanRecord, type ReadPlanRecord } from './plan-records.queries.ts';

/**
 * Changes an organization's capacity units (docs/contract/account.md 6.6). The provider is notified first, outside the
 * transaction; the change is checked again under the lock, so that the second of two concurrent calls sees the first.
 * @throws Problem a 409 of docs/contract/account.md 6.6; `billing_service_error`
 */
export async function changeCapacity(
  { database, plans, payments }: Pick<Runtime, 'database' | 'plans' | 'payments'>,
  organizationId: string,
  change: CapacityChange,
): Promise<BillingSummary> {
  const before = judge(change, await findPlanRecord(database, organizationId), plans);
  await notifyProvider(payments, organizationId, change, before);
  return await database.transaction(async (transaction) => {
    const found = await lockPlanRecord(transaction, organizationId);
    const inForce = judge(change, found, plans);
    if (found === null) throw new Problem('forbidden');
    const after = withCapacityChange(found.record, change, inForce);
    await changePlanRecord(transaction, plans, organizationId, found, after);
    return await getBilling(transaction, plans, organizationId);
  });
}

/** The plan in force, if the change may happen under it. */
function judge(change: CapacityChange, found: ReadPlanRecord | null, plans: PlanSettings): PlanInForce {
  // The organization was deleted since, and with it the caller's role in it.
  if (found === null) throw new Problem('forbidden');
  const inForce = planInForce(found.record, plans, found.nowMs);
  const problem = capacityProblem(change, inForce, plans);
  if (problem !== null) throw new Problem(problem);
  return inForce;
}

async function notifyProvider(
  provider: PaymentProvider,
  organizationId: string,
  change: CapacityChange,
  inForce: PlanInForce,
): Promise<void> {
  switch (change.kind) {
    case 'increase':
      await provider.setQuantity(organizationId, change.additionalUnits);
      break;
    case 'reduction':
      await provider.scheduleQuantity(organizationId, change.additionalUnits, inForce.usageWindow.endMs);
      break;
    case 'cancel':
      await provider.cancelSchedule(organizationId);
      break;
  }
}
