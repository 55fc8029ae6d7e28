import type { Database } from '../../platform/db/database.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { projectFolder } from '../../workspace/projects/project-objects.ts';
import { emptyFolder } from '../purge/empty-folder.ts';
import {
  deleteBatches,
  deleteObjectTombstones,
  findMarkedObjects,
  findMarkedWithoutProject,
  hasBatchesOfDay,
  lockSharedProject,
  recordRawKeptFrom,
} from './retention.queries.ts';

/**
 * The time after the deletion of its row at which an object is deleted: longer than any read by a process that found
 * the row.
 */
export const REST_SECONDS = 1800;

const MARKED_PER_STEP = 500;
const DELETES_AT_ONCE = 16;
const BATCHES_PER_STEP = 500;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

interface Storage {
  database: Database;
  objects: ObjectStore;
}

/**
 * Removes objects and folders whose rows were deleted earlier, no matter what marked them for deletion, and then their
 * tombstones (docs/contract/reliability.md A8).
 */
export async function* deleteMarkedObjects(
  projectId: string,
  { database, objects }: Storage,
): AsyncGenerator<void> {
  for (;;) {
    const keys = await findMarkedObjects(database, projectId, REST_SECONDS, MARKED_PER_STEP);
    yield* deleteWithMarks(keys, { database, objects });
    if (keys.length < MARKED_PER_STEP) return;
  }
}

/**
 * Removes objects that were marked for deletion when the storage of their deleted project had been emptied: a worker
 * that stood still for longer than the purge waits may still write and mark one. A project that is gone is not cleaned,
 * so they would stay forever, and nothing reads them, so they need no waiting time.
 */
export async function* deleteObjectsWithoutProject({ database, objects }: Storage): AsyncGenerator<void> {
  for (;;) {
    const keys = await findMarkedWithoutProject(database, MARKED_PER_STEP);
    yield* deleteWithMarks(keys, { database, objects });
    if (keys.length < MARKED_PER_STEP) return;
  }
}

async function* deleteWithMarks(
  keys: readonly string[],
  { database, objects }: Storage,
): AsyncGenerator<void> {
  for (let start = 0; start < keys.length; start += DELETES_AT_ONCE) {
    const some = keys.slice(start, start + DELETES_AT_ONCE);
    await Promise.all(some.map((key) => removeMarked(objects, key)));
    // A folder is three requests or more: here too a stop is seen soon.
    if (some.some(isFolder)) yield;
  }
  if (keys.length > 0) await deleteObjectTombstones(database, keys);
  yield;
}

/** A folder is marked for deletion under its name with a slash at the end. */
function isFolder(key: string): boolean {
  return key.endsWith('/');
}

async function removeMarked(objects: ObjectStore, key: string): Promise<void> {
  if (!isFolder(key)) {
    await objects.delete(key);
    return;
  }
  for await (const _step of emptyFolder(objects, key.slice(0, -1)));
}

/**
 * Removes batches received before a moment and marks their objects for deletion. Then the folders of the days that are over since:
 * what is left in them are objects that never had a row, because the commit after them failed.
 */
export async function* deleteRawObjects(
  projectId: string,
  raw: { keptFromMs: number; firstDay: string },
  { database, objects }: Storage,
): AsyncGenerator<void> {
  let removed = BATCHES_PER_STEP;
  while (removed === BATCHES_PER_STEP) {
    removed = await database.transaction(async (transaction) => {
      // Nothing may be marked after the deletion of the project, which would leave it there.
      if (!(await lockSharedProject(transaction, projectId))) return 0;
      return await deleteBatches(transaction, projectId, raw.keptFromMs, BATCHES_PER_STEP);
    });
    yield;
  }
  let dayMs = Date.parse(raw.firstDay);
  while (dayMs + DAY_MS + HOUR_MS <= raw.keptFromMs) {
    const day = isoDay(dayMs);
    if (await hasBatchesOfDay(database, projectId, day)) return;
    yield* emptyFolder(objects, `${projectFolder('raw', projectId)}/${day}`);
    dayMs += DAY_MS;
    await recordRawKeptFrom(database, projectId, isoDay(dayMs));
  }
}

function isoDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
