import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { billingClient, billingOf, newOwner, newSoloOwner } from '../support/billing-client.ts';
import { HOSTED, SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { problem } from '../support/expect-problem.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { newAddress } from '../support/people.ts';
import { sendRequest } from '../support/send-events.ts';

/** Capacity of docs/contract/account.md 15, and plans from the configuration. */

const START = '2026-01-10T12:00:00.000Z';
const START_MS = Date.parse(START);

let culprit: TestCulprit;

beforeAll(async () => {
  culprit = await startCulprit({ duties: [], plans: HOSTED });
});
afterAll(() => culprit.stop());
afterEach(() => moveClock(culprit.database, 0));

describe('capacity', () => {
  //
  it('grows at once and shrinks when the window ends', async () => {
    const { billing } = await newSoloOwner(culprit, START_MS);
    const usageWindow = { starts_at: START, ends_at: '2026-02-10T12:00:00.000Z' };
    const grown = billingOf(await billing.increase(2));
    expect(grown).toMatchObject({
      plan: 'solo',
      billing_state: 'admin_override',
      capacity_units: { total: 5, included: 3, additional_purchased: 2, pending_reduction: null },
      usage_window: usageWindow,
      allowances: { monthly_webhook_deliveries: { used: 0, limit: 1250 } },
    });
    expect(await billing.increase(2)).toMatchObject(problem(409, 'invalid_target_quantity'));
    expect(await billing.increase(1)).toMatchObject(problem(409, 'invalid_target_quantity'));

    const pending = { additional_purchased: 1, total: 4, effective_at: usageWindow.ends_at };
    expect(billingOf(await billing.reduce(1)).capacity_units).toEqual({
      total: 5,
      included: 3,
      additional_purchased: 2,
      pending_reduction: pending,
    });
    expect(await billing.increase(3)).toMatchObject(problem(409, 'pending_reduction_exists'));
    expect(billingOf(await billing.cancelReduction()).capacity_units).toEqual(grown.capacity_units);
    expect(await billing.cancelReduction()).toMatchObject(problem(409, 'no_pending_reduction'));

    await billing.reduce(1);
    await holdClock(culprit.database, Date.parse(usageWindow.ends_at) - 1);
    expect((await billing.read()).capacity_units.pending_reduction).toEqual(pending);
    await holdClock(culprit.database, Date.parse(usageWindow.ends_at));
    expect(await billing.read()).toMatchObject({
      capacity_units: { total: 4, included: 3, additional_purchased: 1, pending_reduction: null },
      usage_window: { starts_at: usageWindow.ends_at, ends_at: '2026-03-10T12:00:00.000Z' },
      allowances: { monthly_webhook_deliveries: { limit: 1000 } },
    });
    expect(await billing.cancelReduction()).toMatchObject(problem(409, 'no_pending_reduction'));
    expect(billingOf(await billing.increase(3)).capacity_units.total).toBe(6);
  });

  it('shrinks as the second of two scheduled reductions says', async () => {
    const { billing } = await newSoloOwner(culprit, START_MS);
    await billing.increase(5);
    await billing.reduce(4);
    const second = billingOf(await billing.reduce(2)).capacity_units;
    expect(second).toMatchObject({ total: 8, pending_reduction: { additional_purchased: 2, total: 5 } });
    expect(await billing.reduce(5)).toMatchObject(problem(409, 'invalid_target_quantity'));
    expect((await billing.read()).capacity_units).toEqual(second);
  });

  //
  it.each([100, -1, 1.5, '2', null])('refuses the target %j', async (target) => {
    const { billing } = await newSoloOwner(culprit, START_MS);
    expect(await billing.increase(target)).toMatchObject(problem(400, 'invalid_payload'));
    expect(await billing.reduce(target)).toMatchObject(problem(400, 'invalid_payload'));
  });

  //
  it('is increased once by many who ask for the same at once', async () => {
    const { billing } = await newSoloOwner(culprit, START_MS);
    const answers = await Promise.all(Array.from({ length: 10 }, () => billing.increase(7)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect((await billing.read()).capacity_units.additional_purchased).toBe(7);
  });

  //
  it('is not to be had on Free', async () => {
    const { billing } = await newOwner(culprit);
    expect(await billing.increase(1)).toMatchObject(problem(409, 'capacity_not_available'));
    expect(await billing.reduce(0)).toMatchObject(problem(409, 'capacity_not_available'));
    expect(await billing.cancelReduction()).toMatchObject(problem(409, 'no_pending_reduction'));
  });

  it('is told in the audit log, with who changed it', async () => {
    const { owner, billing } = await newSoloOwner(culprit, START_MS);
    await billing.increase(2);
    await billing.increase(2);
    await billing.reduce(1);
    await billing.cancelReduction();
    const rows = await culprit.database.query(
      {
        name: 'test-audited-billing',
        text: `select action, data from audit_log where actor_user_id = $1 and organization_id is not null
          order by audit_id`,
      },
      [owner.userId],
    );
    expect(rows).toEqual([
      { action: 'billing.capacity_increased', data: { additional_units: 2 } },
      { action: 'billing.reduction_scheduled', data: { additional_units: 1 } },
      { action: 'billing.reduction_canceled', data: {} },
    ]);
  });
});

describe('plans from the configuration', () => {
  let selfHosted: TestCulprit;
  beforeAll(async () => {
    selfHosted = await startCulprit({ duties: [], plans: SELF_HOSTED });
  });
  afterAll(() => selfHosted.stop());

  //
  it('are the same for every organization, without limits, and changed by nobody', async () => {
    const { memberToken, projectId } = await selfHosted.createProject();
    const billing = billingClient(selfHosted, memberToken);
    const summary = await billing.read();
    expect(summary).toMatchObject({
      plan: 'team',
      billing_state: 'admin_override',
      capacity_units: { total: 15, included: 15, additional_purchased: 0 },
      trial: { available: false, active: false },
    });
    expect(new Set(Object.values(summary.allowances).map(({ limit }) => limit))).toEqual(
      new Set([2_147_483_647]),
    );
    expect(await billing.startTrial({ target_plan: 'team' })).toMatchObject(
      problem(409, 'trial_unavailable'),
    );
    const managed = problem(409, 'plan_managed_by_configuration');
    expect(await billing.increase(2)).toMatchObject(managed);
    expect(await billing.reduce(0)).toMatchObject(managed);
    expect(await billing.cancelReduction()).toMatchObject(managed);
    const invite = await sendRequest(`${selfHosted.url}/v1/projects/${projectId}/invite`, {
      token: memberToken,
      body: JSON.stringify({ email: newAddress() }),
    });
    expect(invite.status).toBe(201);
  });

  //
  it('Free of the configuration has no state', async () => {
    const plans = { ...HOSTED, source: 'config', defaultPlan: 'free' } as const;
    const free = await startCulprit({ duties: [], plans });
    try {
      const billing = billingClient(free, (await free.createProject()).memberToken);
      expect(await billing.read()).toMatchObject({
        plan: 'free',
        billing_state: null,
        allowances: { monthly_raw_ingested_events: { limit: 750 } },
        trial: { available: false },
      });
      expect(await billing.increase(2)).toMatchObject(problem(409, 'plan_managed_by_configuration'));
    } finally {
      await free.stop();
    }
  });
});
