import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendarMonth, monthSince, type UsageWindow } from '../../src/workspace/billing/usage-window.ts';

const DAY_MS = 86_400_000;

function at(text: string): number {
  return Date.parse(text);
}

function texts(window: UsageWindow): string[] {
  return [new Date(window.startMs).toISOString(), new Date(window.endMs).toISOString()];
}

/** Moments of the 200 years around now, to the millisecond. */
const moment = () => fc.integer({ min: at('1950-01-01T00:00:00Z'), max: at('2150-01-01T00:00:00Z') });

describe('the window of Free', () => {
  it('is the calendar month in UTC', () => {
    expect(texts(calendarMonth(at('2026-02-28T23:59:59.999Z')))).toEqual([
      '2026-02-01T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
    ]);
    expect(texts(calendarMonth(at('2026-12-01T00:00:00Z')))).toEqual([
      '2026-12-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
    ]);
  });
});

describe('the window of a paid plan', () => {
  it('begins at the day and time the plan began', () => {
    const start = at('2026-01-15T03:04:05.678Z');
    expect(texts(monthSince(start, at('2026-03-15T03:04:05.677Z')))).toEqual([
      '2026-02-15T03:04:05.678Z',
      '2026-03-15T03:04:05.678Z',
    ]);
    expect(texts(monthSince(start, at('2026-03-15T03:04:05.678Z')))).toEqual([
      '2026-03-15T03:04:05.678Z',
      '2026-04-15T03:04:05.678Z',
    ]);
  });

  it('begins at the last day of a month that lacks its day, and at its day again afterwards', () => {
    const start = at('2028-01-31T10:00:00Z');
    expect(texts(monthSince(start, at('2028-03-01T00:00:00Z')))).toEqual([
      '2028-02-29T10:00:00.000Z',
      '2028-03-31T10:00:00.000Z',
    ]);
    expect(texts(monthSince(start, at('2028-04-30T09:59:59.999Z')))).toEqual([
      '2028-03-31T10:00:00.000Z',
      '2028-04-30T10:00:00.000Z',
    ]);
  });

  it('is the first one for a moment before the plan began', () => {
    const start = at('2026-01-15T03:04:05Z');
    expect(monthSince(start, start - 1)).toEqual(monthSince(start, start));
    expect(monthSince(start, start - 90 * DAY_MS).startMs).toBe(start);
  });
});

describe.each<[string, (anchorMs: number, atMs: number) => UsageWindow]>([
  ['a calendar month', (_, atMs) => calendarMonth(atMs)],
  ['a month since a start', monthSince],
])('%s', (_, windowAt) => {
  it('contains its moment and lasts 28 to 31 days', () => {
    fc.assert(
      fc.property(moment(), moment(), (one, other) => {
        const [anchorMs, atMs] = [Math.min(one, other), Math.max(one, other)];
        const { startMs, endMs } = windowAt(anchorMs, atMs);
        expect(startMs).toBeLessThanOrEqual(atMs);
        expect(endMs).toBeGreaterThan(atMs);
        expect(endMs - startMs).toBeGreaterThanOrEqual(28 * DAY_MS);
        expect(endMs - startMs).toBeLessThanOrEqual(31 * DAY_MS);
      }),
    );
  });

  it('is the same for all its moments, and the next one begins where it ends', () => {
    fc.assert(
      fc.property(moment(), moment(), fc.double({ min: 0, max: 1, noNaN: true }), (one, other, share) => {
        const [anchorMs, atMs] = [Math.min(one, other), Math.max(one, other)];
        const window = windowAt(anchorMs, atMs);
        const firstMs = Math.max(anchorMs, window.startMs);
        const insideMs = firstMs + Math.floor(share * (window.endMs - 1 - firstMs));
        expect(windowAt(anchorMs, insideMs)).toEqual(window);
        expect(windowAt(anchorMs, window.endMs).startMs).toBe(window.endMs);
      }),
    );
  });
});
