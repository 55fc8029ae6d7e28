import type { Incident, IncidentSort } from '@culprit/contract/incidents/incidents';
import { decodeCursor, decodeTimeCursor, encodeCursor } from '@culprit/contract/schemas/pagination';
import { parseTimestamp } from '@culprit/contract/schemas/timestamps';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import type { Parameter } from '../../../platform/db/database.ts';
import { parseId } from '../../../platform/ids.ts';
import { PRIORITY_PLACES } from '../triage/priority-rules.ts';

/**
 * Cursors of the list of incidents: `<last_seen_at>|<id>` (docs/contract/incidents.md 2.1); those of another order begin
 * with its name, so that none is read in an order it does not belong to.
 */

const ranksOf = (words: readonly string[]): ReadonlyMap<string, number> =>
  new Map(words.map((word, rank) => [word, rank]));

/** The places of the words in orders by a word. */
const RANKS: Readonly<Partial<Record<IncidentSort, ReadonlyMap<string, number>>>> = {
  severity: ranksOf(SEVERITIES),
  priority: ranksOf(PRIORITY_PLACES),
};

/** Returns the position of an incident in an order. */
export function incidentCursor(sort: IncidentSort, incident: Incident): string {
  const { incident_id: id, last_seen_at: lastSeenAt } = incident;
  switch (sort) {
    case 'last_seen':
      return encodeCursor([lastSeenAt, id]);
    case 'first_seen':
      return encodeCursor([sort, incident.first_seen_at, id]);
    case 'occurrences':
      return encodeCursor([sort, String(incident.occurrence_count), id]);
    case 'severity':
      return encodeCursor([sort, incident.severity, lastSeenAt, id]);
    case 'priority':
      return encodeCursor([sort, priorityPlace(incident), lastSeenAt, id]);
  }
}

function priorityPlace({ severity, triage }: Incident): (typeof PRIORITY_PLACES)[number] {
  const { level } = triage.priority;
  return level === 'urgent' && severity === 'critical' ? 'critical' : level;
}

/** The place as values of the order's columns; null for what is no cursor of that order. */
export function readIncidentCursor(sort: IncidentSort, text: string): Parameter[] | null {
  if (sort === 'last_seen') {
    const cursor = decodeTimeCursor(text);
    return cursor === null ? null : withId([new Date(cursor.timeMs)], cursor.key);
  }
  const ranks = RANKS[sort];
  const parts = decodeCursor(text, ranks === undefined ? 3 : 4);
  if (parts === null || parts[0] !== sort) return null;
  const values = parts.slice(1, -1);
  const id = parts.at(-1) ?? '';
  if (sort === 'occurrences') {
    return /^[1-9]\d{0,14}$/.test(values[0] ?? '') ? withId([Number(values[0])], id) : null;
  }
  const timeMs = parseTimestamp(values.at(-1) ?? '');
  if (timeMs === null) return null;
  if (sort === 'first_seen') return withId([new Date(timeMs)], id);
  const rank = ranks?.get(values[0] ?? '');
  return rank === undefined ? null : withId([rank, new Date(timeMs)], id);
}

function withId(values: readonly Parameter[], text: string): Parameter[] | null {
  const id = parseId(['inc'], text);
  return id === null ? null : [...values, id];
}
