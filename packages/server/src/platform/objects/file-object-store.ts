import { randomUUID } from 'node:crypto';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { MACHINE } from '../machine.ts';
import { deleteFiles } from './delete-files.ts';
import { createDurableDirectories } from './durable-directories.ts';
import { type FileOperations, isAbsence, realFileOperations, systemErrorCode } from './file-operations.ts';
import { createGrowingObjects } from './growing-objects.ts';
import {
  assertObjectKey,
  assertObjectRange,
  type FreeSpace,
  OBJECT_BYTES_MAX,
  OBJECT_READ_TIMEOUT_MS,
  ObjectMissingError,
  type ObjectStore,
  ObjectStoreUnavailableError,
  RESERVED_FOLDER,
} from './object-store.ts';
import { type TimeLimit, withTimeLimit } from './time-limit.ts';

export interface FileObjectStore extends ObjectStore {
  freeSpace(): Promise<FreeSpace>;
}

interface FileObjectStoreOptions {
  /** Made when absent. Several processes may share it. */
  directory: string;
  /** A6: 3,000. A put that takes longer rejects; what it still brings about is removed. */
  writeTimeoutMs: number;
  operations?: FileOperations;
  /** True if appended bytes need no separate sync (`Machine`). */
  hasSyncedWrites?: boolean;
  /** Wall clock, only compared with the times of temporary files. */
  nowMs?: () => number;
}

/** No write lives that long, so what is older was left by a crash. Younger files may be another process's. */
const LEFTOVER_AGE_MS = 60_000;
const SWEEP_INTERVAL_MS = 600_000;

/**
 * Objects as files, `<directory>/<key>`. A put is durable when it resolves: temporary file, write, fsync, rename,
 * fsync of the directory and of newly made parents (docs/contract/reliability.md A1.5). After a failed fsync the file
 * is worthless and is removed, not synced again.
 *
 * Resolves when the directory is there and leftovers of crashed writes are removed; rejects with
 * ObjectStoreUnavailableError.
 */
export async function createFileObjectStore(options: FileObjectStoreOptions): Promise<FileObjectStore> {
  const { writeTimeoutMs, operations = realFileOperations, nowMs = Date.now } = options;
  const { hasSyncedWrites = MACHINE.hasSyncedWrites } = options;
  const root = resolve(options.directory);
  // The directory in which files grow before they get their name.
  const temporaryDirectory = join(root, RESERVED_FOLDER);
  const directories = createDurableDirectories(root, operations);
  const ownPrefix = randomUUID();
  let volume: number | undefined;
  let temporaryFiles = 0;
  let nextSweepMs = nowMs() + SWEEP_INTERVAL_MS;

  await guarded('prepare directory', OBJECT_READ_TIMEOUT_MS, async () => {
    await makeRoot(root, operations);
    await operations.mkdir(temporaryDirectory, { recursive: true, mode: 0o700 });
    volume = (await operations.stat(temporaryDirectory)).dev;
    await removeLeftovers();
  });

  /** Rejections leave nothing behind, as far as the file system still obeys. */
  async function writeDurably(path: string, bytes: Buffer, limit: TimeLimit): Promise<void> {
    const directory = dirname(path);
    let place = newTemporaryPath();
    await directories.ensure(directory);
    limit.assertNotOver();
    try {
      const { closed } = await writeSyncedFile(place, bytes, operations);
      limit.assertNotOver();
      await operations.rename(place, path);
      place = path;
      await directories.sync(directory);
      await closed;
      limit.assertNotOver();
    } catch (error) {
      // Only a directory that is gone gives this: the next put makes it again.
      if (systemErrorCode(error) === 'ENOENT') directories.invalidate(directory);
      await operations.unlink(place).catch(() => {});
      throw error;
    }
  }

  const growing = createGrowingObjects({
    create: (key, bytes, limit) => writeDurably(pathOf(key), bytes, limit),
    async grow({ key, endBytes }, bytes, limit) {
      const path = pathOf(key);
      // Each call is two turns between threads, which a lone event waits for.
      const file = await operations.open(path, hasSyncedWrites ? 'rs+' : 'r+', 0);
      try {
        await writeAll(file, bytes, endBytes, operations);
        if (!hasSyncedWrites) await operations.fsync(file);
        limit.assertNotOver();
      } catch (error) {
        await operations.truncate(path, endBytes).catch(() => {});
        throw error;
      } finally {
        // Nothing depends on how the descriptor is closed.
        operations.close(file).catch(() => {});
      }
    },
    within: (work) => guarded('write', writeTimeoutMs, work),
  });

  function newTemporaryPath(): string {
    temporaryFiles++;
    return join(temporaryDirectory, `${ownPrefix}-${temporaryFiles}`);
  }

  function pathOf(key: string): string {
    assertObjectKey(key);
    return join(root, key);
  }

  async function read(key: string, range: { offset: number; length: number } | null): Promise<Buffer> {
    const path = pathOf(key);
    return await guarded('read', OBJECT_READ_TIMEOUT_MS, async () => {
      try {
        const file = await operations.open(path, 'r', 0);
        try {
          const { offset, length } = range ?? { offset: 0, length: await operations.fileSize(file) };
          if (length > OBJECT_BYTES_MAX) throw new RangeError(`${length} bytes of object ${key}`);
          const bytes = await readUpTo(file, offset, length, operations);
          // One that grows may have lost since what a failed append had left behind its end.
          if (bytes.length < length && range !== null) throw new ObjectMissingError(key);
          return bytes;
        } finally {
          await operations.close(file);
        }
      } catch (error) {
        if (!isAbsence(error)) throw error;
        await assertVolume(error);
        throw new ObjectMissingError(key, { cause: error });
      }
    });
  }

  /** On a volume that is not mounted nothing is there, which says nothing of any object. */
  async function assertVolume(absence: unknown): Promise<void> {
    const stat = await ifThere(operations.stat(temporaryDirectory));
    if (stat?.dev !== volume) throw new ObjectStoreUnavailableError('read', 'volume', { cause: absence });
  }

  async function removeLeftovers(): Promise<void> {
    for (const name of await operations.readdir(temporaryDirectory)) {
      // Files of this process are being written, however old a clock that was set forward makes them look.
      if (name.startsWith(ownPrefix)) continue;
      const path = join(temporaryDirectory, name);
      try {
        const { mtimeMs } = await operations.stat(path);
        if (nowMs() - mtimeMs > LEFTOVER_AGE_MS) await operations.unlink(path);
      } catch (error) {
        // Its writer finished, or another process swept at the same time.
        if (!isAbsence(error)) throw error;
      }
    }
  }

  /** A crash just before the start leaves files that are too young then. */
  function sweepWhenDue(): void {
    if (nowMs() < nextSweepMs) return;
    nextSweepMs = nowMs() + SWEEP_INTERVAL_MS;
    removeLeftovers().catch(() => {});
  }

  return {
    async put(key, bytes) {
      const path = pathOf(key);
      if (bytes.length > OBJECT_BYTES_MAX) throw new RangeError(`object of ${bytes.length} bytes`);
      sweepWhenDue();
      await guarded('write', writeTimeoutMs, (limit) => writeDurably(path, bytes, limit));
    },

    async append(prefix, bytes) {
      sweepWhenDue();
      return await growing.append(prefix, bytes);
    },

    mayAnswerLate: false,

    async get(key) {
      return await read(key, null);
    },

    async getRange(key, offset, length) {
      assertObjectRange(offset, length);
      return await read(key, { offset, length });
    },

    async delete(key) {
      const path = pathOf(key);
      // Without a sync: a deletion undone by a crash leaves an orphan, which is looked for anyway.
      await guarded('delete', OBJECT_READ_TIMEOUT_MS, async () => {
        await operations.unlink(path).catch((error: unknown) => {
          if (!isAbsence(error)) throw error;
        });
      });
    },

    async deleteFolder(folder, limit, nameBegins = '') {
      const path = pathOf(folder);
      return await guarded('delete folder', OBJECT_READ_TIMEOUT_MS, (time) =>
        deleteFiles(path, { limit, nameBegins, assertInTime: time.assertNotOver }, operations),
      );
    },

    async exists(key) {
      const path = pathOf(key);
      return await guarded('look up', OBJECT_READ_TIMEOUT_MS, async () => {
        try {
          return (await operations.stat(path)).isFile();
        } catch (error) {
          if (isAbsence(error)) return false;
          throw error;
        }
      });
    },

    async *list(folder) {
      const waiting = [pathOf(folder)];
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
        const directory = path;
        const names = await guarded('list', OBJECT_READ_TIMEOUT_MS, () =>
          ifThere(operations.readdir(directory)),
        );
        for (const name of names ?? []) {
          const entry = join(directory, name);
          const stat = await guarded('list', OBJECT_READ_TIMEOUT_MS, () => ifThere(operations.stat(entry)));
          if (stat === null) continue;
          if (stat.isDirectory()) waiting.push(entry);
          else yield relative(root, entry).split(sep).join('/');
        }
      }
    },

    async check() {
      await guarded('check', writeTimeoutMs, async () => {
        const path = newTemporaryPath();
        try {
          await (await writeSyncedFile(path, PROBE, operations)).closed;
        } finally {
          await operations.unlink(path).catch(() => {});
        }
      });
    },

    async freeSpace() {
      return await guarded('look up free space', OBJECT_READ_TIMEOUT_MS, async () => {
        const { bsize, blocks, bavail, files, ffree } = await operations.statfs(root);
        const isCounted = files > 0;
        return {
          freeBytes: bavail * bsize,
          totalBytes: blocks * bsize,
          freeFiles: isCounted ? ffree : null,
          totalFiles: isCounted ? files : null,
        };
      });
    },
  };
}

/** The result; null where the file or directory is not there, or is none. */
async function ifThere<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

const PROBE = Buffer.from('culprit\n');

async function makeRoot(root: string, operations: FileOperations): Promise<void> {
  const first = await operations.mkdir(root, { recursive: true, mode: 0o700 });
  // The parent's entry also when nothing was made: an earlier start may have been killed before it came here.
  const top = first === undefined ? root : resolve(first);
  for (let path = root; ; path = dirname(path)) {
    try {
      await syncPath(dirname(path), operations);
    } catch (error) {
      // Someone else's directory that we may only pass through cannot have got a new entry from us.
      if (systemErrorCode(error) !== 'EACCES' || first !== undefined) throw error;
    }
    if (path === top) return;
  }
}

async function syncPath(path: string, operations: FileOperations): Promise<void> {
  const file = await operations.open(path, 'r', 0);
  try {
    await operations.fsync(file);
  } finally {
    await operations.close(file);
  }
}

/**
 * Resolves when the bytes are synced. The result does not wait for the descriptor to be closed, which is one more turn
 * of the thread pool for something that has no effect on it; `closed` reports whether the close succeeded.
 */
async function writeSyncedFile(
  path: string,
  bytes: Buffer,
  operations: FileOperations,
): Promise<{ closed: Promise<void> }> {
  const file = await operations.open(path, 'wx', 0o600);
  try {
    await writeAll(file, bytes, 0, operations);
    await operations.fsync(file);
  } catch (error) {
    await operations.close(file).catch(() => {});
    throw error;
  }
  const closed = operations.close(file);
  closed.catch(() => {});
  return { closed };
}

async function writeAll(
  file: number,
  bytes: Buffer,
  position: number,
  operations: FileOperations,
): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    const written = await operations.write(file, bytes, offset, bytes.length - offset, position + offset);
    if (written === 0) throw new ObjectStoreUnavailableError('write', 'nothing written');
    offset += written;
  }
}

/** Fewer bytes where the file ends before. */
async function readUpTo(
  file: number,
  offset: number,
  length: number,
  operations: FileOperations,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = await operations.read(file, bytes, filled, length - filled, offset + filled);
    if (read === 0) return bytes.subarray(0, filled);
    filled += read;
  }
  return bytes;
}

/** Runs work under a time limit; system errors become ObjectStoreUnavailableError. */
async function guarded<T>(
  doing: string,
  timeoutMs: number,
  work: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  try {
    return await withTimeLimit(doing, timeoutMs, work);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === null) throw error;
    throw new ObjectStoreUnavailableError(doing, code, { cause: error });
  }
}
