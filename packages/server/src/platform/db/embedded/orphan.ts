import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MACHINE } from '../../machine.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import type { LauncherLog } from './launcher-log.ts';
import {
  deletePostmasterFile,
  isPostgresOfCluster,
  postgresProcessesOfCluster,
  readPostmasterFile,
} from './postmaster-file.ts';
import { isProcessAlive } from './process-identity.ts';

/** In order, each with the time it gets: a fast shutdown writes a checkpoint, the others leave it to recovery. */
const STOP_SIGNALS: readonly { signal: NodeJS.Signals; waitMs: number }[] = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
];
const CHILDREN_WAIT_MS = 10_000;
const POLL_MS = 20;

/**
 * Clears the way for a new server. PostgreSQL survives a kill -9 of the process that started it: such an orphan
 * is stopped, its successor starts fresh under our eyes. Children that outlive a killed server are awaited. The
 * caller must hold the data directory, so that no live Culprit owns the server found here.
 *
 * Returns the port the previous server listened on when it did not stop cleanly, so that the next one can take
 * it and connection pools find it again. Fails with `orphan_not_stopped`.
 */
export async function clearPreviousServer(clusterDir: string, log: LauncherLog): Promise<number | null> {
  const previous = readPostmasterFile(clusterDir);
  if (previous === null) {
    removeSocketFiles(clusterDir);
    return null;
  }
  const isAlive = isProcessAlive(previous.pid);
  if (isAlive && isPostgresOfCluster(previous.pid, clusterDir)) {
    log('warn', 'Stopping a PostgreSQL server that outlived its Culprit process', {
      postgresPid: previous.pid,
    });
    await stopOrphan(previous.pid, clusterDir);
  }
  const isClear = await waitUntil(
    () => postgresProcessesOfCluster(clusterDir).length === 0,
    CHILDREN_WAIT_MS,
  );
  if (!isClear) {
    throw notStopped(postgresProcessesOfCluster(clusterDir)[0] ?? previous.pid, clusterDir);
  }
  if (isAlive && MACHINE.processList === 'proc') {
    // The number now belongs to something else, which PostgreSQL itself would take for a running server.
    deletePostmasterFile(clusterDir);
  }
  removeSocketFiles(clusterDir);
  return previous.port > 0 ? previous.port : null;
}

const SOCKET_FILE = /^\.s\.PGSQL\.\d+(?:\.lock)?$/;

/**
 * Removes what a killed server left: the number in its lock file may belong to another process by now. Where one cannot be
 * removed, the next server does without.
 */
function removeSocketFiles(clusterDir: string): void {
  try {
    for (const name of readdirSync(clusterDir)) {
      if (SOCKET_FILE.test(name)) rmSync(join(clusterDir, name), { force: true });
    }
  } catch {
    // There is no cluster yet, or it is not ours to change, which its start will say.
  }
}

async function stopOrphan(pid: number, clusterDir: string): Promise<void> {
  for (const { signal, waitMs } of STOP_SIGNALS) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ESRCH') {
        return;
      }
      throw notStopped(pid, clusterDir);
    }
    if (await waitUntil(() => !isProcessAlive(pid), waitMs)) {
      return;
    }
  }
  throw notStopped(pid, clusterDir);
}

async function waitUntil(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) {
      return false;
    }
    await delay(POLL_MS);
  }
  return true;
}

function notStopped(pid: number, clusterDir: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'orphan_not_stopped',
    `A PostgreSQL server of an earlier Culprit (pid ${pid}) still uses ${clusterDir} and could not be stopped. Stop it with "kill -INT ${pid}" as its owner or root, then start again.`,
  );
}
