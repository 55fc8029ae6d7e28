import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import type { Plan } from '../../src/workspace/billing/plan.ts';
import { type PlanRecord, planInForce } from '../../src/workspace/billing/plan-in-force.ts';
import { findPlanRecord, updatePlanRecord } from '../../src/workspace/billing/plan-records.queries.ts';
import { HOSTED, SELF_HOSTED } from '../support/culprit.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { anyMoment, anyPlanRecord, configured, planRecord, trialFrom } from './plan-records.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-01-10T12:00:00Z');

function inForce(record: PlanRecord, atMs: number) {
  const { plan, billingState, additionalUnits, usageWindow } = planInForce(record, HOSTED, atMs);
  return { plan, billingState, additionalUnits, from: new Date(usageWindow.startMs).toISOString() };
}

describe('the plan in force', () => {
  it('is Free by the calendar month for a new organization', () => {
    expect(inForce(planRecord(), START_MS)).toEqual({
      plan: 'free',
      billingState: null,
      additionalUnits: 0,
      from: '2026-01-01T00:00:00.000Z',
    });
  });

  it('is the plan of a trial until the millisecond it ends, then Free', () => {
    const trial = trialFrom('solo', START_MS);
    const record = planRecord({ plan: 'solo', planStartedAtMs: START_MS, trial });
    expect(inForce(record, trial.endsAtMs - 1)).toEqual({
      plan: 'solo',
      billingState: 'trialing',
      additionalUnits: 0,
      from: '2026-01-10T12:00:00.000Z',
    });
    expect(inForce(record, trial.endsAtMs)).toEqual({
      plan: 'free',
      billingState: 'trial_expired',
      additionalUnits: 0,
      from: '2026-02-01T00:00:00.000Z',
    });
  });

  it('is what an operator set, however the trial before it ended', () => {
    const set = { plan: 'team', planStartedAtMs: START_MS + 50 * DAY_MS, isSetByOperator: true } as const;
    const expired = planRecord({ ...set, trial: trialFrom('solo', START_MS) });
    const converted = planRecord({
      ...set,
      trial: { ...trialFrom('solo', START_MS), convertedAtMs: START_MS + DAY_MS },
    });
    for (const record of [expired, converted]) {
      expect(inForce(record, START_MS + 60 * DAY_MS)).toMatchObject({
        plan: 'team',
        billingState: 'admin_override',
        from: '2026-03-01T12:00:00.000Z',
      });
    }
  });

  it('has the units of a scheduled reduction from its moment on', () => {
    const effectiveAtMs = START_MS + 20 * DAY_MS;
    const record = planRecord({
      plan: 'solo',
      planStartedAtMs: START_MS,
      additionalUnits: 5,
      pendingReduction: { additionalUnits: 1, effectiveAtMs },
    });
    const before = planInForce(record, HOSTED, effectiveAtMs - 1);
    expect([before.additionalUnits, before.limits.monthlyWebhookDeliveries]).toEqual([5, 2000]);
    expect(before.pendingReduction).toEqual({ additionalUnits: 1, effectiveAtMs });
    const after = planInForce(record, HOSTED, effectiveAtMs);
    expect([after.additionalUnits, after.limits.monthlyWebhookDeliveries]).toEqual([1, 1000]);
    expect(after.pendingReduction).toBeNull();
  });

  it('is that of the configuration, whatever the organization has stored', () => {
    fc.assert(
      fc.property(
        anyPlanRecord(),
        anyMoment(),
        fc.constantFrom<Plan>('free', 'solo', 'team'),
        (record, atMs, plan) => {
          const found = planInForce(record, configured(plan), atMs);
          expect(found).toMatchObject({
            plan,
            billingState: plan === 'free' ? null : 'admin_override',
            isTrialing: false,
            additionalUnits: 0,
            pendingReduction: null,
          });
        },
      ),
    );
  });

  it('limits nothing while limits are off', () => {
    const { limits } = planInForce(planRecord(), SELF_HOSTED, START_MS);
    expect(new Set(Object.values(limits))).toEqual(new Set([2_147_483_647]));
  });

  it('has a window that contains the moment, unless that lies before the plan', () => {
    fc.assert(
      fc.property(anyPlanRecord(), anyMoment(), (record, atMs) => {
        const { usageWindow, plan, isTrialing } = planInForce(record, HOSTED, atMs);
        expect(usageWindow.endMs).toBeGreaterThan(atMs);
        if (isTrialing || (plan !== 'free' && atMs < record.planStartedAtMs)) return;
        expect(usageWindow.startMs).toBeLessThanOrEqual(atMs);
      }),
    );
  });
});

describe('the plan in SQL', () => {
  let database: Database;
  let organizationId: string;

  beforeAll(async () => {
    database = openDatabase({
      url: await createTestDatabase(),
      connectionsMax: 1,
      applicationName: 'culprit-test',
    });
    organizationId = newUuid();
    await database.script(`insert into users (user_id, email) values ('${organizationId}', 'a@example.test');
      insert into organizations (organization_id, owner_user_id, name)
        values ('${organizationId}', '${organizationId}', 'a')`);
  });
  afterAll(() => database.close());

  it('is the same as in the program, for every record that is written and read back', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlanRecord(), anyMoment(), async (record, atMs) => {
        await updatePlanRecord(database, organizationId, record);
        expect((await findPlanRecord(database, organizationId))?.record).toEqual(record);
        const [row] = await database.query<{ plan: Plan }>(
          {
            name: 'test-effective-plan',
            text: 'select effective_plan(o, $2) as plan from organizations o where organization_id = $1',
          },
          [organizationId, new Date(atMs)],
        );
        expect(row?.plan).toBe(planInForce(record, HOSTED, atMs).plan);
      }),
      { numRuns: 300 },
    );
  });
});
