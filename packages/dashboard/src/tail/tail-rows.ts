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

/** Events in a row that say the same, shown as one line. */
export interface TailRun {
  /** The id of its first event, which stays while the run grows. */
  key: string;
  /** The newest event of those that belong to an incident, else the newest. */
  row: TailEvent;
  times: number;
}

/** Returns the rows with neighbors of equal text, level, type, service and environment folded. */
export function foldedRuns(rows: readonly TailEvent[]): TailRun[] {
  const runs: TailRun[] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    if (last === undefined || !isSame(last.row, row)) {
      runs.push({ key: row.event_id, row, times: 1 });
      continue;
    }
    last.times += 1;
    // The newest often arrives before it belongs to an incident.
    last.row =
      row.incident_id === null && last.row.incident_id !== null
        ? { ...last.row, received_at: row.received_at }
        : row;
  }
  return runs;
}

function isSame(a: TailEvent, b: TailEvent): boolean {
  const isOfOneIncident = a.incident_id === b.incident_id || a.incident_id === null || b.incident_id === null;
  const isEqual = (['text', 'level', 'event_type', 'service', 'environment'] as const).every(
    (field) => a[field] === b[field],
  );
  return isEqual && isOfOneIncident;
}
