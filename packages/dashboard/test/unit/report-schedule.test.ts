import { WEEKDAYS } from '@culprit/contract/alerts/weekdays';
import { describe, expect, it } from 'vitest';
import { nextOccurrence } from '../../../server/src/notify/reports/schedule.ts';
import { faultOfTarget, valuesOf } from '../../src/reports/report-values.ts';
import { nextReportMs } from '../../src/reports/schedule.ts';

/** docs/contract/dashboard.md 4.15: the next report is when the server will send it. */
describe('the next report', () => {
  const moments = [
    '2026-11-23T08:00:00Z',
    '2026-11-23T07:59:00Z',
    '2026-03-28T23:00:00Z',
    '2026-10-24T22:30:00Z',
    '2026-12-31T23:59:59Z',
  ].map((text) => Date.parse(text));

  it.each([
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kathmandu',
    'Pacific/Auckland',
    'Australia/Lord_Howe',
  ])('in %s is that of the server, over changes of clocks too', (timezone) => {
    for (const nowMs of moments) {
      for (const day_of_week of WEEKDAYS) {
        for (const hour_of_day of [0, 2, 3, 9, 23]) {
          const schedule = { day_of_week, hour_of_day, timezone };
          expect(nextReportMs(schedule, nowMs), JSON.stringify({ schedule, nowMs })).toBe(
            nextOccurrence(schedule, nowMs).dueAtMs,
          );
        }
      }
    }
  });

  it('is not known in a zone that the browser does not know', () => {
    const schedule = { day_of_week: 'monday' as const, hour_of_day: 9, timezone: 'Mars/Olympus' };
    expect(nextReportMs(schedule, 0)).toBeNull();
  });
});

describe('the target of a report', () => {
  const values = valuesOf(null, 'email');
  it.each([
    [{ to: 'a@b.c, d@e.f' }, null],
    [{ to: '' }, 'Enter addresses such as lead@example.com'],
    [{ to: 'a@b.c, nobody' }, 'Enter addresses such as lead@example.com'],
    [{ to: 'a@b.c, b@b.c, c@b.c, d@b.c' }, 'Enter at most 3 addresses'],
    [{ way: 'slack_destination' }, 'Choose a channel'],
    [{ way: 'slack_url', url: 'ftp://x' }, 'Enter an address that begins with https://'],
    [{ way: 'slack_url', url: 'https://hooks.slack.com/services/x' }, null],
  ] as const)('%j has the fault %s', (change, fault) => {
    expect(faultOfTarget({ ...values, ...change })).toBe(fault);
  });
});
