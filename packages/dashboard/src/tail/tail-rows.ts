import type { TailEvent } from '@culprit/contract/events/recent-events';

/** Rows that are kept; older ones go. */
export const TAIL_ROWS_MAX = 5000;
/** The number of answers that are read again: an event often arrives before it belongs to an incident. */
const ANSWERS_AGAIN = 3;

export interface Tail {
  /** Oldest first. */
  rows: readonly TailEvent[];
  /** The cursors of the last answers, the oldest first: the next request continues after that one. */
  cursors: readonly string[];
}

/** Returns the rows so far with the new and updated rows of an answer. */
export function continued(
  before: Tail | undefined,
  answer: { events: readonly TailEvent[]; cursor: string },
): Tail {
  const rows = new Map(before?.rows.map((row) => [row.event_id, row]));
  for (const event of answer.events.toReversed()) rows.set(event.event_id, event);
  return {
    rows: [...rows.values()].slice(-TAIL_ROWS_MAX),
    cursors: [...(before?.cursors ?? []), answer.cursor].slice(-ANSWERS_AGAIN),
  };
}

/** Returns the number of rows that arrived after those that are shown while the list is paused. */
export function newerThan(shown: readonly TailEvent[], rows: readonly TailEvent[]): number {
  const last = shown.at(-1)?.event_id;
  return rows.length - 1 - rows.findLastIndex(({ event_id: id }) => id === last);
}
