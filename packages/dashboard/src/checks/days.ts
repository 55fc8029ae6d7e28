import type { DailyRollup } from '@culprit/contract/monitor/check-history';
import { duration, plural } from '../format/numbers.ts';
import type { DayBar } from '../ui/plots/day-bars.tsx';

type Day = Pick<DailyRollup, 'day' | 'state' | 'downtime_seconds' | 'incident_ids'>;

const SHOWN = 31;
const DAY_MS = 86_400_000;
export const STATE_WORDS: Readonly<Record<Day['state'], string>> = {
  operational: 'up',
  degraded: 'failures below the threshold',
  down: 'down',
  paused: 'paused',
  unknown: 'not known',
};

/**
 * One bar for each of the last 31 days (UTC), oldest first; days before the check was made are not known.
 * @param days the latest first, none left out, as the API lists them
 */
export function barsOf(days: readonly Day[]): DayBar[] {
  const latest = days[0]?.day;
  if (latest === undefined) return [];
  return Array.from({ length: SHOWN }, (_, index) => {
    const back = SHOWN - 1 - index;
    const found = days[back];
    const day = found?.day ?? new Date(Date.parse(latest) - back * DAY_MS).toISOString().slice(0, 10);
    return { day, state: found?.state ?? 'unknown', words: () => dayWords(day, found) };
  });
}

function dayWords(day: string, found: Day | undefined): string {
  if (found === undefined) return `${day}: ${STATE_WORDS.unknown}`;
  const down =
    found.downtime_seconds === 0 ? '' : `, ${duration(found.downtime_seconds * 1000)} without success`;
  return `${day}: ${STATE_WORDS[found.state] ?? found.state}${down}`;
}

/** Returns a summary of all bars. */
export function daysWords(days: readonly Day[]): string {
  const down = days.filter(({ state }) => state === 'down').length;
  const degraded = days.filter(({ state }) => state === 'degraded').length;
  return `Down on ${plural(down, 'day')} of ${days.length}, with single failures on ${degraded}`;
}
