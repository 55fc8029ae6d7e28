import type { SuppressedPayload } from '../events/normalize/event.ts';
import { BEHIND_MS_MAX } from '../events/normalize/sender-clock.ts';

/** From when to when a report counts repeats; milliseconds since the epoch. */
export interface SuppressedSpan {
  fromMs: number;
  toMs: number;
}

/** Times in which the signals of suppressed repeats are looked for, and the span in which the repeats are counted. */
interface SuppressedSearch extends SuppressedSpan {
  counted: SuppressedSpan;
}

/** The longest time in which a report is sent: three days in a client's queue, seven in a relay's. */
const REPORT_AGE_MAX_MS = 7 * 24 * 60 * 60 * 1000;
/** Widening of a span when its signals are looked for. */
const SLACK_MS = 2000;
/** The delay of a flush or a checkpoint of the library after the repeats, whatever window it names. */
const DELAY_MIN_MS = 60_000;
const WINDOW_MAX_MS = 60 * 60_000;

/**
 * Returns the span of a report and the places of its signals, in the order in which they are searched. Some libraries
 * take the times of a report from a clock that starts with the process or the machine, which reads as 1970. A span that
 * ends too early before its report for any queue to explain is moved to the time of the report, its length kept. Unless
 * its clock cannot be believed at all, it is first searched as reported: the clock of the signals may be off just as
 * far.
 */
export function suppressedSearches(
  payload: SuppressedPayload,
  event: { effectiveAtMs: number; receivedAtMs: number },
): readonly [SuppressedSearch, ...SuppressedSearch[]] {
  const { receivedAtMs } = event;
  const { lastSeenMs } = payload;
  const reported = {
    fromMs: Math.max(payload.firstSeenMs, lastSeenMs - REPORT_AGE_MAX_MS),
    toMs: lastSeenMs,
  };
  const asReported = {
    fromMs: reported.fromMs - SLACK_MS,
    toMs: reported.toMs + SLACK_MS,
    counted: reported,
  };
  if (isPlausible(reported.toMs, receivedAtMs)) return [asReported];
  const toMs = isPlausible(event.effectiveAtMs, receivedAtMs) ? event.effectiveAtMs : receivedAtMs;
  const counted = { fromMs: toMs - (reported.toMs - reported.fromMs), toMs };
  const delayMs = Math.max(DELAY_MIN_MS, Math.min(payload.windowSeconds * 1000, WINDOW_MAX_MS));
  const moved = { fromMs: counted.fromMs - delayMs - SLACK_MS, toMs: toMs + SLACK_MS, counted };
  return receivedAtMs - reported.toMs > BEHIND_MS_MAX ? [moved] : [asReported, moved];
}

/** The span in which repeats are counted whose incident is known without looking for signals. */
export function countedSpan(searches: readonly [SuppressedSearch, ...SuppressedSearch[]]): SuppressedSpan {
  return (searches.at(-1) ?? searches[0]).counted;
}

function isPlausible(timeMs: number, receivedAtMs: number): boolean {
  return receivedAtMs - timeMs <= REPORT_AGE_MAX_MS;
}
