const DAY_MS = 24 * 60 * 60 * 1_000;

/** Further ahead of the receipt a time is not believed: nothing may be placed in the future. */
const AHEAD_MS_MAX = 10 * 60 * 1_000;
/** The limit for times in the past: no queue keeps an event for 30 days, so such a clock was never set or is dead. */
export const BEHIND_MS_MAX = 30 * DAY_MS;

/** The clock that an event was written by, judged by the time of its receipt (docs/contract/ingestion.md 1.5). */
export interface SenderClock {
  /** The time of the event: its own, or that of the receipt if the clock is not believed. */
  effectiveAtMs: number;
  /**
   * A time inside the event. Those of a clock that is not believed move with the event, so that their distances stay;
   * one more than 30 days from the event's time is of another clock and stays.
   */
  at(timeMs: number): number;
}

export function senderClock(occurredAtMs: number, receivedAtMs: number): SenderClock {
  if (isBelievable(occurredAtMs, receivedAtMs))
    return { effectiveAtMs: occurredAtMs, at: (timeMs) => timeMs };
  const shiftMs = receivedAtMs - occurredAtMs;
  return {
    effectiveAtMs: receivedAtMs,
    at: (timeMs) => (Math.abs(timeMs - occurredAtMs) <= BEHIND_MS_MAX ? timeMs + shiftMs : timeMs),
  };
}

function isBelievable(timeMs: number, receivedAtMs: number): boolean {
  return timeMs >= receivedAtMs - BEHIND_MS_MAX && !isAhead(timeMs, receivedAtMs);
}

/** Returns true if a clock that runs ahead would place this in the future. */
export function isAhead(timeMs: number, receivedAtMs: number): boolean {
  return timeMs > receivedAtMs + AHEAD_MS_MAX;
}
