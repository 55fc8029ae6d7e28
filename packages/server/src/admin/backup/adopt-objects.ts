import { createHash } from 'node:crypto';
import { parkEvents } from '../../pipeline/incidents/processing/park-events.ts';
import { commitWindow } from '../../pipeline/ingest/ingest.queries.ts';
import { parseRawKey, type RawObjectKey, rawDayFolder } from '../../pipeline/stored-events/raw-keys.ts';
import {
  type AppendedObjects,
  splitAppendedObjects,
  splitBatchObjects,
} from '../../pipeline/stored-events/split-objects.ts';
import type { Database } from '../../platform/db/database.ts';
import { ObjectMissingError, type ObjectStore } from '../../platform/objects/object-store.ts';
import {
  endBatch,
  findKnownContents,
  isKnownObject,
  listKnownEnds,
  listLiveProjects,
  listWaitingBatches,
} from './adopt-objects.queries.ts';
import { type FoundBatch, foundBatch, idOfContent, isDamage } from './found-batches.ts';

/** The objects that a restore found in addition to its rows. */
export interface Adoption {
  /** Events in objects that the backup does not know; they are processed like any other. */
  foundEvents: number;
  /** Events that waited to be processed and whose objects are gone; each is a dead letter. */
  lostEvents: number;
  /**
   * Objects of projects that the backup does not know, and objects that cannot be read, or not as far as they were
   * written. They are left alone.
   */
  unusableObjects: number;
}

/**
 * The time before the backup's moment in which an object can have been received whose row was not yet in the database:
 * a window of the event intake takes some seconds. An older object without a row was never acknowledged, or is about to
 * be removed.
 */
const COMMIT_LAG_MS = 60_000;
const BATCHES_PER_PAGE = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Reconciles a restored database with the objects of its store, as after the loss of the database alone: raw objects
 * that were accepted after the backup get their rows and jobs, and events whose object is missing become dead letters
 * that name it. A repeated call finds nothing more, because the first one recorded what it found.
 * @param madeAtMs the moment of the backup
 */
export async function adoptObjects(
  database: Database,
  objects: ObjectStore,
  madeAtMs: number,
): Promise<Adoption> {
  const { foundEvents, unusableObjects } = await findUnknown(database, objects, madeAtMs - COMMIT_LAG_MS);
  return { foundEvents, unusableObjects, lostEvents: await parkLost(database, objects) };
}

async function findUnknown(
  database: Database,
  objects: ObjectStore,
  receivedFromMs: number,
): Promise<Pick<Adoption, 'foundEvents' | 'unusableObjects'>> {
  const projects = await listLiveProjects(database);
  const fromDay = new Date(receivedFromMs).toISOString().slice(0, 10);
  const shared: RawObjectKey[] = [];
  const found = { foundEvents: 0, unusableObjects: 0 };

  /** Objects of several batches wait for the second round: the first may find these under their own keys. */
  async function adopt(raw: RawObjectKey, isSecondRound: boolean): Promise<void> {
    try {
      if (raw.isAppended && !isSecondRound) {
        shared.push(raw);
        return;
      }
      const { objects: parts, isDamaged } = await readRawObjects(database, objects, raw);
      const [only] = parts;
      if (parts.length > 1 || raw.isAppended) {
        if (!isSecondRound) {
          shared.push(raw);
          return;
        }
        const adopted = await adoptShared(database, objects, raw, parts, receivedFromMs);
        found.foundEvents += adopted.foundEvents;
        if (isDamaged || adopted.isDamaged) found.unusableObjects += 1;
      } else if (only !== undefined) {
        const batch = await foundBatch(raw, only, receivedFromMs);
        if (batch !== null) found.foundEvents += await insertFound(database, batch);
      }
    } catch (error) {
      // In an installation that continues to run, retention may have removed it since; then there is nothing to find
      // either.
      if (!isDamage(error) && !(error instanceof ObjectMissingError)) throw error;
      found.unusableObjects += 1;
    }
  }

  for await (const key of objects.list('raw')) {
    const raw = parseRawKey(key);
    if (raw === null || raw.day < fromDay) continue;
    if (!projects.has(raw.projectId)) found.unusableObjects += 1;
    else if (raw.isAppended || !(await isKnownObject(database, raw))) await adopt(raw, false);
  }
  for (const raw of shared) await adopt(raw, true);
  return found;
}

/** Returns the raw objects under a key: several if retention has merged them, or if the event intake appended them. */
async function readRawObjects(
  database: Database,
  objects: ObjectStore,
  { key, isAppended }: RawObjectKey,
): Promise<AppendedObjects> {
  const bytes = await objects.get(key);
  if (!isAppended) return { objects: splitBatchObjects(bytes), isDamaged: false };
  return splitAppendedObjects(bytes, await listKnownEnds(database, key));
}

/**
 * Gives each unknown part a separate object, because the row of another part may name the shared one as if it contained
 * nothing else, and because parts that retention has merged are known by their contents alone.
 */
async function adoptShared(
  database: Database,
  objects: ObjectStore,
  raw: RawObjectKey,
  parts: readonly Buffer[],
  receivedFromMs: number,
): Promise<{ foundEvents: number; isDamaged: boolean }> {
  let isDamaged = false;
  const candidates: { bytes: Buffer; sha256: Buffer; receivedAtMs: number; found: FoundBatch }[] = [];
  for (const bytes of parts) {
    const id = idOfContent(raw.projectId, bytes);
    const key = rawDayFolder(raw.projectId, raw.day) + id;
    const found = await foundBatch({ ...raw, key, id }, bytes, receivedFromMs).catch((error: unknown) => {
      if (!raw.isAppended || !isDamage(error)) throw error;
      // The last one may be what a loss of power left of a write that was never acknowledged.
      isDamaged ||= bytes !== parts.at(-1);
      return null;
    });
    if (found === null) continue;
    const sha256 = createHash('sha256').update(bytes).digest();
    candidates.push({ bytes, sha256, receivedAtMs: Date.parse(found.batch.received_at), found });
  }
  if (candidates.length === 0) return { foundEvents: 0, isDamaged };
  const known = await findKnownContents(
    database,
    raw.projectId,
    candidates.map(({ sha256 }) => sha256),
    candidates.map(({ receivedAtMs }) => receivedAtMs),
  );
  let foundEvents = 0;
  for (const { bytes, sha256, found } of candidates) {
    if (known.has(sha256.toString('hex'))) continue;
    await objects.put(found.batch.object_key, bytes);
    foundEvents += await insertFound(database, found);
  }
  return { foundEvents, isDamaged };
}

/** Makes a found batch count, once; returns how many events that were. */
async function insertFound(database: Database, { batch, fates }: FoundBatch): Promise<number> {
  return await database.transaction(async (transaction) => {
    if (await isKnownObject(transaction, { key: batch.object_key, id: batch.batch_id })) return 0;
    const live = await commitWindow(transaction, [batch], fates);
    return live.has(batch.project_id) ? batch.event_count : 0;
  });
}

/** Parks the events of batches that wait and whose object is not there. */
async function parkLost(database: Database, objects: ObjectStore): Promise<number> {
  let lost = 0;
  for (let after = FIRST_ID; ; ) {
    const batches = await listWaitingBatches(database, after, BATCHES_PER_PAGE);
    for (const { batchId, objectKey } of batches) {
      if (await objects.exists(objectKey)) continue;
      const reason = new ObjectMissingError(objectKey).message;
      lost += await database.transaction(async (transaction) => {
        await endBatch(transaction, batchId);
        return await parkEvents(transaction, batchId, null, { reason, failures: 1 });
      });
    }
    const last = batches.at(-1);
    if (last === undefined || batches.length < BATCHES_PER_PAGE) return lost;
    after = last.batchId;
  }
}
