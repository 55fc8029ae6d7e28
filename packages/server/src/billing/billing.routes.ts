import * as billing from '@culprit/contract/billing';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../platform/db/database.ts';
import type { Binder, Callers, RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { findOwnedOrganization } from './billing.queries.ts';
import type { CapacityChange } from './capacity.ts';
import { changeCapacity } from './change-capacity.ts';
import type { PaymentProvider } from './payment-provider.ts';
import type { PlanSettings } from './plan.ts';
import { readBilling } from './read-billing.ts';
import { startTrial } from './start-trial.ts';

/** A caller, as far as billing asks: whose organization it is. */
interface Person {
  userId: string;
}

/** Billing of the organization the caller owns (account.md 6.2). */
export function bindBillingRoutes<C extends Callers & { member: Person; session: Person }>(
  binder: Binder<C>,
  options: { database: Database; plans: PlanSettings; provider: PaymentProvider },
): void {
  const { database, plans, provider } = options;

  async function ownedOrganization({ userId }: Person): Promise<string> {
    const organizationId = await findOwnedOrganization(database, userId);
    if (organizationId === null) throw new Problem('forbidden');
    return organizationId;
  }

  async function audit(
    context: RequestContext & { caller: Person },
    organizationId: string,
    action: string,
    data: Readonly<Record<string, string | number>>,
  ): Promise<void> {
    await recordAudit(database, context, {
      action,
      actorUserId: context.caller.userId,
      organizationId,
      data,
    });
  }

  async function changeUnits(
    context: RequestContext & { caller: Person },
    change: CapacityChange,
  ): Promise<billing.BillingSummary> {
    const organizationId = await ownedOrganization(context.caller);
    const summary = await changeCapacity(database, { plans, provider }, organizationId, change);
    const action = AUDIT_ACTIONS[change.kind];
    const data = change.kind === 'cancel' ? {} : { additional_units: change.additionalUnits };
    await audit(context, organizationId, action, data);
    return summary;
  }

  binder.bind(billing.getBilling).to(async ({ caller }) => ({
    status: 200,
    body: { billing: await readBilling(database, plans, await ownedOrganization(caller)) },
  }));
  binder.bind(billing.startTrial).to(async (context) => {
    const organizationId = await ownedOrganization(context.caller);
    const plan = context.body.target_plan ?? 'team';
    const summary = await database.transaction(async (transaction) => {
      if (!(await startTrial(transaction, plans, organizationId, plan))) {
        throw new Problem('trial_unavailable');
      }
      return await readBilling(transaction, plans, organizationId);
    });
    await audit(context, organizationId, 'billing.trial_started', { plan });
    return { status: 200, body: { billing: summary } };
  });
  binder.bind(billing.increaseCapacity).to(async (context) => {
    const additionalUnits = context.body.target_additional_capacity_units;
    return {
      status: 200,
      body: { billing: await changeUnits(context, { kind: 'increase', additionalUnits }) },
    };
  });
  binder.bind(billing.scheduleReduction).to(async (context) => {
    const additionalUnits = context.body.target_additional_capacity_units;
    return {
      status: 200,
      body: { billing: await changeUnits(context, { kind: 'reduction', additionalUnits }) },
    };
  });
  binder.bind(billing.cancelReduction).to(async (context) => ({
    status: 200,
    body: { billing: await changeUnits(context, { kind: 'cancel' }) },
  }));
  binder.bind(billing.createCheckout).to(async ({ caller, body }) => {
    const organizationId = await ownedOrganization(caller);
    return { status: 200, body: await provider.createCheckout(organizationId, body.target_plan) };
  });
  binder.bind(billing.confirmCheckout).to(async (context) => {
    const organizationId = await ownedOrganization(context.caller);
    await provider.confirmCheckout(organizationId, context.body.session_id);
    await audit(context, organizationId, 'billing.checkout_confirmed', {});
    return { status: 200, body: { billing: await readBilling(database, plans, organizationId) } };
  });
  binder.bind(billing.openBillingPortal).to(async ({ caller }) => ({
    status: 200,
    body: await provider.openPortal(await ownedOrganization(caller)),
  }));
}

const AUDIT_ACTIONS: Readonly<Record<CapacityChange['kind'], string>> = {
  increase: 'billing.capacity_increased',
  reduction: 'billing.reduction_scheduled',
  cancel: 'billing.reduction_canceled',
};
