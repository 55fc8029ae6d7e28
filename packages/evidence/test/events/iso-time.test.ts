import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIsoTime } from '../../src/events/envelope/iso-time.ts';

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
    // RFC 3339 lets a blank and lower case stand for the T; PostgreSQL, Python and Ruby print the blank.
    ['2026-03-24 10:30:00.000Z', HALF_PAST_TEN],
    ['2026-03-24 10:30:00.123456+00', HALF_PAST_TEN + 123],
    ['2026-03-24 05:00:00.5-05:30', HALF_PAST_TEN + 500],
    ['2026-03-24 12:30:00 +0200', HALF_PAST_TEN],
    ['2026-03-24T12:30:00 +02:00', HALF_PAST_TEN],
    ['2026-03-24 10:30:00 Z', HALF_PAST_TEN],
    ['2026-03-24T05:00:00\u221205:30', HALF_PAST_TEN],
    ['2026\u201003\u201024T05:00:00\u22120530', HALF_PAST_TEN],
    ['2026-03-24T12:30:00.000000000123+02:00', HALF_PAST_TEN],
    [`2026-03-24T10:30:00.${'9'.repeat(100_000)}Z`, HALF_PAST_TEN + 999],
    ['2026-03-24T10:30,5', HALF_PAST_TEN + 30_000],
    ['2026-03-24T10.5Z', HALF_PAST_TEN],
    ['2026-03-24T10,508333334Z', HALF_PAST_TEN + 30_000],
    ['2026-03-24T10Z', HALF_PAST_TEN - 1_800_000],
    ['2026-03-24T1030Z', HALF_PAST_TEN],
    ['20260324T103000Z', HALF_PAST_TEN],
    ['20260324T103000.25+0000', HALF_PAST_TEN + 250],
    ['20260324T123000,123+0200', HALF_PAST_TEN + 123],
    ['20260324t10z', HALF_PAST_TEN - 1_800_000],
    ['2026-083T10:30:00Z', HALF_PAST_TEN],
    ['2026083T103000Z', HALF_PAST_TEN],
    ['2026-W13-2T10:30:00Z', HALF_PAST_TEN],
    ['2026W132T1030Z', HALF_PAST_TEN],
    ['2026-W53-7T00:00Z', Date.UTC(2027, 0, 3)],
    ['2020-W53-5T00:00Z', Date.UTC(2021, 0, 1)],
    ['2025-W01-1T00:00Z', Date.UTC(2024, 11, 30)],
    ['2024-366T00:00Z', Date.UTC(2024, 11, 31)],
    ['2026-03-23T24:00:00Z', Date.UTC(2026, 2, 24)],
    ['2026-12-31T24:00:00.000Z', Date.UTC(2027, 0, 1)],
    ['20260323T24Z', Date.UTC(2026, 2, 24)],
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
    ['2017-01-01T05:29:60.25+05:30', Date.UTC(2017, 0, 1) + 250],
    // RFC 9557, as Java's ZonedDateTime and JavaScript's Temporal print it.
    ['2026-03-24T11:30:00+01:00[Europe/Berlin]', HALF_PAST_TEN],
    ['2026-03-24T05:30-05:00[America/Argentina/Buenos_Aires][!u-ca=gregory]', HALF_PAST_TEN],
    ['2026-03-24T10:30:00Z[Etc/GMT+1]', HALF_PAST_TEN],
    ['2026-03-24T10:30:00.000Z[UTC]', HALF_PAST_TEN],
    ['2026-03-24T11:30:00+01:00[+01:00][_foo=bar-baz]', HALF_PAST_TEN],
    // A zone of before the standard times; Java and PostgreSQL print its seconds.
    ['1880-01-01T00:53:28+00:53:28', Date.UTC(1880, 0, 1)],
    ['+002026-03-24T10:30:00Z', HALF_PAST_TEN],
    // The least and greatest times of .NET, Java and JavaScript are written when no clock was asked.
    ['0001-01-01T00:00:00+01:00', -62_135_596_800_000],
    ['0000-01-01T00:00:00Z', -62_135_596_800_000],
    ['-271821-04-20T00:00:00.000Z', -62_135_596_800_000],
    ['-1000000000-01-01T00:00Z', -62_135_596_800_000],
    ['9999-12-31T23:59:59.9999999-08:00', 253_402_300_799_999],
    ['+999999999-12-31T23:59:59.999999999-18:00', 253_402_300_799_999],
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
    ['minute 60', '2026-03-24T10:60:00Z'],
    ['no fraction digit', '2026-03-24T10:30:00.Z'],
    ['an offset of 24 hours', '2026-03-24T10:30:00+24:00'],
    ['an offset of 60 minutes', '2026-03-24T10:30:00+01:60'],
    ['half an offset', '2026-03-24T10:30:00+1'],
    ['a zone name', '2026-03-24T10:30:00 UTC'],
    ['text behind it', '2026-03-24T10:30:00Zx'],
    ['text before it', ' 2026-03-24T10:30:00Z'],
    ['other digits', '２０２６-03-24T10:30:00Z'],
    ['the zero date of MySQL', '0000-00-00 00:00:00'],
    ['a month alone', '2026-03T10:30:00Z'],
    ['a week alone', '2026-W13T10:30:00Z'],
    ['day zero of the year', '2026-000T10:30:00Z'],
    ['day 366 of a common year', '2026-366T10:30:00Z'],
    ['week 53 of a year of 52', '2025-W53-1T10:30:00Z'],
    ['weekday 8', '2026-W13-8T10:30:00Z'],
    ['a time after midnight at its end', '2026-03-24T24:00:01Z'],
    ['the fraction of an hour after midnight', '2026-03-24T24.5Z'],
    ['hour 25', '2026-03-24T25:00:00Z'],
    ['second 61', '2026-03-24T10:30:61Z'],
    ['an offset without its sign', '2026-03-24T10:30:00 01:00'],
    ['the fraction of an offset', '2026-03-24T10:30:00+01.5'],
    ['a blank at the end', '2026-03-24T10:30:00Z '],
    ['two blanks', '2026-03-24  10:30:00Z'],
    ['a date in half of each form', '2026-0324T10:30:00Z'],
    ['a time in half of each form', '2026-03-24T10:3000Z'],
    ['digits alone', '20260324103000'],
    ['seconds since 1970', '1774348200'],
    ['an open bracket', '2026-03-24T10:30:00Z[Europe/Berlin'],
    ['empty brackets', '2026-03-24T10:30:00Z[]'],
    ['text after brackets', '2026-03-24T10:30:00Z[UTC]x'],
    ['the date of a mail', 'Tue, 24 Mar 2026 10:30:00 GMT'],
    ['a slashed date', '24/Mar/2026:10:30:00 +0000'],
    ["Go's String with a zone's name", '2026-03-24 10:30:00.123456789 +0000 UTC m=+0.000012'],
    ['nothing', ''],
    ['a million characters', '1'.repeat(1_000_000)],
  ])('refuses %s', (_, text) => {
    expect(parseIsoTime(text)).toBeNull();
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
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789-:.,TZtz+ W[]!\u2212'), maxLength: 40 }),
        (text) => {
          const ms = parseIsoTime(text);
          expect(ms === null || Number.isInteger(ms)).toBe(true);
        },
      ),
    );
  });
});
