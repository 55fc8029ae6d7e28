import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventsUsed } from '../../src/workspace/billing/events-used.ts';
import type { PlanRecord } from '../../src/workspace/billing/plan-in-force.ts';
import { HOSTED, SELF_HOSTED } from '../support/culprit.ts';
import { planRecord, trialFrom } from './plan-records.ts';

const DAY_MS = 86_400_000;

function at(text: string): number {
  return Date.parse(text);
}

/** `used` at a moment, after events in windows named by their start. */
function used(record: PlanRecord, counted: Readonly<Record<string, number>>, time: string): number {
  const byWindow = new Map(Object.entries(counted).map(([start, events]) => [at(start), events]));
  return eventsUsed(record, HOSTED, byWindow, at(time));
}

describe('the events used', () => {
  const free = planRecord({ usageSettledAtMs: at('2026-01-05T00:00:00Z') });

  it('are those of the window', () => {
    const counted = { '2026-01-01': 700, '2026-02-01': 20 };
    expect(used(free, counted, '2026-01-31T23:59:59.999Z')).toBe(700);
    expect(used(free, counted, '2026-02-01T00:00:00Z')).toBe(20);
  });

  it('begin with the excess of the window before', () => {
    const counted = { '2026-01-01': 800, '2026-02-01': 20 };
    expect(used(free, counted, '2026-01-31T00:00:00Z')).toBe(800);
    expect(used(free, counted, '2026-02-10T00:00:00Z')).toBe(70);
  });

  it('are what is left of a great excess, window after window, although nothing is sent any more', () => {
    const counted = { '2026-01-01': 3000 };
    const months = ['02', '03', '04', '05', '06'].map((month) =>
      used(free, counted, `2026-${month}-15T00:00:00Z`),
    );
    expect(months).toEqual([2250, 1500, 750, 0, 0]);
  });

  it('count what came late in a window that just ended', () => {
    const before = used(free, { '2026-01-01': 760, '2026-02-01': 5 }, '2026-02-01T00:00:01Z');
    const after = used(free, { '2026-01-01': 765, '2026-02-01': 5 }, '2026-02-01T00:00:01Z');
    expect([before, after]).toEqual([15, 20]);
  });

  it('go from a trial that ended into the calendar month, beyond what the trial allowed', () => {
    const trial = trialFrom('solo', at('2026-01-10T12:00:00Z'));
    const record = planRecord({
      plan: 'solo',
      planStartedAtMs: trial.startedAtMs,
      trial,
      usageSettledAtMs: trial.startedAtMs,
    });
    const counted = { '2026-01-10T12:00:00Z': 11_000, '2026-02-01': 3 };
    expect(used(record, counted, '2026-02-09T11:59:59Z')).toBe(11_000);
    expect(used(record, counted, '2026-02-09T12:00:00Z')).toBe(503);
  });

  it('are judged by the units that held when the window ended', () => {
    const record = planRecord({
      plan: 'solo',
      planStartedAtMs: at('2026-01-10T12:00:00Z'),
      usageSettledAtMs: at('2026-01-12T00:00:00Z'),
      additionalUnits: 1,
      pendingReduction: { additionalUnits: 0, effectiveAtMs: at('2026-02-10T12:00:00Z') },
    });
    const counted = { '2026-01-10T12:00:00Z': 14_001, '2026-02-10T12:00:00Z': 10_600 };
    expect(used(record, counted, '2026-02-11T00:00:00Z')).toBe(10_601);
    expect(used(record, counted, '2026-03-11T00:00:00Z')).toBe(101);
  });

  it('leave nothing over while limits are off', () => {
    const counted = new Map([[at('2026-01-10T12:00:00Z'), 10_000_000]]);
    const record = planRecord({ plan: 'team', planStartedAtMs: at('2026-01-10T12:00:00Z') });
    expect(eventsUsed(record, SELF_HOSTED, counted, at('2026-03-01T00:00:00Z'))).toBe(0);
  });

  it('never lose or invent an event: what was counted is what the limits took and what is used', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 24 }), (counts) => {
        const starts = counts.map((_, month) => Date.UTC(2026, month, 1));
        const byWindow = new Map(starts.map((start, index) => [start, counts[index] ?? 0]));
        const record = planRecord({ usageSettledAtMs: Date.UTC(2026, 0, 1) });
        const usedNow = starts.map((start) => eventsUsed(record, HOSTED, byWindow, start + DAY_MS));
        const taken = usedNow.slice(0, -1).reduce((sum, used) => sum + Math.min(used, 750), 0);
        expect(taken + (usedNow.at(-1) ?? 0)).toBe(counts.reduce((sum, each) => sum + each, 0));
      }),
    );
  });
});
