import { describe, expect, it } from 'vitest';
import {
  confidencePercent,
  type EventDetector,
  judgeEvents,
  judgeRecurrence,
  type WindowSums,
} from '../../src/pipeline/improvements/detectors.ts';
import {
  advanceImprovement,
  type ImprovementState,
} from '../../src/pipeline/improvements/improvement-state.ts';
import { addAttempts, newGroups } from '../../src/pipeline/improvements/retry-groups.ts';

const MINUTE = 60_000;
const NONE = { high_confidence: 0, balanced: 0, verbose: 0 };

function sums(matches: number, rest: Partial<WindowSums> = {}): WindowSums {
  return {
    matches: { high_confidence: matches, balanced: matches, verbose: matches },
    severe: NONE,
    total: matches,
    buckets: 1,
    firstAtMs: 0,
    lastAtMs: 60 * MINUTE,
    ...rest,
  };
}

describe('the thresholds of detectors', () => {
  it.each<[EventDetector, number, number, number]>([
    ['slow_request', 20, 10, 5],
    ['slow_query', 20, 10, 5],
    ['warning_hotspot', 50, 25, 10],
    ['deprecation', 10, 5, 3],
    ['request_failure', 50, 25, 10],
    ['retry_loop', 3, 2, 1],
  ])('of %s are %i, %i and %i', (detector, high, balanced, verbose) => {
    const limits = { high_confidence: high, balanced, verbose } as const;
    for (const sensitivity of ['high_confidence', 'balanced', 'verbose'] as const) {
      const limit = limits[sensitivity];
      expect(judgeEvents(detector, sums(limit), sensitivity, false)).toMatchObject({
        observed: limit,
        threshold: limit,
      });
      expect(judgeEvents(detector, sums(limit - 1), sensitivity, false)).toBeNull();
    }
  });

  it('ask for a part of the requests of a route, where all are captured', () => {
    const isSlow = (total: number, capturesAll: boolean, sensitivity: 'high_confidence' | 'verbose') =>
      judgeEvents('slow_request', sums(20, { total }), sensitivity, capturesAll) !== null;
    expect(isSlow(200, true, 'high_confidence')).toBe(true);
    expect(isSlow(201, true, 'high_confidence')).toBe(false);
    expect(isSlow(201, false, 'high_confidence')).toBe(true);
    expect(isSlow(1000, true, 'verbose')).toBe(true);
    expect(isSlow(1001, true, 'verbose')).toBe(false);
  });

  it('call a slow request medium when its 95th percentile is twice the limit', () => {
    const severity = (severe: number) =>
      judgeEvents(
        'slow_request',
        sums(40, { severe: { ...NONE, high_confidence: severe } }),
        'high_confidence',
        false,
      )?.severity;
    // The nearest rank of 40 is the 38th value: with three severe ones it is one of them.
    expect(severity(2)).toBe('low');
    expect(severity(3)).toBe('medium');
  });

  it('ask for warnings over some time', () => {
    const found = (spanMs: number, sensitivity: 'high_confidence' | 'balanced' | 'verbose') =>
      judgeEvents('warning_hotspot', sums(50, { lastAtMs: spanMs }), sensitivity, false) !== null;
    expect([found(30 * MINUTE - 1, 'high_confidence'), found(30 * MINUTE, 'high_confidence')]).toEqual([
      false,
      true,
    ]);
    expect([found(15 * MINUTE - 1, 'balanced'), found(15 * MINUTE, 'balanced')]).toEqual([false, true]);
    expect(found(0, 'verbose')).toBe(true);
  });

  it('call an incident recurring by its regressions or by its days', () => {
    expect(judgeRecurrence(3, 0, 'high', 'high_confidence')).toMatchObject({ observed: 3, severity: 'high' });
    expect(judgeRecurrence(2, 4, 'high', 'high_confidence')).toBeNull();
    expect(judgeRecurrence(0, 5, 'low', 'high_confidence')).toMatchObject({ observed: 5, threshold: 5 });
    expect(judgeRecurrence(2, 0, 'low', 'balanced')).toMatchObject({ threshold: 2 });
    expect(judgeRecurrence(1, 4, 'low', 'balanced')).toMatchObject({ observed: 4 });
    expect(judgeRecurrence(1, 3, 'low', 'verbose')).toMatchObject({ observed: 3, threshold: 3 });
  });

  it('lead to a confidence that grows with each doubling', () => {
    const at = (observed: number) => confidencePercent({ observed, threshold: 20 });
    expect([at(20), at(30), at(40), at(80), at(100_000)]).toEqual([60, 66, 70, 80, 95]);
  });
});

describe('groups of retries', () => {
  it('are attempts within a minute, in whatever order and batches they come', () => {
    const first = addAttempts({ atMs: [], largest: 0 }, [120_000, 0]);
    expect(first.largest).toBe(1);
    const second = addAttempts(first, [60_000, 90_000]);
    expect(second).toEqual({ atMs: [0, 60_000, 90_000, 120_000], largest: 3 });
    expect(addAttempts(second, [60_001]).largest).toBe(4);
  });

  it('count once at each sensitivity', () => {
    expect(newGroups(0, 3)).toEqual({ high_confidence: 0, balanced: 0, verbose: 1 });
    expect(newGroups(3, 5)).toEqual({ high_confidence: 1, balanced: 1, verbose: 0 });
    expect(newGroups(5, 9)).toEqual(NONE);
  });
});

describe('the life cycle of an improvement', () => {
  const CANDIDATE: ImprovementState = {
    status: 'candidate',
    severity: 0,
    confidencePercent: 0,
    title: '',
    summary: '',
    evidence: {},
    occurrenceCount: 25,
    firstDetectedAtMs: 100,
    lastDetectedAtMs: 500,
    lastReceivedAtMs: 500,
    resolvedAtMs: null,
    snoozedUntilMs: null,
    episode: 0,
  };
  const MATCHED = { count: 2, firstAtMs: 600, lastAtMs: 700, lastReceivedAtMs: 710 };
  const FINDING = {
    observed: 20,
    threshold: 20,
    severity: 'medium' as const,
    values: {},
    firstAtMs: 300,
    lastAtMs: 700,
    title: 'title',
    summary: 'summary',
    evidence: { observed: 20 },
  };
  const OPEN: ImprovementState = { ...CANDIDATE, status: 'open', episode: 1 };

  it('a candidate opens with what lies in its window', () => {
    expect(advanceImprovement(CANDIDATE, MATCHED, null)).toMatchObject({
      status: 'candidate',
      occurrenceCount: 27,
    });
    expect(advanceImprovement(CANDIDATE, MATCHED, FINDING)).toMatchObject({
      status: 'open',
      episode: 1,
      occurrenceCount: 20,
      firstDetectedAtMs: 300,
      lastDetectedAtMs: 700,
      severity: 1,
      confidencePercent: 60,
    });
  });

  it('an open one moves on; below the threshold it keeps its evidence', () => {
    const before = { ...OPEN, evidence: { observed: 30 } };
    expect(advanceImprovement(before, { ...MATCHED, firstAtMs: 50 }, null)).toMatchObject({
      status: 'open',
      episode: 1,
      occurrenceCount: 27,
      firstDetectedAtMs: 50,
      lastDetectedAtMs: 700,
      evidence: { observed: 30 },
    });
  });

  it('a resolved one opens as a new episode, by fresh evidence alone', () => {
    const resolved: ImprovementState = { ...OPEN, status: 'resolved', resolvedAtMs: 550 };
    expect(advanceImprovement(resolved, MATCHED, null)).toMatchObject({ status: 'resolved', episode: 1 });
    expect(advanceImprovement(resolved, MATCHED, FINDING)).toMatchObject({
      status: 'open',
      resolvedAtMs: null,
      episode: 2,
      occurrenceCount: 27,
    });
  });

  it('a snoozed one wakes by an observation received after its time, in the same episode', () => {
    const snoozed: ImprovementState = { ...OPEN, status: 'snoozed', snoozedUntilMs: 710 };
    expect(advanceImprovement(snoozed, MATCHED, FINDING)).toMatchObject({ status: 'snoozed', episode: 1 });
    expect(advanceImprovement(snoozed, { ...MATCHED, lastReceivedAtMs: 711 }, null)).toMatchObject({
      status: 'open',
      snoozedUntilMs: null,
      episode: 1,
    });
  });
});
