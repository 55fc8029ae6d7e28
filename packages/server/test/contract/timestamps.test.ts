import { formatTimestamp, parseRequestTimestamp, parseTimestamp } from '@culprit/contract/schemas/timestamps';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const timeMs = fc.integer({ min: Date.UTC(1, 0, 2), max: Date.UTC(9999, 11, 30) });

describe('a time in answers', () => {
  it('has milliseconds and Z, and is read back exactly', () => {
    expect(formatTimestamp(Date.UTC(2026, 2, 24, 10, 30))).toBe('2026-03-24T10:30:00.000Z');
    fc.assert(
      fc.property(timeMs, (time) => {
        expect(parseTimestamp(formatTimestamp(time))).toBe(time);
        expect(parseRequestTimestamp(formatTimestamp(time))).toBe(time);
      }),
    );
  });
});

describe('a time in requests', () => {
  it.each([
    ['2026-03-24T10:30:00Z', '2026-03-24T10:30:00.000Z'],
    ['2026-03-24T10:30Z', '2026-03-24T10:30:00.000Z'],
    ['2026-03-24T10:30:00.1Z', '2026-03-24T10:30:00.100Z'],
    ['2026-03-24T10:30:00,123456789Z', '2026-03-24T10:30:00.123Z'],
    ['2026-03-24T10:30:00+02:00', '2026-03-24T08:30:00.000Z'],
    ['2026-03-24T10:30:00-0530', '2026-03-24T16:00:00.000Z'],
    ['2026-03-24T10:30:00+02', '2026-03-24T08:30:00.000Z'],
    ['2026-03-24t10:30:00z', '2026-03-24T10:30:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('%s is read as %s', (text, expected) => {
    expect(formatTimestamp(parseRequestTimestamp(text) ?? Number.NaN)).toBe(expected);
  });

  it('is read with any offset as the same instant', () => {
    fc.assert(
      fc.property(timeMs, fc.integer({ min: -14 * 60, max: 14 * 60 }), (time, offsetMinutes) => {
        const local = formatTimestamp(time + offsetMinutes * 60_000).slice(0, -1);
        const absolute = Math.abs(offsetMinutes);
        const two = (value: number): string => String(value).padStart(2, '0');
        const offset = `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`;
        expect(parseRequestTimestamp(local + offset)).toBe(time);
      }),
    );
  });

  it.each([
    '',
    'yesterday',
    '2026-03-24',
    '2026-03-24T10:30:00',
    '2026-03-24 10:30:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+00:60',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.1234567890Z',
    '0000-01-01T00:00:00Z',
    '+002026-01-01T00:00:00Z',
    '20260101T000000Z',
    '2026-01-01T00:00:00ZZ',
    ' 2026-01-01T00:00:00Z',
    `2026-01-01T00:00:00.${'0'.repeat(100_000)}Z`,
  ])('%s is refused', (text) => {
    expect(parseRequestTimestamp(text)).toBeNull();
  });
});
