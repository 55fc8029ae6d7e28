import { describe, expect, it } from 'vitest';
import { countedSpan, suppressedSearches } from '../../src/incidents/suppressed-span.ts';

const NOW = Date.parse('2026-03-24T10:30:00Z');
const DAY = 86_400_000;

describe('where the signals of suppressed repeats are looked for', () => {
  it.each([
    ['a report of now', NOW - 20_000, NOW],
    ['a report that waited for seven days', NOW - 7 * DAY - 20_000, NOW - 7 * DAY],
  ])('is the span of %s and two seconds around it', (_, fromMs, toMs) => {
    const searches = suppressedSearches(report(fromMs, toMs), { effectiveAtMs: NOW, receivedAtMs: NOW });
    expect(searches).toEqual([{ fromMs: fromMs - 2000, toMs: toMs + 2000, counted: { fromMs, toMs } }]);
    expect(countedSpan(searches)).toEqual({ fromMs, toMs });
  });

  it('is before the report where its clock began in 1970', () => {
    const searches = suppressedSearches(report(5_000_000, 5_020_000), {
      effectiveAtMs: NOW - 3000,
      receivedAtMs: NOW,
    });
    const counted = { fromMs: NOW - 23_000, toMs: NOW - 3000 };
    expect(searches).toEqual([{ fromMs: NOW - 85_000, toMs: NOW - 1000, counted }]);
    expect(countedSpan(searches)).toEqual(counted);
  });

  it('is as reported first where its clock may be slow by days', () => {
    const [fromMs, toMs] = [NOW - 20 * DAY - 20_000, NOW - 20 * DAY];
    expect(suppressedSearches(report(fromMs, toMs), { effectiveAtMs: NOW, receivedAtMs: NOW })).toEqual([
      { fromMs: fromMs - 2000, toMs: toMs + 2000, counted: { fromMs, toMs } },
      { fromMs: NOW - 82_000, toMs: NOW + 2000, counted: { fromMs: NOW - 20_000, toMs: NOW } },
    ]);
  });

  it('is before the receipt where the clock of the event is as slow', () => {
    const [, moved] = suppressedSearches(report(NOW - 20 * DAY - 20_000, NOW - 20 * DAY, 300), {
      effectiveAtMs: NOW - 20 * DAY,
      receivedAtMs: NOW,
    });
    expect(moved).toMatchObject({ fromMs: NOW - 322_000, toMs: NOW + 2000 });
  });

  it('is bounded, whatever window and span a client names', () => {
    const [moved] = suppressedSearches(report(-1e14, 0, 1e12), { effectiveAtMs: NOW, receivedAtMs: NOW });
    expect(moved.fromMs).toBe(NOW - 7 * DAY - 3_600_000 - 2000);
    const [reported] = suppressedSearches(report(-62_135_596_800_000, NOW), {
      effectiveAtMs: NOW,
      receivedAtMs: NOW,
    });
    expect(reported.fromMs).toBe(NOW - 7 * DAY - 2000);
  });
});

function report(firstSeenMs: number, lastSeenMs: number, windowSeconds = 30) {
  return {
    kind: 'suppressed' as const,
    suppressedCount: 27,
    windowSeconds,
    firstSeenMs,
    lastSeenMs,
    isQueuePressure: false,
    sampleEventId: null,
    repeatedType: null,
  };
}
