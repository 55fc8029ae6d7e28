import type { ReportSchedule, Weekday } from '@culprit/contract/alerts/weekly-reports';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateIn, nextOccurrence } from '../../src/notify/reports/schedule.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

function schedule(day: Weekday, hour: number, timezone: string): ReportSchedule {
  return { day_of_week: day, hour_of_day: hour, timezone };
}

function at(text: string): number {
  return Date.parse(text);
}

/** After the first moment the schedule is due at the second, with the window from the third. */
const TABLE: readonly [
  why: string,
  ReportSchedule,
  after: string,
  due: string,
  from: string,
  week: string,
][] = [
  [
    'plain UTC',
    schedule('monday', 9, 'UTC'),
    '2026-11-20T12:00Z',
    '2026-11-23T09:00Z',
    '2026-11-16T09:00Z',
    '2026-11-23',
  ],
  [
    'the due moment itself is over',
    schedule('monday', 9, 'UTC'),
    '2026-11-23T09:00Z',
    '2026-11-30T09:00Z',
    '2026-11-23T09:00Z',
    '2026-11-30',
  ],
  [
    'a Sunday ends its week',
    schedule('sunday', 0, 'UTC'),
    '2026-11-25T00:00Z',
    '2026-11-29T00:00Z',
    '2026-11-22T00:00Z',
    '2026-11-23',
  ],
  [
    'west of Greenwich',
    schedule('friday', 16, 'America/New_York'),
    '2026-07-01T00:00Z',
    '2026-07-03T20:00Z',
    '2026-06-26T20:00Z',
    '2026-06-29',
  ],
  [
    'far east, still the day before in UTC',
    schedule('monday', 3, 'Pacific/Kiritimati'),
    '2026-05-01T00:00Z',
    '2026-05-03T13:00Z',
    '2026-04-26T13:00Z',
    '2026-05-04',
  ],
  [
    'a quarter of an hour',
    schedule('tuesday', 12, 'Asia/Kathmandu'),
    '2026-05-04T00:00Z',
    '2026-05-05T06:15Z',
    '2026-04-28T06:15Z',
    '2026-05-04',
  ],
  // Berlin: 2026-03-29 from 2 to 3, 2026-10-25 from 3 to 2.
  [
    'a skipped hour: the next',
    schedule('sunday', 2, 'Europe/Berlin'),
    '2026-03-28T00:00Z',
    '2026-03-29T01:00Z',
    '2026-03-22T01:00Z',
    '2026-03-23',
  ],
  [
    'the hour behind a skipped one',
    schedule('sunday', 3, 'Europe/Berlin'),
    '2026-03-28T00:00Z',
    '2026-03-29T01:00Z',
    '2026-03-22T02:00Z',
    '2026-03-23',
  ],
  [
    'a repeated hour: the first',
    schedule('sunday', 2, 'Europe/Berlin'),
    '2026-10-24T00:00Z',
    '2026-10-25T00:00Z',
    '2026-10-18T00:00Z',
    '2026-10-19',
  ],
  [
    'between the two of a repeated hour: the next week',
    schedule('sunday', 2, 'Europe/Berlin'),
    '2026-10-25T00:30Z',
    '2026-11-01T01:00Z',
    '2026-10-25T00:00Z',
    '2026-10-26',
  ],
  [
    'the hour behind a repeated one',
    schedule('sunday', 3, 'Europe/Berlin'),
    '2026-10-24T00:00Z',
    '2026-10-25T02:00Z',
    '2026-10-18T01:00Z',
    '2026-10-19',
  ],
  [
    'the day after the change',
    schedule('monday', 9, 'Europe/Berlin'),
    '2026-10-24T00:00Z',
    '2026-10-26T08:00Z',
    '2026-10-19T07:00Z',
    '2026-10-26',
  ],
  // New York: 2026-03-08 from 2 to 3, 2026-11-01 from 2 to 1.
  [
    'skipped in New York',
    schedule('sunday', 2, 'America/New_York'),
    '2026-03-07T00:00Z',
    '2026-03-08T07:00Z',
    '2026-03-01T07:00Z',
    '2026-03-02',
  ],
  [
    'repeated in New York',
    schedule('sunday', 1, 'America/New_York'),
    '2026-10-31T00:00Z',
    '2026-11-01T05:00Z',
    '2026-10-25T05:00Z',
    '2026-10-26',
  ],
  // Lord Howe: 2026-10-04 from 2:00 to 2:30, 2026-04-05 from 2:00 to 1:30.
  [
    'half an hour skipped',
    schedule('sunday', 2, 'Australia/Lord_Howe'),
    '2026-10-03T00:00Z',
    '2026-10-03T15:30Z',
    '2026-09-26T15:30Z',
    '2026-09-28',
  ],
  [
    'half an hour repeated before the hour',
    schedule('sunday', 2, 'Australia/Lord_Howe'),
    '2026-04-03T00:00Z',
    '2026-04-04T15:30Z',
    '2026-03-28T15:00Z',
    '2026-03-30',
  ],
  // Santiago: 2026-09-06 from 0:00 to 1:00, 2026-04-05 from 0:00 to 23:00 of the day before.
  [
    'midnight skipped',
    schedule('sunday', 0, 'America/Santiago'),
    '2026-09-05T00:00Z',
    '2026-09-06T04:00Z',
    '2026-08-30T04:00Z',
    '2026-08-31',
  ],
  [
    'the hour before midnight repeated',
    schedule('saturday', 23, 'America/Santiago'),
    '2026-04-03T00:00Z',
    '2026-04-05T02:00Z',
    '2026-03-29T02:00Z',
    '2026-03-30',
  ],
  [
    'midnight behind a repeated hour',
    schedule('sunday', 0, 'America/Santiago'),
    '2026-04-03T00:00Z',
    '2026-04-05T04:00Z',
    '2026-03-29T03:00Z',
    '2026-03-30',
  ],
  [
    'a day that never was',
    schedule('friday', 9, 'Pacific/Apia'),
    '2011-12-29T00:00Z',
    '2011-12-30T10:00Z',
    '2011-12-23T19:00Z',
    '2011-12-26',
  ],
];

describe('when a report is due', () => {
  it.each(TABLE)('%s', (_why, given, after, due, from, week) => {
    const next = nextOccurrence(given, at(after));
    expect({
      ...next,
      dueAtMs: new Date(next.dueAtMs).toISOString(),
      fromMs: new Date(next.fromMs).toISOString(),
    }).toEqual({
      week,
      dueAtMs: new Date(at(due)).toISOString(),
      fromMs: new Date(at(from)).toISOString(),
    });
  });

  it('comes once in every week of every zone, and each window begins where the last one ended', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const days = fc.constantFrom<Weekday>('monday', 'wednesday', 'saturday', 'sunday');
    const hours = fc.integer({ min: 0, max: 23 });
    const starts = fc.date({
      min: new Date('2026-01-01'),
      max: new Date('2030-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(zones, days, hours, starts, (zone, day, hour, start) => {
        const given = schedule(day, hour, zone);
        let last = nextOccurrence(given, start.getTime());
        expect(last.dueAtMs).toBeGreaterThan(start.getTime());
        for (let week = 0; week < 53; week += 1) {
          const next = nextOccurrence(given, last.dueAtMs);
          expect(next.fromMs).toBe(last.dueAtMs);
          expect(Date.parse(next.week)).toBe(Date.parse(last.week) + WEEK_MS);
          // The clocks of one station in the Antarctic change by two hours.
          expect(Math.abs(next.dueAtMs - last.dueAtMs - WEEK_MS)).toBeLessThanOrEqual(2 * HOUR_MS);
          // Whenever it is looked for in the week before, it is the same one.
          expect(nextOccurrence(given, next.dueAtMs - 1)).toEqual(next);
          last = next;
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('the local date', () => {
  it('is that of the zone', () => {
    expect(dateIn('America/New_York', at('2026-11-23T04:59Z'))).toBe('2026-11-22');
    expect(dateIn('Asia/Tokyo', at('2026-11-22T15:00Z'))).toBe('2026-11-23');
  });
});
