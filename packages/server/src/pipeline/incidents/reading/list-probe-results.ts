import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { listProbeResults as endpoint, ProbeResult } from '@culprit/contract/events/recent-events';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { formatTimestamp, parseTimestamp } from '@culprit/contract/schemas/timestamps';
import { readClock } from '../../../platform/db/read-clock.ts';
import { invalidCursor } from '../../../platform/http/binding/invalid-query.ts';
import { parseId, prefixedId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { findIncidentsOf, type RecentBatch, type RecentEvent, readRecentEvents } from './recent-events.ts';

const DAYS = 7;
const BOUNDS = { bytesMax: 8 * 1024 * 1024, batchesMax: 500 };
const CURSOR_PARTS = 3;

interface Place {
  /** The batch in which the page before ended. */
  batch: RecentBatch;
  /** The position of its last result; -1 when the batch was read to its end. */
  position: number;
}

/** Returns the end of the page before; null: from the newest on. @throws Problem `invalid_query` */
export function checkProbeCursor({ query }: { query: QueryOf<typeof endpoint> }): Place | null {
  if (query.cursor === undefined) return null;
  const [time = '', id = '', position = ''] = decodeCursor(query.cursor, CURSOR_PARTS) ?? [];
  const receivedAtMs = parseTimestamp(time);
  const batchId = parseId([], id);
  if (receivedAtMs === null || batchId === null || !/^(?:-1|\d{1,6})$/.test(position)) {
    throw invalidCursor();
  }
  return { batch: { receivedAtMs, batchId }, position: Number(position) };
}

/** Returns the captures of probes, newest first (docs/contract/server-additions.md S16). */
export async function listProbeResults(
  { database, objects }: Runtime,
  { access: { projectId }, query, checked: after }: ApiRequest<typeof endpoint, Place | null>,
): Promise<{ results: ProbeResult[]; next_cursor: string | null }> {
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  const sinceMs = (await readClock(database)) - DAYS * 86_400_000;
  const found: RecentEvent[] = [];
  // The batch itself is read again where the page before ended inside it.
  const before = after === null || after.position === -1 ? (after?.batch ?? null) : justAfter(after.batch);
  const { last, isComplete } = await readRecentEvents(
    { database, objects },
    { projectId, sinceMs, before, bounds: BOUNDS },
    (events) => {
      found.push(...events.filter((each) => isAfter(each, after) && isResult(each, query.activation_id)));
      return found.length <= limit;
    },
  );
  const shown = found.slice(0, limit);
  const end = shown.at(-1);
  const incidents = await findIncidentsOf(
    database,
    projectId,
    shown.map(({ event }) => event),
  );
  const place: Place | null =
    found.length > limit && end !== undefined
      ? { batch: end.batch, position: end.position }
      : isComplete || last === null
        ? null
        : { batch: last, position: -1 };
  return {
    results: shown.flatMap(({ event }) => {
      if (event.payload.kind !== 'probe') return [];
      const { activationId, label, data } = event.payload;
      const incidentId = incidents.get(event.eventId);
      return [
        {
          event_id: event.eventId,
          activation_id: activationId,
          label,
          data,
          occurred_at: formatTimestamp(event.effectiveAtMs),
          service: event.service.name,
          environment: event.service.environment,
          incident_id: incidentId === undefined ? null : prefixedId('inc', incidentId),
        },
      ];
    }),
    next_cursor:
      place === null
        ? null
        : encodeCursor([
            formatTimestamp(place.batch.receivedAtMs),
            place.batch.batchId,
            String(place.position),
          ]),
  };
}

/** A place right behind a batch, so that the batch itself comes next. */
function justAfter({ receivedAtMs }: RecentBatch): RecentBatch {
  return { receivedAtMs: receivedAtMs + 1, batchId: '00000000-0000-0000-0000-000000000000' };
}

/** Batches come newest first, and so do the events of each. */
function isAfter({ batch, position }: RecentEvent, after: Place | null): boolean {
  if (after === null || after.position === -1) return true;
  const { receivedAtMs, batchId } = after.batch;
  if (batch.receivedAtMs !== receivedAtMs) return batch.receivedAtMs < receivedAtMs;
  return batch.batchId === batchId ? position < after.position : batch.batchId < batchId;
}

function isResult({ event }: RecentEvent, activationId: string | undefined): boolean {
  if (event.payload.kind !== 'probe') return false;
  return activationId === undefined || event.payload.activationId === activationId;
}
