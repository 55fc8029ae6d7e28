import type { HeartbeatSchedule } from '@culprit/contract/monitor/heartbeats';
import { Cron } from 'croner';
import { isRepeated, putForward } from './clock-changes.ts';

const YEARS_MAX = 5;
const DAY_MS = 86_400_000;
const UNIT_MINUTES = { minute: 1, hour: 60, day: 1440, week: 10_080 } as const;
/** Neither `L`, `W`, `#` nor seconds, which not every cron understands alike. */
const CRONTAB = /^(?:@(?:hourly|daily|midnight|weekly|monthly|yearly|annually)|[0-9A-Za-z*,/? \t-]{1,100})$/i;
const NAMES = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)$/i;

/** Returns true if the database of time zones contains a name. */
export function isTimezone(timezone: string): boolean {
  try {
    // Offsets such as `+02:00` are no names: they know no daylight saving.
    return /^[A-Za-z]/.test(timezone) && new Intl.DateTimeFormat('en', { timeZone: timezone }) !== null;
  } catch {
    return false;
  }
}

/** Returns true if a schedule can be read and has a time within five years. */
export function isSchedule(schedule: HeartbeatSchedule, timezone: string, nowMs: number): boolean {
  const next = nextTime(schedule, timezone, nowMs);
  return next !== null && next - nowMs <= YEARS_MAX * 366 * DAY_MS;
}

/**
 * The first time of a schedule after a moment; null for none within five years. A time of day that daylight saving skips is
 * due at the first moment after it, and one that comes twice is due the first time, as cron runs it. What runs at any hour
 * or minute (`*`) follows the clock: it runs in both of two hours, and in none that is skipped.
 */
export function nextTime(schedule: HeartbeatSchedule, timezone: string, afterMs: number): number | null {
  if (schedule.type === 'interval') return addInterval(schedule, afterMs);
  const { value } = schedule;
  if (!CRONTAB.test(value) || !hasOnlyNames(value)) return null;
  try {
    const next = isOfFixedTimes(value)
      ? nextFixedTime(value, timezone, afterMs)
      : nextRun(new Cron(value, { timezone, mode: '5-part', paused: true }), afterMs);
    return next !== null && next - afterMs <= YEARS_MAX * 366 * DAY_MS ? next : null;
  } catch {
    return null;
  }
}

function nextRun(pattern: Cron, afterMs: number): number | null {
  return pattern.nextRun(new Date(afterMs))?.getTime() ?? null;
}

/** Returns true if minute and hour of a crontab are numbers, lists and ranges. */
function isOfFixedTimes(value: string): boolean {
  const [minute = '', hour = ''] = value.trim().split(/[ \t]+/);
  return !/[*?@]/.test(`${minute}${hour}`);
}

function nextFixedTime(value: string, timezone: string, afterMs: number): number | null {
  const pattern = new Cron(value, { timezone, mode: '5-part', paused: true });
  let next = nextRun(pattern, afterMs);
  while (next !== null && isRepeated(next, timezone)) next = nextRun(pattern, next);
  // A clock that does not change shows the time that is skipped.
  const skipped = putForward(afterMs, timezone, (utcOffset) =>
    nextRun(new Cron(value, { utcOffset, mode: '5-part', paused: true }), afterMs),
  );
  return skipped === null || (next !== null && next < skipped) ? next : skipped;
}

function hasOnlyNames(value: string): boolean {
  return value.startsWith('@') || (value.match(/[a-z]+/gi) ?? []).every((word) => NAMES.test(word));
}

/** Months and years by the calendar, so that the 31st is followed by the last day of a shorter month. */
function addInterval(
  { value, unit }: Extract<HeartbeatSchedule, { type: 'interval' }>,
  afterMs: number,
): number {
  if (unit !== 'month' && unit !== 'year') return afterMs + value * UNIT_MINUTES[unit] * 60_000;
  const date = new Date(afterMs);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + value * (unit === 'year' ? 12 : 1));
  const daysInMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, daysInMonth));
  return date.getTime();
}
