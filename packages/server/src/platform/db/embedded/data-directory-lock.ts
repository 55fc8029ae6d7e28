import { closeSync, futimes, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { fileProblem } from './file-problem.ts';
import { bootId, identifyProcess, type ProcessIdentity, pidNamespace } from './process-identity.ts';

const LOCK_FILE = 'culprit.lock';
const HEARTBEAT_MS = 4_000;
/** Long enough to see two heartbeats of a holder whose process number means nothing here. */
const FOREIGN_WATCH_MS = 10_000;
const FOREIGN_SILENCE_MS = 20_000;
/** A process writes a lock file immediately after it creates it; an empty one that is older than this is a leftover. */
const EMPTY_LOCK_MS = 2_000;
const ATTEMPTS_MAX = 20;
const PREDECESSOR_POLL_MS = 50;

/** Exclusive use of a data directory, held until released or until this process is gone. */
interface DataDirectoryLock {
  /** Harmless when called twice. */
  release(): void;
}

/** The way to wait for another process that holds the data directory and may be about to release it. */
export interface Predecessor {
  waitMs: number;
  /** Called once, when the waiting begins. */
  onWaiting(pid: number): void;
  /** Ends the waiting. */
  signal: AbortSignal;
}

/**
 * Takes the data directory for this process. Node offers no lock that the kernel would drop with the process, so the
 * file names its holder exactly (number, start time, boot, process namespace) and a dead holder's file is replaced. A
 * holder in another container or from before a restart of the machine is judged by its heartbeat, the file's
 * modification time, which can take 10 s. Without `predecessor`, the call fails immediately if the holder is alive.
 *
 * Fails with `data_directory_locked`, `data_directory_unwritable` or `disk_full`.
 */
export async function lockDataDirectory(
  dataDir: string,
  options: { foreignWatchMs?: number; predecessor?: Predecessor } = {},
): Promise<DataDirectoryLock> {
  const { foreignWatchMs = FOREIGN_WATCH_MS, predecessor } = options;
  const path = join(dataDir, LOCK_FILE);
  const giveUpAt = performance.now() + (predecessor?.waitMs ?? 0);
  let hasAnnounced = false;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const lock = createLock(path);
    if (lock !== null) {
      return lock;
    }
    const content = readLock(path);
    if (content === null) {
      continue;
    }
    const holder = parseHolder(content);
    if (holder === null ? await isBeingWritten(path) : await isHolderAlive(path, holder, foreignWatchMs)) {
      const mayWait = holder?.pid !== process.pid && performance.now() < giveUpAt;
      if (predecessor === undefined || !mayWait) throw lockedError(dataDir, path, holder);
      if (!hasAnnounced && holder !== null) {
        hasAnnounced = true;
        predecessor.onWaiting(holder.pid);
      }
      await delay(PREDECESSOR_POLL_MS, undefined, { signal: predecessor.signal });
      // Only attempts at a lock without a holder count.
      attempt -= 1;
      continue;
    }
    removeDeadLock(path, content);
  }
  throw lockedError(dataDir, path, null);
}

/** The live process of this machine that holds the data directory, or null. */
export function liveLockHolder(dataDir: string): ProcessIdentity | null {
  const content = readLock(join(dataDir, LOCK_FILE));
  const holder = content === null ? null : parseHolder(content);
  const isAlive =
    holder !== null &&
    isVisibleFromHere(holder) &&
    identifyProcess(holder.pid)?.startedAt === holder.startedAt;
  return isAlive ? holder : null;
}

/** Null when the file exists already. */
function createLock(path: string): DataDirectoryLock | null {
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o644);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      return null;
    }
    throw fileProblem(error, path);
  }
  const content = `${JSON.stringify(identifyProcess(process.pid))}\n`;
  try {
    writeSync(fd, content);
  } catch (error) {
    closeSync(fd);
    rmSync(path, { force: true });
    throw fileProblem(error, path);
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    futimes(fd, now, now, () => {});
  }, HEARTBEAT_MS);
  heartbeat.unref();

  let isReleased = false;
  return {
    release() {
      if (isReleased) {
        return;
      }
      isReleased = true;
      clearInterval(heartbeat);
      closeSync(fd);
      if (readLock(path) === content) {
        rmSync(path, { force: true });
      }
    },
  };
}

function readLock(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function parseHolder(content: string): ProcessIdentity | null {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  if (!('pid' in value && 'startedAt' in value && 'bootId' in value && 'pidNamespace' in value)) {
    return null;
  }
  const { pid, startedAt, bootId, pidNamespace } = value;
  const isComplete =
    typeof pid === 'number' &&
    typeof startedAt === 'string' &&
    typeof bootId === 'string' &&
    typeof pidNamespace === 'string';
  return isComplete ? { pid, startedAt, bootId, pidNamespace } : null;
}

async function isBeingWritten(path: string): Promise<boolean> {
  const before = modifiedMs(path);
  if (before === null || Math.abs(Date.now() - before) > EMPTY_LOCK_MS) {
    return false;
  }
  await delay(EMPTY_LOCK_MS);
  const content = readLock(path);
  return content !== null && parseHolder(content) !== null;
}

async function isHolderAlive(
  path: string,
  holder: ProcessIdentity,
  foreignWatchMs: number,
): Promise<boolean> {
  if (isVisibleFromHere(holder)) {
    return identifyProcess(holder.pid)?.startedAt === holder.startedAt;
  }
  const before = modifiedMs(path);
  if (before === null || Date.now() - before > FOREIGN_SILENCE_MS) {
    return false;
  }
  await delay(foreignWatchMs);
  const after = modifiedMs(path);
  return after !== null && after !== before;
}

function isVisibleFromHere(holder: ProcessIdentity): boolean {
  return holder.bootId === bootId() && holder.pidNamespace === pidNamespace();
}

/**
 * Moves the dead holder's file away and looks again: when a third process took the directory in between, the
 * moved file is its lock and goes back.
 */
function removeDeadLock(path: string, judgedContent: string): void {
  const asidePath = `${path}.${process.pid}`;
  try {
    renameSync(path, asidePath);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return;
    }
    throw fileProblem(error, path);
  }
  if (readLock(asidePath) === judgedContent) {
    rmSync(asidePath, { force: true });
  } else {
    renameSync(asidePath, path);
  }
}

function modifiedMs(path: string): number | null {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return null;
  }
}

function lockedError(dataDir: string, path: string, holder: ProcessIdentity | null): EmbeddedPostgresError {
  const advice = 'Stop it first, or give this one its own directory with CULPRIT_DATA_DIR.';
  if (holder === null) {
    return new EmbeddedPostgresError(
      'data_directory_locked',
      `Another Culprit process is starting in the data directory ${dataDir} (lock file ${path}). ${advice}`,
    );
  }
  if (!isVisibleFromHere(holder)) {
    return new EmbeddedPostgresError(
      'data_directory_locked',
      `A Culprit process (pid ${holder.pid}) of another container or machine is using the data directory ${dataDir}. ${advice}`,
    );
  }
  if (holder.pid === process.pid) {
    return new EmbeddedPostgresError(
      'data_directory_locked',
      `This process (pid ${process.pid}) has already started the embedded database of ${dataDir}.`,
    );
  }
  return new EmbeddedPostgresError(
    'data_directory_locked',
    `Another Culprit process (pid ${holder.pid}) is using the data directory ${dataDir}. ${advice}`,
  );
}
