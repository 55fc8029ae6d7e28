import { createHash } from 'node:crypto';
import { rawDayFolder } from '../../pipeline/stored-events/raw-keys.ts';
import type { Database } from '../../platform/db/database.ts';
import { newUuid } from '../../platform/ids.ts';
import { getIfThere, type ObjectStore } from '../../platform/objects/object-store.ts';
import {
  commitReservation,
  type ListedBatch,
  listBatches,
  moveBatches,
  recordRawMerged,
  reserveObject,
  type Span,
} from './merging.queries.ts';
import { lockSharedProject } from './retention.queries.ts';

interface Storage {
  database: Database;
  objects: ObjectStore;
}

/** A batch with its bytes. */
interface ReadBatch {
  batch: ListedBatch;
  bytes: Buffer;
}

/**
 * A merged object goes with the last of its batches, so the first of them are kept longer by this at most; retention
 * has a day of lag (docs/contract/incidents.md 8). It divides a UTC day.
 */
const SPAN_MS = 12 * 3_600_000;
/** The time after the end of a span after which nothing more is received for it. */
const SETTLED_MS = 2 * 3_600_000;
const SMALL_BYTES = 65_536;
/** The size of the largest object that the event intake writes. */
const MERGED_BYTES_MAX = 4 * 1024 * 1024;
const BATCHES_MAX = 1000;
/** A project with more steps than this continues with the next run, so that other projects get their turn. */
const STEPS_PER_LOOK = 100;
const READS_AT_ONCE = 8;

/**
 * Merges the small raw objects of each half day that has ended and was counted: the bytes of the batches follow one
 * another, unchanged, so that positions inside a batch stay the same. An object that is lost or damaged is left alone.
 * @param time.countedUntilMs no batch received before this moment waits for its worker
 * @throws ObjectStoreUnavailableError
 */
export async function* mergeRawObjects(
  projectId: string,
  time: { fromMs: number; countedUntilMs: number },
  storage: Storage,
): AsyncGenerator<void> {
  let steps = 0;
  for (let { fromMs } = time; fromMs + SPAN_MS + SETTLED_MS <= time.countedUntilMs; fromMs += SPAN_MS) {
    const span = { fromMs, untilMs: fromMs + SPAN_MS };
    for await (const _step of mergeSpan(projectId, span, storage)) {
      steps += 1;
      yield;
    }
    await recordRawMerged(storage.database, projectId, span.untilMs);
    if (steps >= STEPS_PER_LOOK) return;
    yield;
  }
}

async function* mergeSpan(projectId: string, span: Span, storage: Storage): AsyncGenerator<void> {
  for (let after: ListedBatch | null = null; ; ) {
    const listed = fitting(await listBatches(storage.database, projectId, span, after, BATCHES_MAX));
    after = listed.at(-1) ?? null;
    if (after === null) return;
    const read = await readSome(storage.objects, listed.filter(isSmall));
    if (read.length > 1) await merge(projectId, span, read, storage);
    yield;
  }
}

function isSmall({ canMove, sizeBytes }: ListedBatch): boolean {
  return canMove && sizeBytes <= SMALL_BYTES;
}

/** Returns as many of the first batches as one object holds. */
function fitting(batches: readonly ListedBatch[]): ListedBatch[] {
  let mergedBytes = 0;
  const end = batches.findIndex((batch) => {
    if (isSmall(batch)) mergedBytes += batch.sizeBytes;
    return mergedBytes > MERGED_BYTES_MAX;
  });
  return batches.slice(0, end === -1 ? batches.length : end);
}

async function readSome(objects: ObjectStore, batches: readonly ListedBatch[]): Promise<ReadBatch[]> {
  const read: ReadBatch[] = [];
  for (let start = 0; start < batches.length; start += READS_AT_ONCE) {
    const some = batches.slice(start, start + READS_AT_ONCE);
    for (const each of await Promise.all(some.map((batch) => readWhole(objects, batch)))) {
      if (each !== null) read.push(each);
    }
  }
  return read;
}

/** Null where the object is not there, or is not what its row says. */
async function readWhole(objects: ObjectStore, batch: ListedBatch): Promise<ReadBatch | null> {
  const bytes = await getIfThere(objects, batch.objectKey);
  if (bytes === null) return null;
  const isWhole = createHash('sha256').update(bytes).digest().equals(batch.sha256);
  return isWhole ? { batch, bytes } : null;
}

async function merge(
  projectId: string,
  span: Span,
  read: readonly ReadBatch[],
  { database, objects }: Storage,
): Promise<void> {
  const objectKey = rawDayFolder(projectId, new Date(span.fromMs).toISOString()) + newUuid();
  const isAnnounced = await database.transaction(async (transaction) => {
    if (!(await lockSharedProject(transaction, projectId))) return false;
    await reserveObject(transaction, projectId, objectKey);
    return true;
  });
  if (!isAnnounced) return;
  await objects.put(objectKey, Buffer.concat(read.map(({ bytes }) => bytes)));
  let offset = 0;
  const places = read.map(({ batch, bytes }) => {
    const place = { batch, offset };
    offset += bytes.length;
    return place;
  });
  await database.transaction(async (transaction) => {
    if (!(await lockSharedProject(transaction, projectId))) return;
    if (!(await commitReservation(transaction, objectKey))) return;
    const moved = await moveBatches(transaction, projectId, objectKey, places);
    // Another worker was faster.
    if (moved === 0) await reserveObject(transaction, projectId, objectKey);
  });
}
