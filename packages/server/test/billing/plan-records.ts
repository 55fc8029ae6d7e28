import fc from 'fast-check';
import type { PaidPlan, Plan, PlanSettings } from '../../src/workspace/billing/plan.ts';
import type { PlanRecord } from '../../src/workspace/billing/plan-in-force.ts';
import { HOSTED } from '../support/culprit.ts';

/** Plans from the configuration, with the limits of that plan. */
export function configured(defaultPlan: Plan): PlanSettings {
  return { ...HOSTED, source: 'config', defaultPlan };
}

/** A record with what matters to a test; the rest as of a new organization on Free. */
export function planRecord(facts: Partial<PlanRecord> = {}): PlanRecord {
  return {
    plan: 'free',
    planStartedAtMs: 0,
    isSetByOperator: false,
    trial: null,
    additionalUnits: 0,
    pendingReduction: null,
    usageSettledAtMs: 0,
    ...facts,
  };
}

/** A trial of 30 days. */
export function trialFrom(plan: PaidPlan, startedAtMs: number): NonNullable<PlanRecord['trial']> {
  return { plan, startedAtMs, endsAtMs: startedAtMs + 30 * 86_400_000, convertedAtMs: null };
}

const timeMs = () =>
  fc.integer({ min: Date.parse('2024-01-01T00:00:00Z'), max: Date.parse('2028-01-01T00:00:00Z') });

/** Any record the service can come to. */
export function anyPlanRecord(): fc.Arbitrary<PlanRecord> {
  const trial = fc
    .record({
      plan: fc.constantFrom<PaidPlan>('solo', 'team'),
      startedAtMs: timeMs(),
      isConverted: fc.boolean(),
    })
    .map(({ plan, startedAtMs, isConverted }) => ({
      ...trialFrom(plan, startedAtMs),
      convertedAtMs: isConverted ? startedAtMs + 86_400_000 : null,
    }));
  return fc.record({
    plan: fc.constantFrom<Plan>('free', 'solo', 'team'),
    planStartedAtMs: timeMs(),
    isSetByOperator: fc.boolean(),
    trial: fc.option(trial, { nil: null }),
    additionalUnits: fc.integer({ min: 0, max: 99 }),
    pendingReduction: fc.option(
      fc.record({ additionalUnits: fc.integer({ min: 0, max: 99 }), effectiveAtMs: timeMs() }),
      { nil: null },
    ),
    usageSettledAtMs: timeMs(),
  });
}

/** Moments at which such a record may be asked. */
export const anyMoment = timeMs;
