import type { HeartbeatSchedule } from '@culprit/contract/monitor/heartbeats';
import { describe, expect, it } from 'vitest';
import { isTimezone, nextTime } from '../../src/monitor/heartbeats/schedule.ts';

/** Times of heartbeats (docs/contract/team-workflow.md 8.1 and 8.3). */

function times(
  schedule: HeartbeatSchedule | string,
  timezone: string,
  from: string,
  count: number,
): string[] {
  const known = typeof schedule === 'string' ? { type: 'crontab' as const, value: schedule } : schedule;
  const found: string[] = [];
  let after: number | null = Date.parse(from);
  while (found.length < count && after !== null) {
    after = nextTime(known, timezone, after);
    if (after !== null) found.push(new Date(after).toISOString().slice(0, 16));
  }
  return found;
}

describe('a crontab', () => {
  it.each([
    // Skipped in spring: due at the first moment after; twice in autumn: due the first time.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    ['30 2 * * *', 'America/New_York', '2026-03-07T12:00Z', ['2026-03-08T07:00', '2026-03-09T06:30']],
    ['30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', ['2026-11-01T05:30', '2026-11-02T06:30']],
    // What runs every hour runs in both of them.
    [
      '0 * * * *',
      'Europe/Berlin',
      '2026-10-24T23:30Z',
      ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'],
    ],
    ['0 * * * *', 'Europe/Berlin', '2026-03-29T00:30Z', ['2026-03-29T01:00', '2026-03-29T02:00']],
    [
      '0 * * * *',
      'America/New_York',
      '2026-11-01T04:30Z',
      ['2026-11-01T05:00', '2026-11-01T06:00', '2026-11-01T07:00'],
    ],
    ['0 * * * *', 'America/New_York', '2026-03-08T06:30Z', ['2026-03-08T07:00', '2026-03-08T08:00']],
    // Several times of a day are due like one, and once.
    [
      '0 1,2,3 * * *',
      'Europe/Berlin',
      '2026-10-24T20:00Z',
      ['2026-10-24T23:00', '2026-10-25T00:00', '2026-10-25T02:00', '2026-10-26T00:00'],
    ],
    [
      '0,30 1-2 * * *',
      'America/New_York',
      '2026-11-01T03:00Z',
      ['2026-11-01T05:00', '2026-11-01T05:30', '2026-11-01T07:00', '2026-11-01T07:30', '2026-11-02T06:00'],
    ],
    ['0,30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:00']],
    ['0,30 2 * * SUN', 'America/New_York', '2026-03-02T12:00Z', ['2026-03-08T07:00', '2026-03-15T06:00']],
    [
      '0 1,2,3 * * *',
      'Europe/Berlin',
      '2026-03-28T20:00Z',
      ['2026-03-29T00:00', '2026-03-29T01:00', '2026-03-29T23:00'],
    ],
    // What runs at any minute follows the clock.
    ['*/30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-30T00:00', '2026-03-30T00:30']],
    ['0 9 * * MON-FRI', 'Asia/Kolkata', '2026-01-02T12:00Z', ['2026-01-05T03:30', '2026-01-06T03:30']],
    ['@daily', 'UTC', '2026-01-01T00:00Z', ['2026-01-02T00:00']],
    ['0 0 * * 7', 'UTC', '2026-01-01T00:00Z', ['2026-01-04T00:00']],
    ['0 0 29 2 *', 'UTC', '2026-03-01T00:00Z', ['2028-02-29T00:00']],
  ])('%s in %s has its times across daylight saving', (value, timezone, from, expected) => {
    expect(times(value, timezone, from, expected.length)).toEqual(expected);
  });

  it.each([
    '61 * * * *',
    '0 0 31 2 *',
    '* * * * * *',
    '* * * *',
    '0 0 L * *',
    '0 0 15W * *',
    '0 0 * * 1#2',
    '2030-01-01T00:00:00',
    '',
    'every day',
    '@reboot',
    `${'0,'.repeat(60)}0 * * * *`,
  ])('%j is refused', (value) => {
    expect(nextTime({ type: 'crontab', value }, 'UTC', Date.parse('2026-01-01T00:00Z'))).toBeNull();
  });
});

it('an interval goes by minutes, and by the calendar from months on', () => {
  const of = (value: number, unit: 'minute' | 'week' | 'month' | 'year') =>
    times({ type: 'interval', value, unit }, 'UTC', '2028-01-31T10:00Z', 1)[0];
  expect([of(90, 'minute'), of(2, 'week'), of(1, 'month'), of(1, 'year')]).toEqual([
    '2028-01-31T11:30',
    '2028-02-14T10:00',
    '2028-02-29T10:00',
    '2029-01-31T10:00',
  ]);
});

it.each([
  ['Europe/Berlin', '2026-03-28T12:00Z'],
  ['Europe/Berlin', '2026-10-24T12:00Z'],
  ['America/New_York', '2026-03-07T12:00Z'],
  ['America/New_York', '2026-10-31T12:00Z'],
])('an interval in %s is as long across daylight saving as else', (timezone, from) => {
  const after = (value: number, unit: 'hour' | 'day' | 'week') =>
    Date.parse(`${times({ type: 'interval', value, unit }, timezone, from, 1)[0]}Z`) - Date.parse(from);
  expect([after(24, 'hour'), after(1, 'day'), after(1, 'week')]).toEqual([
    86_400_000, 86_400_000, 604_800_000,
  ]);
});

it('a time zone is a name, not an offset', () => {
  expect(['Europe/Berlin', 'UTC', '+02:00', 'Mars/Base', ''].map(isTimezone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
