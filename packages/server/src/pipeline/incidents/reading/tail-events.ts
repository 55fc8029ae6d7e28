import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import {
  type tailEvents as endpoint,
  TAIL_EVENTS_MAX,
  TAIL_MINUTES,
  TAIL_TEXT_LENGTH_MAX,
  type TailEvent,
} from '@culprit/contract/events/recent-events';
import { decodeTimeCursor, encodeCursor } from '@culprit/contract/schemas/pagination';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { eventLevel, eventLine } from '@culprit/evidence/events/normalize/event-line';
import { readClock } from '../../../platform/db/read-clock.ts';
import { invalidCursor } from '../../../platform/http/binding/invalid-query.ts';
import { parseId, prefixedId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { levelRank } from '../../stored-events/event-codes.ts';
import { findIncidentsOf, type RecentBatch, type RecentEvent, readRecentEvents } from './recent-events.ts';

const BOUNDS = { bytesMax: 8 * 1024 * 1024, batchesMax: 200 };

/** Returns the batch after which a reader continues; null: it starts. @throws Problem `invalid_query` */
export function checkTailCursor({ query }: { query: QueryOf<typeof endpoint> }): RecentBatch | null {
  if (query.after === undefined) return null;
  const cursor = decodeTimeCursor(query.after);
  const batchId = cursor === null ? null : parseId([], cursor.key);
  if (cursor === null || batchId === null) throw invalidCursor('after');
  return { receivedAtMs: cursor.timeMs, batchId };
}

/** The newest events of a project behind a batch (docs/contract/server-additions.md S19). */
export async function tailEvents(
  { database, objects }: Runtime,
  { access: { projectId }, query, checked: after }: ApiRequest<typeof endpoint, RecentBatch | null>,
): Promise<{ events: TailEvent[]; cursor: string }> {
  const nowMs = await readClock(database);
  const sinceMs = Math.max(nowMs - TAIL_MINUTES * 60_000, after?.receivedAtMs ?? 0);
  const found: RecentEvent[] = [];
  let newest: RecentBatch | null = null;
  await readRecentEvents(
    { database, objects },
    { projectId, sinceMs, before: null, bounds: BOUNDS },
    (events) => {
      const batch = events[0]?.batch;
      if (batch === undefined) return true;
      if (after !== null && !isBehind(batch, after)) return false;
      newest ??= batch;
      found.push(...events.filter((each) => isWanted(each, query)));
      return found.length < TAIL_EVENTS_MAX;
    },
  );
  const shown = found.slice(0, TAIL_EVENTS_MAX);
  const incidents = await findIncidentsOf(
    database,
    projectId,
    shown.map(({ event }) => event),
  );
  // Without a batch the reader is before all that is still to arrive.
  const place = newest ?? after ?? { receivedAtMs: nowMs, batchId: NO_BATCH };
  return {
    events: shown.map(({ batch, event }) => {
      const incidentId = incidents.get(event.eventId);
      return {
        event_id: event.eventId,
        event_type: event.eventType,
        received_at: formatTimestamp(batch.receivedAtMs),
        occurred_at: formatTimestamp(event.effectiveAtMs),
        service: event.service.name,
        environment: event.service.environment,
        level: eventLevel(event),
        text: textOf(event),
        incident_id: incidentId === undefined ? null : prefixedId('inc', incidentId),
        trace_id: event.correlation.traceId,
      };
    }),
    cursor: encodeCursor([formatTimestamp(place.receivedAtMs), place.batchId]),
  };
}

/** Characters of text are two units at most, and a line break may be two characters. */
const TEXT_UNITS_MAX = 4 * TAIL_TEXT_LENGTH_MAX;
const NO_BATCH = '00000000-0000-0000-0000-000000000000';

/** In the order of receipt, as the list of batches has it. */
function isBehind(batch: RecentBatch, after: RecentBatch): boolean {
  return (
    batch.receivedAtMs > after.receivedAtMs ||
    (batch.receivedAtMs === after.receivedAtMs && batch.batchId > after.batchId)
  );
}

function isWanted({ event }: RecentEvent, query: QueryOf<typeof endpoint>): boolean {
  const { type, level, service, environment, q } = query;
  const own = eventLevel(event);
  return (
    (type === undefined || event.eventType === type) &&
    (service === undefined || event.service.name === service) &&
    (environment === undefined || event.service.environment === environment) &&
    (level === undefined || (own !== null && levelRank(own) >= levelRank(level))) &&
    (q === undefined || textOf(event).toLowerCase().includes(q.toLowerCase()))
  );
}

function textOf(event: RecentEvent['event']): string {
  // Cut first: a message may be much longer, and each event of a batch is searched.
  const start = eventLine(event).slice(0, TEXT_UNITS_MAX);
  return [...start.replaceAll(/[\r\n]+/g, ' ')].slice(0, TAIL_TEXT_LENGTH_MAX).join('');
}
