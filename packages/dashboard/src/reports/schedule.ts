import { WEEKDAYS } from '@culprit/contract/alerts/weekdays';
import type { ReportSchedule } from '@culprit/contract/alerts/weekly-reports';

const STEP_MS = 15 * 60_000;
const STEPS_MAX = (8 * 24 * 3_600_000) / STEP_MS;

/**
 * Returns the time of the next report: the first moment of the week at or after the hour of its day, by the clock of
 * its zone. An hour that a change of clocks leaves out is the next one, one that comes twice the first
 * (docs/contract/notifications.md 4.3). Null for a zone that this browser does not know.
 */
export function nextReportMs(schedule: ReportSchedule, nowMs: number): number | null {
  const localTime = localClock(schedule.timezone);
  if (localTime === null) return null;
  const isDue = (timeMs: number) => {
    const { day, hour } = localTime(timeMs);
    return day === schedule.day_of_week && hour >= schedule.hour_of_day;
  };
  let timeMs = Math.floor(nowMs / STEP_MS) * STEP_MS;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const wasDue = isDue(timeMs);
    timeMs += STEP_MS;
    if (!wasDue && isDue(timeMs)) return timeMs;
  }
  return null;
}

function localClock(timezone: string): ((timeMs: number) => { day: string; hour: number }) | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      weekday: 'long',
      hour: 'numeric',
      hourCycle: 'h23',
    });
    return (timeMs) => {
      const parts = format.formatToParts(timeMs);
      const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
      return { day: part('weekday').toLowerCase(), hour: Number(part('hour')) };
    };
  } catch {
    return null;
  }
}

export const DAY_WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  WEEKDAYS.map((day) => [day, `${day.slice(0, 1).toUpperCase()}${day.slice(1)}`]),
);

/** "09:00". */
export function hourWords(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

/** "Monday 30 Nov 2026, 09:00": the moment by the clock of the schedule's own zone. */
export function reportTime(timeMs: number, timezone: string): string {
  const zone = { timeZone: timezone };
  const day = new Intl.DateTimeFormat(undefined, { ...zone, weekday: 'long' }).format(timeMs);
  const rest = new Intl.DateTimeFormat(undefined, {
    ...zone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(timeMs);
  return `${day} ${rest}`;
}
