import { WEEKDAYS } from '@culprit/contract/alerts/weekdays';
import type { ReportSchedule } from '@culprit/contract/alerts/weekly-reports';

/** One report that a schedule asks for. Times are milliseconds since the epoch. */
export interface Occurrence {
  /** The local week it belongs to, by its Monday: `2026-03-23`. */
  week: string;
  dueAtMs: number;
  /**
   * The time at which the report of the week before was due: there is no gap between two reports
   * (docs/contract/notifications.md 4.3).
   */
  fromMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_DAYS = 7;
/** No zone's offset from UTC has changed by less since they are counted in minutes. */
const OFFSET_STEP_MS = 15 * MINUTE_MS;
/** 1970-01-05 was the first Monday of the epoch. */
const FIRST_MONDAY = 4;

/** The first report due after a moment. */
export function nextOccurrence(schedule: ReportSchedule, afterMs: number): Occurrence {
  const localTime = localClock(schedule.timezone);
  const today = Math.floor(localTime(afterMs) / DAY_MS);
  const hourMs = schedule.hour_of_day * HOUR_MS;
  // From the week before, so that a zone that went over a day misses nothing.
  let monday = mondayOf(today) - WEEK_DAYS;
  for (;;) {
    const day = monday + WEEKDAYS.indexOf(schedule.day_of_week);
    const dueAtMs = firstMoment(localTime, day * DAY_MS + hourMs);
    if (dueAtMs > afterMs) {
      const fromMs = firstMoment(localTime, (day - WEEK_DAYS) * DAY_MS + hourMs);
      return { week: localDate(monday * DAY_MS), dueAtMs, fromMs };
    }
    monday += WEEK_DAYS;
  }
}

/** The local date of a moment: `2026-03-23`. */
export function dateIn(timezone: string, timeMs: number): string {
  return localDate(localClock(timezone)(timeMs));
}

/** Days since the epoch of the Monday of a day's week. */
function mondayOf(day: number): number {
  return day - ((((day - FIRST_MONDAY) % WEEK_DAYS) + WEEK_DAYS) % WEEK_DAYS);
}

function localDate(localMs: number): string {
  return new Date(localMs).toISOString().slice(0, 10);
}

/**
 * The first moment whose local time is the given one. Where clocks go over it, the moment they do so; where they show
 * it twice, the first time. Local times are counted as if they were UTC.
 */
function firstMoment(localTime: (timeMs: number) => number, localMs: number): number {
  const offsets = [localMs - DAY_MS, localMs + DAY_MS].map((timeMs) => localTime(timeMs) - timeMs);
  const latestMs = localMs - Math.min(...offsets);
  for (let timeMs = localMs - Math.max(...offsets); timeMs < latestMs; timeMs += OFFSET_STEP_MS) {
    if (localTime(timeMs) >= localMs) return timeMs;
  }
  return latestMs;
}

/** Reads the clock on the wall of a zone. Throws for a zone that is not known. */
function localClock(timezone: string): (timeMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (timeMs) => {
    const parts = new Map(format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const local = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
    return local + (((timeMs % 1000) + 1000) % 1000);
  };
}
