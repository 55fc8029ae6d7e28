import * as billing from '@culprit/contract/workspace/billing';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers, ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { CapacityChange } from './capacity.ts';
import { changeCapacity } from './change-capacity.ts';
import { getBilling } from './get-billing.ts';
import { startTrial } from './start-trial.ts';

/** The fields of every request about billing: the caller and the organization that they own. */
type OwnerRequest = Pick<
  ApiRequest<typeof billing.getBilling>,
  'access' | 'caller' | 'log' | 'clientAddress'
>;

/** Billing of the organization the caller owns (docs/contract/account.md 6.2). */
export function bindBillingRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  const { database, plans, payments } = runtime;

  async function audit(
    request: OwnerRequest,
    action: string,
    data: Readonly<Record<string, string | number>>,
  ): Promise<void> {
    const { access, caller } = request;
    await recordAudit(database, request, { ...access, action, actorUserId: caller.userId, data });
  }

  async function changeUnits(request: OwnerRequest, change: CapacityChange): Promise<billing.BillingSummary> {
    const summary = await changeCapacity(runtime, request.access.organizationId, change);
    const data = change.kind === 'cancel' ? {} : { additional_units: change.additionalUnits };
    await audit(request, AUDIT_ACTIONS[change.kind], data);
    return summary;
  }

  binder.bind(billing.getBilling).answers(({ access }) => getBilling(database, plans, access.organizationId));
  binder.bind(billing.startTrial).to(async (request) => {
    const { organizationId } = request.access;
    const plan = request.body.target_plan ?? 'team';
    const summary = await database.transaction(async (transaction) => {
      if (!(await startTrial(transaction, plans, organizationId, plan))) {
        throw new Problem('trial_unavailable');
      }
      return await getBilling(transaction, plans, organizationId);
    });
    await audit(request, 'billing.trial_started', { plan });
    return { status: 200, body: { billing: summary } };
  });
  binder.bind(billing.increaseCapacity).to(async (request) => {
    const additionalUnits = request.body.target_additional_capacity_units;
    return {
      status: 200,
      body: { billing: await changeUnits(request, { kind: 'increase', additionalUnits }) },
    };
  });
  binder.bind(billing.scheduleReduction).to(async (request) => {
    const additionalUnits = request.body.target_additional_capacity_units;
    return {
      status: 200,
      body: { billing: await changeUnits(request, { kind: 'reduction', additionalUnits }) },
    };
  });
  binder.bind(billing.cancelReduction).answers((request) => changeUnits(request, { kind: 'cancel' }));
  binder.bind(billing.createCheckout).to(async ({ access, body }) => ({
    status: 200,
    body: await payments.createCheckout(access.organizationId, body.target_plan),
  }));
  binder.bind(billing.confirmCheckout).to(async (request) => {
    const { organizationId } = request.access;
    await payments.confirmCheckout(organizationId, request.body.session_id);
    await audit(request, 'billing.checkout_confirmed', {});
    return { status: 200, body: { billing: await getBilling(database, plans, organizationId) } };
  });
  binder.bind(billing.openBillingPortal).to(async ({ access }) => ({
    status: 200,
    body: await payments.openPortal(access.organizationId),
  }));
}

const AUDIT_ACTIONS: Readonly<Record<CapacityChange['kind'], string>> = {
  increase: 'billing.capacity_increased',
  reduction: 'billing.reduction_scheduled',
  cancel: 'billing.reduction_canceled',
};
