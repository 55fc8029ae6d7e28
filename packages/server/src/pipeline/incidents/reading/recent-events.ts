import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { createLoopYield } from '../../../platform/loop-yield.ts';
import { ObjectMissingError, type ObjectStore } from '../../../platform/objects/object-store.ts';
import { type DecodedRecord, decodeBatchObject, derivedEventId } from '../../stored-events/batch-object.ts';
import { DamagedObjectError } from '../../stored-events/raw-record.ts';

/** A batch of a project that was accepted. Ids are bare UUIDs. */
export interface RecentBatch {
  batchId: string;
  receivedAtMs: number;
}

/** An accepted event with its batch. */
export interface RecentEvent {
  batch: RecentBatch;
  position: number;
  event: NormalizedEvent;
  /** The event in its stored form. */
  raw: JsonObject;
}

/** The bounds of one request: bytes of objects in their stored form, and batches. */
interface ReadBounds {
  bytesMax: number;
  batchesMax: number;
}

/** Records of a batch, newest first. */
export type RecentRecords = readonly Pick<DecodedRecord, 'position' | 'eventBytes'>[];

interface Page {
  projectId: string;
  sinceMs: number;
  /** Batches behind this one; null: from the newest on. */
  before: RecentBatch | null;
  bounds: ReadBounds;
}

/**
 * Reads accepted events back from their objects, batch by batch, newest first: the way in which a project's newest
 * events are found without an index of events. Stops when the caller has enough or a bound is reached.
 * @param take is given the events of a batch, newest first; false: enough
 * @returns the last batch that was read and whether there may be more
 */
export async function readRecentEvents(
  parts: { database: Database; objects: ObjectStore },
  page: Page,
  take: (events: readonly RecentEvent[]) => boolean | Promise<boolean>,
): Promise<{ last: RecentBatch | null; isComplete: boolean }> {
  const others = createLoopYield();
  return await readRecentRecords(parts, page, async (batch, records) => {
    const events: RecentEvent[] = [];
    for (const record of records) {
      await others.next();
      const event = readRecord(batch, record);
      if (event !== null) events.push(event);
    }
    return await take(events);
  });
}

/** `readRecentEvents`, for callers that do not parse the events here. */
export async function readRecentRecords(
  { database, objects }: { database: Database; objects: ObjectStore },
  { projectId, sinceMs, before, bounds }: Page,
  take: (batch: RecentBatch, records: RecentRecords) => boolean | Promise<boolean>,
): Promise<{ last: RecentBatch | null; isComplete: boolean }> {
  const rows = await database.query<{
    batch_id: string;
    object_key: string;
    object_offset: number | null;
    size_bytes: number;
    received_at: number;
  }>(BATCHES, [
    projectId,
    new Date(sinceMs),
    before === null ? null : new Date(before.receivedAtMs),
    before?.batchId ?? null,
    bounds.batchesMax + 1,
  ]);
  let [bytes, last]: [number, RecentBatch | null] = [0, null];
  for (const row of rows.slice(0, bounds.batchesMax)) {
    bytes += row.size_bytes;
    if (last !== null && bytes > bounds.bytesMax) return { last, isComplete: false };
    last = { batchId: row.batch_id, receivedAtMs: row.received_at };
    if (!(await take(last, await readBatch(objects, row)))) return { last, isComplete: false };
  }
  return { last, isComplete: rows.length <= bounds.batchesMax };
}

async function readBatch(
  objects: ObjectStore,
  row: { object_key: string; object_offset: number | null; size_bytes: number },
): Promise<RecentRecords> {
  try {
    const bytes = await objects.getRange(row.object_key, row.object_offset ?? 0, row.size_bytes);
    const { records } = await decodeBatchObject(bytes);
    return records.toReversed();
  } catch (error) {
    // Retention may have removed it since; the other events are shown.
    if (error instanceof ObjectMissingError || error instanceof DamagedObjectError) return [];
    throw error;
  }
}

/** Null for a damaged record. */
function readRecord(batch: RecentBatch, { position, eventBytes }: RecentRecords[number]): RecentEvent | null {
  const raw: unknown = JSON.parse(eventBytes.toString('utf8'));
  if (!isJsonObject(raw)) return null;
  const eventId = typeof raw.event_id === 'string' ? raw.event_id : derivedEventId(batch.batchId, position);
  return { batch, position, event: normalizeEvent(raw, { eventId, receivedAtMs: batch.receivedAtMs }), raw };
}

/** The incidents that counted some events of batches of a project, by event id. */
export async function findIncidentsOf(
  database: Database,
  projectId: string,
  events: readonly { eventId: string; receivedAtMs: number }[],
): Promise<Map<string, string>> {
  if (events.length === 0) return new Map();
  const times = events.map(({ receivedAtMs }) => receivedAtMs);
  const rows = await database.query<{ event_id: string; incident_id: string }>(INCIDENTS, [
    projectId,
    new Date(Math.min(...times)),
    new Date(Math.max(...times)),
    events.map(({ eventId }) => eventId),
  ]);
  return new Map(rows.map((row) => [row.event_id, row.incident_id]));
}

const BATCHES = sql('recent-batches')`
    select batch_id, object_key, object_offset, size_bytes, received_at
    from batches
    where project_id = $1 and received_at >= $2
      and ($3::timestamptz is null or (received_at, batch_id) < ($3, $4::uuid))
    order by received_at desc, batch_id desc limit $5`;

// By the incidents of the project that were seen since, whose events are few and indexed.
const INCIDENTS = sql('recent-incidents')`
    select e.event_id, e.incident_id
    from incidents i join events e on e.incident_id = i.incident_id
    where i.project_id = $1 and i.newest_received_at >= $2 and e.received_at between $2 and $3
      and e.event_id = any ($4)`;
