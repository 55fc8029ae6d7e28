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

  it('is also before the report where its clock began in 1970', () => {
    const searches = suppressedSearches(report(5_000_000, 5_020_000), {
      effectiveAtMs: NOW - 3000,
      receivedAtMs: NOW,
    });
    const counted = { fromMs: NOW - 23_000, toMs: NOW - 3000 };
    expect(searches).toEqual([
      { fromMs: 4_998_000, toMs: 5_022_000, counted: { fromMs: 5_000_000, toMs: 5_020_000 } },
      { fromMs: NOW - 85_000, toMs: NOW - 1000, counted },
    ]);
    expect(countedSpan(searches)).toEqual(counted);
  });

  it('is before the receipt where the clock of the event began in 1970 as well', () => {
    const [, moved] = suppressedSearches(report(0, 20_000, 300), {
      effectiveAtMs: 21_000,
      receivedAtMs: NOW,
    });
    expect(moved).toMatchObject({ fromMs: NOW - 322_000, toMs: NOW + 2000 });
  });

  it('is bounded, whatever window and span a client names', () => {
    const [, moved] = suppressedSearches(report(-1e14, 0, 1e12), { effectiveAtMs: NOW, receivedAtMs: NOW });
    expect(moved?.fromMs).toBe(NOW - 7 * DAY - 3_600_000 - 2000);
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
