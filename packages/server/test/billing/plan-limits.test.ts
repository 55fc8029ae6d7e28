import { describe, expect, it } from 'vitest';
import { limitOf, type MonthlyMeter } from '../../src/workspace/billing/meters.ts';
import type { Plan } from '../../src/workspace/billing/plan.ts';
import { INCLUDED_UNITS, planLimits } from '../../src/workspace/billing/plan-limits.ts';

/** The table of docs/contract/account.md 6.1: included units, then the six allowances. */
const TABLE: Record<Plan, number[]> = {
  free: [1, 750, 100, 50, 0, 25, 100],
  solo: [3, 10_500, 750, 450, 75, 225, 750],
  team: [15, 150_000, 15_000, 6_000, 1_500, 4_500, 15_000],
};
const PER_UNIT: Record<Plan, number[]> = {
  free: [0, 0, 0, 0, 0, 0],
  solo: [3_500, 250, 150, 25, 75, 250],
  team: [10_000, 1_000, 400, 100, 300, 1_000],
};

function allowances(plan: Plan, additionalUnits: number): number[] {
  const limits = planLimits(plan, additionalUnits);
  const of = (meter: MonthlyMeter) => limitOf(limits, meter);
  return [
    of('monthly_raw_ingested_events'),
    of('monthly_bundle_requests'),
    limits.retainedBundleCap,
    of('monthly_remote_activations'),
    of('monthly_alert_deliveries'),
    of('monthly_webhook_deliveries'),
  ];
}

describe.each(['free', 'solo', 'team'] as const)('the allowances of %s', (plan) => {
  it('are those of the contract', () => {
    expect([INCLUDED_UNITS[plan], ...allowances(plan, 0)]).toEqual(TABLE[plan]);
  });

  it.each([1, 99])('grow by the same for each of %i extra units', (units) => {
    const [, ...base] = TABLE[plan];
    const expected = base.map((each, index) => each + units * (PER_UNIT[plan][index] ?? 0));
    expect(allowances(plan, units)).toEqual(expected);
  });
});
