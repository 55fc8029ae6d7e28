import type { WakeCause } from '@culprit/contract/incidents/triage-words';
import { minuteIndex } from './spike.ts';

/** Until when an incident is silent, and what wakes it before. Times in milliseconds since the epoch. */
export interface WakeMarks {
  untilMs: number;
  /** Occurrences when it was snoozed. */
  countAtStart: number;
  atCount: number | null;
  atUsers: number | null;
  /** The moment after which a deploy counts as the next release. */
  afterDeployMs: number | null;
  /** So many occurrences within an hour are an escalation; null: escalations do not wake it. */
  atHourly: number | null;
}

/** The facts about an incident after signals were counted. */
export interface WakeFacts {
  occurrenceCount: number;
  affectedUsers: number;
  /** Occurrences by minute index. */
  minuteCounts: ReadonlyMap<number, number>;
  nowMs: number;
  isSeverityRaised: boolean;
  isSpikeDetected: boolean;
  /** A signal of it occurred under a deploy after this moment. */
  latestDeployMs: number | null;
}

const MINUTES_OF_HOUR = 60;
const HOUR_MS = 3_600_000;
const ESCALATION_COUNT_MIN = 20;
const ESCALATION_FACTOR = 10;
const HOURS_OF_BASELINE = 7 * 24;

/** Returns how many occurrences of one hour are an escalation, by those of the seven days before the snooze. */
export function escalationCount(occurrencesOfSevenDays: number): number {
  return Math.max(
    ESCALATION_COUNT_MIN,
    Math.ceil((ESCALATION_FACTOR * occurrencesOfSevenDays) / HOURS_OF_BASELINE),
  );
}

/**
 * Returns the cause that wakes a snoozed incident after signals were counted (docs/contract/team-workflow.md 3.2);
 * null: none.
 */
export function wakeCause(marks: WakeMarks, facts: WakeFacts): WakeCause | null {
  const { atCount, atUsers, afterDeployMs, atHourly } = marks;
  if (atCount !== null && facts.occurrenceCount >= atCount) return 'occurrences';
  if (atUsers !== null && facts.affectedUsers >= atUsers) return 'users';
  if (afterDeployMs !== null && (facts.latestDeployMs ?? 0) > afterDeployMs) return 'release';
  if (atHourly === null) return null;
  const isEscalated =
    facts.isSeverityRaised ||
    facts.isSpikeDetected ||
    countOfHour(facts.minuteCounts, facts.nowMs) >= atHourly;
  return isEscalated ? 'escalation' : null;
}

function countOfHour(minuteCounts: ReadonlyMap<number, number>, nowMs: number): number {
  const newest = minuteIndex(nowMs);
  let count = 0;
  for (let minute = newest - MINUTES_OF_HOUR + 1; minute <= newest; minute += 1)
    count += minuteCounts.get(minute) ?? 0;
  return count;
}

/** A snooze in the form in which it is played over the past. */
interface PlayedSnooze {
  durationMs: number;
  forOccurrences: number | null;
  wakesOnEscalation: boolean;
}

/**
 * Plays a snooze over hours of the past: from the first moment on, and again whenever it would have woken.
 * @param counts occurrences by hour since the epoch; those of the seven days before the first moment are the baseline
 */
export function replaySnooze(
  counts: ReadonlyMap<number, number>,
  span: { fromMs: number; toMs: number },
  snooze: PlayedSnooze,
): { hidden: number; wakes: { atMs: number; because: WakeCause }[] } {
  const [firstHour, lastHour] = [Math.floor(span.fromMs / HOUR_MS), Math.floor(span.toMs / HOUR_MS)];
  const hoursAsleep = Math.max(1, Math.ceil(snooze.durationMs / HOUR_MS));
  const wakes: { atMs: number; because: WakeCause }[] = [];
  let hidden = 0;
  let since = firstHour;
  let asleep = 0;
  let escalation = escalationCount(baselineAt(counts, firstHour));
  for (let hour = firstHour; hour <= lastHour; hour += 1) {
    const count = counts.get(hour) ?? 0;
    const isTimeOver = hour - since >= hoursAsleep;
    if (isTimeOver) {
      wakes.push({ atMs: hour * HOUR_MS, because: 'time' });
      [since, asleep, escalation] = [hour, 0, escalationCount(baselineAt(counts, hour))];
    }
    const left = snooze.forOccurrences === null ? Number.POSITIVE_INFINITY : snooze.forOccurrences - asleep;
    const wakesAt = Math.min(left, snooze.wakesOnEscalation ? escalation : left);
    if (count < wakesAt) {
      hidden += count;
      asleep += count;
      continue;
    }
    const because = wakesAt === left ? 'occurrences' : 'escalation';
    // The one that wakes it is seen.
    hidden += wakesAt - 1;
    wakes.push({ atMs: hour * HOUR_MS, because });
    [since, asleep, escalation] = [hour + 1, 0, escalationCount(baselineAt(counts, hour + 1))];
  }
  return { hidden, wakes };
}

function baselineAt(counts: ReadonlyMap<number, number>, hour: number): number {
  let sum = 0;
  for (let each = hour - HOURS_OF_BASELINE; each < hour; each += 1) sum += counts.get(each) ?? 0;
  return sum;
}
