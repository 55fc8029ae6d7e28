import { dirname } from 'node:path';
import { type FileOperations, systemErrorCode } from './file-operations.ts';

interface DurableDirectories {
  /** Makes a directory below the root, with its parents, and the entries that lead to it durable. */
  ensure(directory: string): Promise<void>;

  /** Makes the entries durable that the directory has at the time of this call. */
  sync(directory: string): Promise<void>;

  /** To be called when a directory turned out to be gone. */
  invalidate(directory: string): void;
}

/** Directories remembered as durable; about 100 bytes each. One too few costs a sync. */
const KNOWN_MAX = 10_000;

interface Syncing {
  waiting: { resolve: () => void; reject: (error: unknown) => void }[];
}

/**
 * Creates directory entries that survive a crash: a new file or directory is safe only after an fsync of the directory
 * that names it. `root` must exist and be durable. While the service runs, a directory is removed only if no file will
 * be added to it; only so can this object remember the directories that are already safe.
 */
export function createDurableDirectories(root: string, operations: FileOperations): DurableDirectories {
  const known = new Set([root]);
  const making = new Map<string, Promise<void>>();
  const syncing = new Map<string, Syncing>();

  async function make(directory: string): Promise<void> {
    const parent = dirname(directory);
    await ensure(parent);
    const isNew = await makeOne(directory, operations);
    try {
      // Also when it was there: another process may have made it and not have synced it yet.
      await sync(parent);
    } catch (error) {
      // The next try must make the entry anew: a second fsync could succeed without having written it.
      if (isNew) await operations.rmdir(directory).catch(() => {});
      throw error;
    }
    if (known.size >= KNOWN_MAX) {
      known.clear();
      known.add(root);
    }
    known.add(directory);
  }

  async function ensure(directory: string): Promise<void> {
    if (known.has(directory)) return;
    let made = making.get(directory);
    if (made === undefined) {
      made = make(directory).finally(() => making.delete(directory));
      making.set(directory, made);
    }
    await made;
  }

  /**
   * Callers share an fsync only if it starts after their request, because one under way may have passed their entry
   * already. A caller that arrives during one waits for the next.
   */
  function sync(directory: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const shared = syncing.get(directory);
      if (shared !== undefined) {
        shared.waiting.push({ resolve, reject });
        return;
      }
      const own: Syncing = { waiting: [{ resolve, reject }] };
      syncing.set(directory, own);
      void syncUntilNobodyWaits(directory, own);
    });
  }

  async function syncUntilNobodyWaits(directory: string, state: Syncing): Promise<void> {
    while (state.waiting.length > 0) {
      let covered: Syncing['waiting'] = [];
      try {
        const file = await operations.open(directory, 'r', 0);
        try {
          covered = state.waiting;
          state.waiting = [];
          await operations.fsync(file);
          // Nothing depends on how the descriptor is closed.
          for (const waiter of covered) waiter.resolve();
        } finally {
          await operations.close(file);
        }
      } catch (error) {
        // Callers that arrived during the fsync fail too: the kernel reports a failed write-back once and then marks
        // the pages clean, so the next fsync may succeed without their entries.
        const failed = [...covered, ...state.waiting];
        state.waiting = [];
        for (const waiter of failed) waiter.reject(error);
      }
    }
    syncing.delete(directory);
  }

  return {
    ensure,
    sync,
    invalidate(directory) {
      for (let path = directory; path !== root && path !== dirname(path); path = dirname(path))
        known.delete(path);
    },
  };
}

/** True when the directory was not there before. */
async function makeOne(directory: string, operations: FileOperations): Promise<boolean> {
  try {
    await operations.mkdir(directory, { recursive: false, mode: 0o700 });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}
