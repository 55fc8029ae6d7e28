import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import type { LauncherLog } from './launcher-log.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { type RunAs, spawnArguments } from './run-as.ts';
import { createServerLog, type ServerLog } from './server-log.ts';
import { type ServerPlace, serverArguments } from './server-settings.ts';
import { explainStartFailure } from './start-failure.ts';

const PORT_ATTEMPTS_MAX = 5;
/** Children of a killed server need a moment to notice. */
const STILL_IN_USE_RETRY_MS = 10_000;
const RETRY_PAUSE_MS = 100;
const READY_POLL_MS = 10;
/** Silence that counts as failure. Recovery reports every 10 s and may take longer than this in total. */
const READY_SILENCE_MS = 30_000;
const READY_MAX_MS = 15 * 60_000;
const FAST_STOP_MS = 5_000;
const IMMEDIATE_STOP_MS = 2_000;
const LAST_WORDS_MS = 250;
const SOCKET_CONNECT_MS = 2_000;
/** The limit of a socket file's path on every system; a longer path cannot be connected to. */
const SOCKET_PATH_BYTES_MAX = 103;
const PORT_MAX = 65_535;

/** The exit of a server. */
export interface ServerExit {
  code: number | null;
  signal: string | null;
}

/** A server that accepts connections. */
interface ServerProcess extends ServerPlace {
  pid: number;
  exited: Promise<ServerExit>;
  /** Fast shutdown, harder after 5 s; harmless when called twice or when the server is gone. */
  stop(): Promise<void>;
}

/** The input for a server start; the last two fields exist for tests. */
interface ServerStart {
  clusterDir: string;
  runAs: RunAs;
  settings: Readonly<Record<string, string>>;
  preferredPort: number | null;
  /** The ports on which other parts of this installation are about to listen. */
  avoidedPorts: readonly number[];
  log: LauncherLog;
  pickPort?: () => Promise<number>;
  readySilenceMs?: number;
}

/**
 * Starts the server on a free loopback port and waits until it accepts connections. Another process can take the port
 * between its choice and its use, so the start is retried with another port. The server also listens at a socket file
 * in its own directory, where a query and its answer cost less than over a port, unless the path is too long or such a
 * file cannot be created or connected to.
 *
 * Fails with `not_ready_in_time` or what `explainStartFailure` finds.
 */
export async function startServer(start: ServerStart): Promise<ServerProcess> {
  const pickPort = start.pickPort ?? (() => pickFreePort(start.avoidedPorts));
  const giveUpAt = performance.now() + STILL_IN_USE_RETRY_MS;
  let portAttempts = 0;
  let socketDirectory = socketDirectoryIn(start.clusterDir);
  const isAvoided = start.preferredPort !== null && start.avoidedPorts.includes(start.preferredPort);
  let port = start.preferredPort === null || isAvoided ? await pickPort() : start.preferredPort;
  for (;;) {
    try {
      return await startOnce(start, { port, socketDirectory });
    } catch (error) {
      const code = error instanceof EmbeddedPostgresError ? error.code : null;
      if (code === 'port_unavailable' && portAttempts < PORT_ATTEMPTS_MAX) {
        portAttempts += 1;
        port = await pickPort();
      } else if (code === 'socket_unavailable' && socketDirectory !== null) {
        start.log(
          'info',
          'The embedded PostgreSQL is used over its port, because its socket file cannot be',
          {
            directory: socketDirectory,
          },
        );
        socketDirectory = null;
      } else if (code === 'still_in_use' && performance.now() < giveUpAt) {
        await delay(RETRY_PAUSE_MS);
      } else {
        throw error;
      }
    }
  }
}

function socketDirectoryIn(clusterDir: string): string | null {
  return Buffer.byteLength(socketFile(clusterDir, PORT_MAX)) <= SOCKET_PATH_BYTES_MAX ? clusterDir : null;
}

function socketFile(directory: string, port: number): string {
  return join(directory, `.s.PGSQL.${port}`);
}

async function startOnce(start: ServerStart, place: ServerPlace): Promise<ServerProcess> {
  const { command, args, options } = spawnArguments(start.runAs, 'postgres', [
    '-D',
    start.clusterDir,
    ...serverArguments(place, start.settings),
  ]);
  const child = spawn(command, args, {
    ...options,
    // Its own process group: Ctrl-C in the terminal must not reach the database before our drain has ended.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const serverLog = createServerLog(start.log);
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (chunk: string) => serverLog.write(chunk));
  const exited = exitOf(child, serverLog);

  const outcome = await waitUntilReady(child, exited, serverLog, start);
  if (outcome === 'ended') {
    throw explainStartFailure(serverLog.lastLines(), start.clusterDir);
  }
  if (outcome === 'silent') {
    await stopChild(child, exited);
    const seconds = Math.round((start.readySilenceMs ?? READY_SILENCE_MS) / 1_000);
    throw new EmbeddedPostgresError(
      'not_ready_in_time',
      `PostgreSQL in ${start.clusterDir} was not ready after ${seconds} s without a sign of progress. Is the disk very slow or the machine overloaded? Starting again is safe.`,
      serverLog.lastLines(),
    );
  }
  if (place.socketDirectory !== null && !(await isReached(place.socketDirectory, place.port))) {
    await stopChild(child, exited);
    throw new EmbeddedPostgresError(
      'socket_unavailable',
      `The socket file of PostgreSQL in ${place.socketDirectory} cannot be connected to.`,
    );
  }
  return { pid: child.pid ?? 0, ...place, exited, stop: () => stopChild(child, exited) };
}

/** Some file systems and policies allow a socket file to be created but not connected to. */
async function isReached(directory: string, port: number): Promise<boolean> {
  const socket = connect(socketFile(directory, port));
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(SOCKET_CONNECT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function exitOf(child: ChildProcess, serverLog: ServerLog): Promise<ServerExit> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      serverLog.write(`${error.message}\n`);
      resolve({ code: null, signal: null });
    });
    child.on('exit', (code, signal) => {
      // Its last words arrive with `close`, which children of a killed server can hold up.
      const settle = () => resolve({ code, signal });
      const timer = setTimeout(settle, LAST_WORDS_MS);
      child.on('close', () => {
        clearTimeout(timer);
        settle();
      });
    });
  });
}

async function waitUntilReady(
  child: ChildProcess,
  exited: Promise<ServerExit>,
  serverLog: ServerLog,
  start: ServerStart,
): Promise<'ready' | 'ended' | 'silent'> {
  const silenceMs = start.readySilenceMs ?? READY_SILENCE_MS;
  const begin = performance.now();
  let lastSign = begin;
  let linesSeen = 0;
  let isEnded = false;
  void exited.then(() => {
    isEnded = true;
  });
  while (!isEnded) {
    const file = readPostmasterFile(start.clusterDir);
    if (file?.pid === child.pid && file?.isReady) {
      return 'ready';
    }
    const now = performance.now();
    if (serverLog.linesRead() > linesSeen) {
      linesSeen = serverLog.linesRead();
      lastSign = now;
    }
    if (now - lastSign > silenceMs || now - begin > READY_MAX_MS) {
      return 'silent';
    }
    await delay(READY_POLL_MS);
  }
  return 'ended';
}

async function stopChild(child: ChildProcess, exited: Promise<ServerExit>): Promise<void> {
  child.kill('SIGINT');
  if (await endsWithin(exited, FAST_STOP_MS)) {
    return;
  }
  child.kill('SIGQUIT');
  if (await endsWithin(exited, IMMEDIATE_STOP_MS)) {
    return;
  }
  child.kill('SIGKILL');
  await exited;
}

async function endsWithin(exited: Promise<ServerExit>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController();
  const isEnded = await Promise.race([
    exited.then(() => true),
    delay(timeoutMs, false, { signal: timer.signal }).catch(() => false),
  ]);
  timer.abort();
  return isEnded;
}

/** A port of 127.0.0.1 that was free a moment ago. */
async function pickFreePort(avoidedPorts: readonly number[]): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  // The port stays taken while another one is asked for, so that the same one cannot come again.
  const picked = avoidedPorts.includes(port) ? await pickFreePort(avoidedPorts) : port;
  server.close();
  await once(server, 'close');
  return picked;
}
