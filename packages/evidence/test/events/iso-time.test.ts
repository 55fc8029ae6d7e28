import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIsoTime, parseQueryTime } from '../../src/events/envelope/iso-time.ts';

const HALF_PAST_TEN = Date.UTC(2026, 2, 24, 10, 30);

describe('reading an ISO 8601 date-time', () => {
  it.each([
    ['2026-03-24T10:30:00Z', HALF_PAST_TEN],
    ['2026-03-24T10:30:00.000Z', HALF_PAST_TEN],
    ['2026-03-24t10:30:00z', HALF_PAST_TEN],
    ['2026-03-24T10:30Z', HALF_PAST_TEN],
    ['2026-03-24T10:30:00', HALF_PAST_TEN],
    ['2026-03-24T10:30:00.123456', HALF_PAST_TEN + 123],
    ['2026-03-24T12:30:00.1234567+02:00', HALF_PAST_TEN + 123],
    ['2026-03-24T10:30:00.123456789Z', HALF_PAST_TEN + 123],
    ['2026-03-24T10:30:00.9Z', HALF_PAST_TEN + 900],
    ['2026-03-24T10:30:00,25Z', HALF_PAST_TEN + 250],
    ['2026-03-24T05:00:00-05:30', HALF_PAST_TEN],
    ['2026-03-24T05:00:00-0530', HALF_PAST_TEN],
    ['2026-03-24T15:30:00+05', HALF_PAST_TEN],
    ['2026-03-24T10:30:00-00:00', HALF_PAST_TEN],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['1969-12-31T23:59:59.999Z', -1],
    ['0001-01-01T00:00:00Z', -62_135_596_800_000],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
  ])('takes %s', (text, expected) => {
    expect(parseIsoTime(text)).toBe(expected);
  });

  it.each([
    ['a date alone', '2026-03-24'],
    ['a day that does not exist', '2026-02-30T10:30:00Z'],
    ['a leap day in a common year', '2026-02-29T10:30:00Z'],
    ['a leap day in 1900', '1900-02-29T10:30:00Z'],
    ['day zero', '2026-03-00T10:30:00Z'],
    ['month 13', '2026-13-01T10:30:00Z'],
    ['year zero', '0000-01-01T00:00:00Z'],
    ['an instant before year 1', '0001-01-01T00:00:00+01:00'],
    ['an instant after year 9999', '9999-12-31T23:30:00-01:00'],
    ['hour 24', '2026-03-24T24:00:00Z'],
    ['minute 60', '2026-03-24T10:60:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['a space between date and time', '2026-03-24 10:30:00Z'],
    ['the basic form', '20260324T103000Z'],
    ['no fraction digit', '2026-03-24T10:30:00.Z'],
    ['ten fraction digits', '2026-03-24T10:30:00.1234567890Z'],
    ['a fraction of a minute', '2026-03-24T10:30.5Z'],
    ['an offset of 24 hours', '2026-03-24T10:30:00+24:00'],
    ['an offset of 60 minutes', '2026-03-24T10:30:00+01:60'],
    ['half an offset', '2026-03-24T10:30:00+1'],
    ['a zone name', '2026-03-24T10:30:00 UTC'],
    ['text behind it', '2026-03-24T10:30:00Zx'],
    ['text before it', ' 2026-03-24T10:30:00Z'],
    ['six-digit years', '+002026-03-24T10:30:00Z'],
    ['other digits', '２０２６-03-24T10:30:00Z'],
    ['nothing', ''],
    ['a million characters', '1'.repeat(1_000_000)],
  ])('refuses %s', (_, text) => {
    expect(parseIsoTime(text)).toBeNull();
    expect(parseQueryTime(text)).toBeNull();
  });

  it('wants an offset in queries', () => {
    expect(parseQueryTime('2026-03-24T10:30:00')).toBeNull();
    expect(parseQueryTime('2026-03-24T10:30:00Z')).toBe(HALF_PAST_TEN);
    expect(parseQueryTime('2026-03-24T12:30:00+02:00')).toBe(HALF_PAST_TEN);
  });

  it('agrees with the engine on every time of the years 1 to 9999', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (ms) => {
        expect(parseIsoTime(new Date(ms).toISOString())).toBe(ms);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789-:.,TZtz+ '), maxLength: 40 }), (text) => {
        const ms = parseIsoTime(text);
        expect(ms === null || Number.isInteger(ms)).toBe(true);
      }),
    );
  });
});
