import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from '../platform/config/config.ts';
import type { Predecessor } from '../platform/db/embedded/data-directory-lock.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../platform/db/embedded/embedded-postgres.ts';
import { ENTRY_EXTENSION } from '../platform/entry-extension.ts';
import { errorFields } from '../platform/error-fields.ts';
import { checkPort } from '../platform/http/server/listen-error.ts';
import { readDataKey } from '../platform/secrets/data-key.ts';
import { copyBeforeUpgrade } from './copy-before-upgrade.ts';
import { prepareDatabase } from './prepare-database.ts';
import { prepareObjectStore } from './prepare-object-store.ts';
import type { RoleCommand, RoleReport } from './role-process.ts';
import { RoleStartError } from './start-failure.ts';
import type { Role } from './start-role.ts';

interface Supervisor {
  /** The address of the API. Rejects when the start failed; the parts that were started before run until `stop`. */
  ready: Promise<string>;
  /** Settles when the service cannot continue by itself. */
  failed: Promise<Error>;
  /** May be called at any time, also during the start. True when nothing had to be cut off. */
  stop(): Promise<boolean>;
}

interface SupervisorOptions {
  /** Multiplies the delays between retries; 1 except in tests. */
  retryScale: number;
  /** The behaviour while another process still uses the data directory. */
  predecessor: Pick<Predecessor, 'waitMs' | 'onWaiting'>;
}

/**
 * Half of the memory for young objects. By default it grows to many times that and stays there, which on a small machine
 * is most of what the service takes; from here on more of it saves no time that can be measured.
 */
const YOUNG_SPACE_MB = 4;
/** A debugger can be opened in a process of ours only by changing the command. */
const NO_DEBUGGER = '--disable-sigusr1';
const ROLE_PROCESS = fileURLToPath(new URL(`./role-process.${ENTRY_EXTENSION}`, import.meta.url));
const RESTART_WAIT_MS = 500;
/** Restarts of one part within the span; more means that restarting does not help. */
const RESTARTS_MAX = 30;
const RESTARTS_SPAN_MS = 60_000;
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;

/**
 * Runs everything on one machine: the embedded PostgreSQL unless an external one is configured, one API process and
 * one worker process. Whatever dies is started again; durable state needs no repair.
 */
export function startSupervisor(config: Config, log: Logger, options: SupervisorOptions): Supervisor {
  const { retryScale, predecessor } = options;
  const stopping = new AbortController();
  let isStopping = false;
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });
  const parts: Part[] = [];
  let postgres: EmbeddedPostgres | null = null;
  let startingPostgres: Promise<void> = Promise.resolve();
  let databaseUrl = config.databaseUrl?.reveal() ?? '';
  const databaseRestarts = restartBudget();

  async function startDatabase(): Promise<void> {
    if (config.databaseUrl !== null) return;
    const server = await startEmbeddedPostgres({
      dataDir: config.dataDir,
      log: (level, message, fields) => log[level](fields ?? {}, message),
      predecessor: { ...predecessor, signal: stopping.signal },
      avoidedPorts: [config.port, config.metricsPort].filter((port) => port !== null),
      beforeCreation: () => checkPort(config),
    });
    postgres = server;
    databaseUrl = server.url;
    void server.exited.then(() => restartDatabase());
  }

  /** A server that dies while it recovers is as good a reason to try again as one that died at work. */
  async function restartDatabase(): Promise<void> {
    const urlBefore = databaseUrl;
    let problem = 'it keeps ending';
    for (let isRunning = false; !isRunning; ) {
      if (isStopping) return;
      if (!databaseRestarts.take()) {
        fail(new Error(`the embedded database cannot continue: ${problem}`));
        return;
      }
      startingPostgres = startDatabase();
      try {
        await startingPostgres;
        isRunning = true;
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        log.error({ error: problem }, 'the embedded database did not start again');
        await delay(RESTART_WAIT_MS);
      }
    }
    // The processes reconnect by themselves, unless the port had to change.
    if (databaseUrl !== urlBefore) for (const part of parts) part.restart();
  }

  async function start(): Promise<string> {
    startingPostgres = startDatabase();
    await startingPostgres;
    await copyBeforeUpgrade(config, databaseUrl, log);
    // Here, so that a damaged key ends the start and not each process.
    await readDataKey(config);
    await prepareDatabase(databaseUrl, {
      isVouchedFor: config.isDatabaseDurabilityVouched,
      log,
    });
    await prepareObjectStore(config);
    if (isStopping) throw new Error('stopped while it was starting');
    let port = config.port;
    let isWorkerUp = false;
    const launch = (role: Role): Part => {
      const command = (): RoleCommand => ({ kind: 'start', role, databaseUrl, port, retryScale, isWorkerUp });
      const part = superviseRole(role, { log, fail, command, carry, drainMs: config.drainMs });
      parts.push(part);
      return part;
    };
    // The API shows the metrics of the worker too, so that one scrape has those of the machine.
    let worker: Part | null = null;
    function carry(report: MetricsReport): void {
      if (report.kind === 'metrics') api.send({ kind: 'worker-metrics', metrics: report.metrics });
      else worker?.send({ kind: 'read-metrics' });
    }
    const api = launch('api');
    // A port that was picked: the worker must know it, because receivers may not be this service itself.
    if (port === 0) port = portOf(await api.ready);
    if (isStopping) throw new Error('stopped while it was starting');
    worker = launch('worker');
    const [address] = await Promise.all([api.ready, worker.ready]);
    if (address === null) throw new Error('the API process did not report its address');
    // It stays the same over restarts.
    port = portOf(address);
    isWorkerUp = true;
    await api.announceWorker();
    return address;
  }

  const ready = start();
  // If the service is stopped during the start, nothing waits for its outcome.
  ready.catch(() => {});
  return {
    ready,
    failed,
    async stop() {
      isStopping = true;
      stopping.abort();
      const isClean = await Promise.all(parts.map((part) => part.stop()));
      await startingPostgres.catch(() => {});
      await postgres?.stop();
      return isClean.every(Boolean);
    },
  };
}

function portOf(address: string | null): number {
  return address === null ? 0 : Number(new URL(address).port);
}

/** Questions and answers that go from one process to the other. */
type MetricsReport = Extract<RoleReport, { kind: 'ask-worker-metrics' | 'metrics' }>;

interface Part {
  /** The address of the role, once; rejects when the first start fails. */
  ready: Promise<string | null>;
  /**
   * Notifies the API that the worker is up, and resolves when the API has received it; if the API is restarted, it is
   * notified after the restart.
   */
  announceWorker(): Promise<void>;
  /** A command that is sent while the process is down is lost. */
  send(command: RoleCommand): void;
  restart(): void;
  stop(): Promise<boolean>;
}

/** Keeps one role process alive. */
function superviseRole(
  role: Role,
  options: {
    log: Logger;
    fail: (error: Error) => void;
    command: () => RoleCommand;
    carry: (report: MetricsReport) => void;
    drainMs: number;
  },
): Part {
  const { log } = options;
  const restarts = restartBudget();
  let child: ChildProcess | null = null;
  let isStopping = false;
  let hasBeenReady = false;
  let workerKnown: () => void = () => {};
  /** The process that was stopped so that another can take its place. */
  let outgrown: ChildProcess | null = null;
  let settle: { resolve: (address: string | null) => void; reject: (error: Error) => void } | null = null;
  const ready = new Promise<string | null>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const startTimer = setTimeout(
    () => settle?.reject(new RoleStartError(`the ${role} process was not ready in time`)),
    START_TIMEOUT_MS,
  );

  function launch(): void {
    // The argument is for readers of the list of processes.
    const process = fork(ROLE_PROCESS, [role], {
      serialization: 'json',
      execArgv: [
        ...new Set([...globalThis.process.execArgv, NO_DEBUGGER]),
        `--max-semi-space-size=${YOUNG_SPACE_MB}`,
      ],
    });
    child = process;
    process.on('message', (report: RoleReport) => {
      if (report.kind === 'ready') {
        clearTimeout(startTimer);
        hasBeenReady = true;
        settle?.resolve(report.address);
        log.info({ part: role, childPid: process.pid, address: report.address }, 'process is ready');
      } else if (report.kind === 'worker-known') {
        workerKnown();
      } else if (report.kind === 'outgrown') {
        log.info({ part: role }, 'replacing process to release memory');
        outgrown = process;
        if (process.connected) process.send({ kind: 'stop' } satisfies RoleCommand, () => {});
      } else if (report.kind !== 'failed') {
        options.carry(report);
      } else {
        log.error({ part: role, error: report.message }, 'process did not start');
        // A failure at the first start does not pass by itself: the service does not start at all.
        if (!hasBeenReady) isStopping = true;
        settle?.reject(new RoleStartError(report.message));
      }
    });
    process.on('exit', (code, signal) => {
      if (outgrown === process && code === 0 && !isStopping) launch();
      else void replace(code, signal);
    });
    // It could not be made at all, as when the machine is out of processes; there is no exit then.
    process.on('error', (error) => {
      log.error({ part: role, ...errorFields(error) }, 'process could not be started');
      if (process.pid === undefined) void replace(null, null);
    });
    // A process that ends before it gets this is replaced like any other.
    if (process.connected) process.send(options.command(), () => {});
  }

  async function replace(code: number | null, signal: string | null): Promise<void> {
    workerKnown();
    if (isStopping) return;
    log.error({ part: role, code, signal }, 'process ended unexpectedly and is being restarted');
    if (!restarts.take()) {
      options.fail(new Error(`the ${role} process keeps ending; see its log above`));
      return;
    }
    await delay(RESTART_WAIT_MS);
    if (!isStopping) launch();
  }

  launch();
  return {
    ready,
    announceWorker: () =>
      new Promise((resolve) => {
        workerKnown = resolve;
        if (child?.connected === true) child.send({ kind: 'worker-up' } satisfies RoleCommand, () => {});
        else resolve();
      }),
    send(command) {
      if (child?.connected === true) child.send(command, () => {});
    },
    restart: () => void child?.kill('SIGKILL'),
    async stop(): Promise<boolean> {
      isStopping = true;
      clearTimeout(startTimer);
      const process = child;
      if (process?.pid === undefined || process.exitCode !== null || process.signalCode !== null) return true;
      const exited = new Promise<number | null>((resolve) => process.once('exit', (code) => resolve(code)));
      if (process.connected) process.send({ kind: 'stop' } satisfies RoleCommand, () => {});
      const timer = setTimeout(() => process.kill('SIGKILL'), options.drainMs + STOP_TIMEOUT_MS);
      const code = await exited;
      clearTimeout(timer);
      return code === 0;
    },
  };
}

function restartBudget(): { take(): boolean } {
  let times: number[] = [];
  return {
    take() {
      const now = performance.now();
      times = [...times.filter((time) => now - time < RESTARTS_SPAN_MS), now];
      return times.length <= RESTARTS_MAX;
    },
  };
}
