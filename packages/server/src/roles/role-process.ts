import { readConfig } from '../platform/config/config.ts';
import { errorFields } from '../platform/error-fields.ts';
import { createLogger } from '../platform/log.ts';
import type { Metric } from '../platform/metrics/metrics.ts';
import { startReleasingMemory } from '../platform/release-memory.ts';
import { watchOutgrownMemory } from './outgrown-memory.ts';
import { startFailureText } from './start-failure.ts';
import { type Role, type RunningRole, startRole } from './start-role.ts';

/** A child process of the supervisor with one role. It ends when the supervisor does. */

/** The commands of the supervisor to its child; the password of our own database is never part of an environment. */
export type RoleCommand =
  | {
      kind: 'start';
      role: Role;
      databaseUrl: string;
      port: number;
      retryScale: number;
      /** For the API: whether the worker is up already. */
      isWorkerUp: boolean;
    }
  /** To the API, once; answered with `worker-known`. */
  | { kind: 'worker-up' }
  | { kind: 'stop' }
  | { kind: 'read-metrics' }
  /** An answer to `ask-worker-metrics`. */
  | { kind: 'worker-metrics'; metrics: Metric[] };
export type RoleReport =
  | { kind: 'ready'; address: string | null }
  | { kind: 'failed'; message: string }
  /** From here on `/ready` reports only the API's own findings. */
  | { kind: 'worker-known' }
  | { kind: 'ask-worker-metrics' }
  /** It keeps memory that it does not need, and is idle: it can be replaced. */
  | { kind: 'outgrown' }
  | { kind: 'metrics'; metrics: Metric[] };

/**
 * Longer than any stop that succeeds (docs/contract/reliability.md A7), without the time for which it continues to
 * serve.
 */
const STOP_TIMEOUT_MS = 10_000;

/** A worker whose threads are all inside an event needs half of it. */
const ASK_TIMEOUT_MS = 1500;

let running: RunningRole | null = null;
let isWorkerUp = false;
let isStopping = false;
let drainMs = 0;
/** Scrapes that wait for the worker: its next report answers all of them. */
const asking = new Set<(metrics: Metric[] | null) => void>();

process.on('message', (command: RoleCommand) => {
  switch (command.kind) {
    case 'start':
      return void start(command);
    case 'worker-up':
      isWorkerUp = true;
      return report({ kind: 'worker-known' });
    case 'stop':
      return void stop();
    case 'read-metrics':
      return void running?.metrics().then((metrics) => report({ kind: 'metrics', metrics }));
    case 'worker-metrics':
      for (const answer of asking) answer(command.metrics);
      return asking.clear();
  }
});
// The supervisor has ended, perhaps killed: nothing would restart or stop this process.
process.on('disconnect', () => void stop());
// The terminal sends its signals to the whole group; the supervisor decides the order of stopping.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// It may have gone before anybody listened for that.
if (!process.connected) process.exit(1);
startReleasingMemory();

async function start(command: Extract<RoleCommand, { kind: 'start' }>): Promise<void> {
  const { role, databaseUrl, port, retryScale } = command;
  isWorkerUp ||= command.isWorkerUp;
  try {
    const config = readConfig(process.env);
    drainMs = config.drainMs;
    const log = createLogger({ level: config.logLevel, format: config.logFormat, role });
    process.on('unhandledRejection', (error) => {
      log.fatal(errorFields(error), 'unhandled rejection');
      process.exit(1);
    });
    running = await startRole(role, config, {
      databaseUrl,
      port,
      askWorker,
      isWorkerUp: () => isWorkerUp,
      retryScale,
      log,
    });
    report({ kind: 'ready', address: running.address });
    if (role === 'worker') {
      watchOutgrownMemory(config.workerGrowthMaxBytes, () => report({ kind: 'outgrown' }));
    }
  } catch (error) {
    // The process exits only after the report was sent: no other part reports the reason to the operator.
    report({ kind: 'failed', message: startFailureText(error) }, () => process.exit(1));
  }
}

/** Over the supervisor, which knows the worker process. */
function askWorker(): Promise<Metric[] | null> {
  return new Promise((resolve) => {
    const answer = (metrics: Metric[] | null) => {
      clearTimeout(timer);
      asking.delete(answer);
      resolve(metrics);
    };
    const timer = setTimeout(() => answer(null), ASK_TIMEOUT_MS);
    asking.add(answer);
    report({ kind: 'ask-worker-metrics' });
  });
}

async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => process.exit(1), drainMs + STOP_TIMEOUT_MS).unref();
  const isClean = running === null ? true : await running.stop();
  process.exit(isClean ? 0 : 1);
}

function report(message: RoleReport, done: () => void = () => {}): void {
  if (process.connected && process.send !== undefined) process.send(message, done);
  else done();
}
