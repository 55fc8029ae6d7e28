import type { HeartbeatDay } from '@culprit/contract/monitor/heartbeats';
import { plural } from '../format/numbers.ts';
import type { DayBar } from '../ui/plots/day-bars.tsx';

type Day = Pick<HeartbeatDay, 'day' | 'total_runs' | 'ok' | 'unknown'>;

const SHOWN = 90;
const DAY_MS = 86_400_000;

/**
 * One bar for each of the last 90 days (UTC), oldest first. Few jobs run every day: a day without runs is a thin line.
 * @param days those on which a run ended
 */
export function heartbeatBars(days: readonly Day[], nowMs: number): DayBar[] {
  const byDay = new Map(days.map((each) => [each.day, each]));
  return Array.from({ length: SHOWN }, (_, index) => {
    const day = new Date(nowMs - (SHOWN - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const found = byDay.get(day);
    return { day, state: stateOf(found), words: () => `${day}: ${dayWords(found)}` };
  });
}

/** Returns how many runs of a day failed, in whichever way. */
function failedRuns({ total_runs: runs, ok, unknown }: Day): number {
  return runs - ok - unknown;
}

function stateOf(day: Day | undefined): DayBar['state'] {
  if (day === undefined) return 'paused';
  if (failedRuns(day) > 0) return day.ok > 0 ? 'degraded' : 'down';
  return day.ok > 0 ? 'operational' : 'unknown';
}

function dayWords(day: Day | undefined): string {
  if (day === undefined) return 'no run ended';
  const failed = failedRuns(day);
  const known = day.total_runs - day.unknown;
  if (known === 0) return 'not known: Culprit was down';
  if (failed > 0) return `${failed} of ${plural(known, 'run')} failed`;
  return known === 1 ? 'its run succeeded' : `all ${known} runs succeeded`;
}

/** Returns a summary of all bars. */
export function heartbeatDaysWords(days: readonly Day[]): string {
  const failing = days.filter((day) => failedRuns(day) > 0).length;
  return days.length === 0
    ? 'No run has ended yet.'
    : `Runs failed on ${plural(failing, 'day')} of ${days.length} with runs`;
}
