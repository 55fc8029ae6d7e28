import type { TailEvent } from '@culprit/contract/recent-events';

/** Rows that are kept; older ones go. */
export const TAIL_ROWS_MAX = 5000;
/** How many answers are read again: an event is often there before it belongs to an incident. */
const ANSWERS_AGAIN = 3;

export interface Tail {
  /** Oldest first. */
  rows: readonly TailEvent[];
  /** Of the last answers, the oldest first: the next request goes on behind that one. */
  cursors: readonly string[];
}

/** What was read so far with what an answer adds to it, or says better. */
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

/** How many rows came after those that are shown while the list stands still. */
export function newerThan(shown: readonly TailEvent[], rows: readonly TailEvent[]): number {
  const last = shown.at(-1)?.event_id;
  return rows.length - 1 - rows.findLastIndex(({ event_id: id }) => id === last);
}
