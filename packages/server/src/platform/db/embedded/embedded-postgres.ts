import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeDirectories } from '../../make-directories.ts';
import { prepareBinaries } from './binaries.ts';
import { clusterOwner, clusterPaths, DATABASE_NAME, DATABASE_USER, prepareCluster } from './cluster.ts';
import { liveLockHolder, lockDataDirectory, type Predecessor } from './data-directory-lock.ts';
import { fileProblem } from './file-problem.ts';
import { checkFileSystem } from './file-system-check.ts';
import type { LauncherLog } from './launcher-log.ts';
import { clearPreviousServer } from './orphan.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { isProcessAlive } from './process-identity.ts';
import { chooseRunAs } from './run-as.ts';
import { type ServerExit, startServer } from './server-process.ts';
import { RELEASE_SETTINGS, type ServerPlace } from './server-settings.ts';

/** A running embedded database. */
export interface EmbeddedPostgres {
  /** Connection string with the password in it: a secret. */
  url: string;
  port: number;
  pid: number;
  /** The version of the server, for example `18.4`. */
  version: string;
  /** Settles when the server has ended, intentionally or not; the data directory is free when it settles. */
  exited: Promise<ServerExit>;
  /** Fast shutdown; belongs at the end of a drain, after the pools are closed. At most about 7 s. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL that comes with the program, on this machine only, with its files in `<dataDir>/postgres`.
 * Makes the database on first start, stops a server left behind by a killed process, and recovers after any
 * kill. `settings` are server settings that override the tuning (tests). While it runs this process holds the
 * data directory against every other one. With `predecessor` it waits for one that holds it now.
 *
 * Fails with `EmbeddedPostgresError`, whose message is written for the operator.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: LauncherLog;
  settings?: Record<string, string>;
  predecessor?: Predecessor;
  /** The database never takes one of these ports, even if no process listens there yet. */
  avoidedPorts?: readonly number[];
  /** Called before a cluster is created, which takes seconds; an error of it ends the start. */
  beforeCreation?: () => Promise<void>;
}): Promise<EmbeddedPostgres> {
  const begin = performance.now();
  const dataDir = resolve(options.dataDir);
  const paths = clusterPaths(dataDir);
  try {
    // Others may pass through, which PostgreSQL as another user needs, but not look around.
    await makeDirectories(dataDir, 0o711);
  } catch (error) {
    throw fileProblem(error, dataDir);
  }

  const lock = await lockDataDirectory(dataDir, {
    ...(options.predecessor === undefined ? {} : { predecessor: options.predecessor }),
  });
  try {
    checkFileSystem(dataDir);
    const binaries = prepareBinaries(dataDir);
    const runAs = await chooseRunAs(binaries, dataDir, clusterOwner(paths.clusterDir));
    const preferredPort = await clearPreviousServer(paths.clusterDir, options.log);
    const password = await prepareCluster(paths, runAs, options);
    const server = await startServer({
      clusterDir: paths.clusterDir,
      runAs,
      settings: { ...RELEASE_SETTINGS, ...options.settings },
      preferredPort,
      avoidedPorts: options.avoidedPorts ?? [],
      log: options.log,
    });

    let isStopWanted = false;
    const exited = server.exited.then((exit) => {
      lock.release();
      if (!isStopWanted) {
        options.log('error', 'The embedded PostgreSQL ended unexpectedly', { ...exit });
      }
      return exit;
    });
    options.log('info', 'The embedded PostgreSQL is ready', {
      postgresPid: server.pid,
      port: server.port,
      version: runAs.version,
      runAs: runAs.kind,
      startMs: Math.round(performance.now() - begin),
    });
    return {
      url: connectionUrl(password, server),
      port: server.port,
      pid: server.pid,
      version: runAs.version,
      exited,
      async stop() {
        isStopWanted = true;
        await server.stop();
        await exited;
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * The connection string (a secret) of the server that another live process runs in this data directory, or null
 * when none does: a command can then work beside it instead of starting its own.
 */
export function runningEmbeddedPostgresUrl(dataDir: string): string | null {
  const paths = clusterPaths(resolve(dataDir));
  const server = readPostmasterFile(paths.clusterDir);
  if (liveLockHolder(resolve(dataDir)) === null || server === null || !server.isReady) {
    return null;
  }
  if (!isProcessAlive(server.pid)) {
    return null;
  }
  try {
    return connectionUrl(readFileSync(paths.passwordFile, 'utf8').trim(), server);
  } catch (error) {
    throw fileProblem(error, paths.passwordFile);
  }
}

/**
 * The driver uses the socket file of `host` if there is one; a caller that removes it from the address uses the port.
 */
function connectionUrl(password: string, { port, socketDirectory }: ServerPlace): string {
  const url = `postgres://${DATABASE_USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE_NAME}`;
  return socketDirectory === null ? url : `${url}?host=${encodeURIComponent(socketDirectory)}`;
}
