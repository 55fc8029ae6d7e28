import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import { ENTRY_EXTENSION } from '../platform/entry-extension.ts';
import { errorFields } from '../platform/error-fields.ts';
import type { LastInLine } from '../platform/jobs/job-loop.ts';
import type { Job } from '../platform/jobs/job-queue.ts';
import { failHeldJobs, releaseHeldJobs } from './fail-held-jobs.ts';
import { createThreadMetrics } from './thread-metrics.ts';
import {
  PROGRESS_BYTES,
  type ThreadCommand,
  type ThreadMessage,
  type ThreadSettings,
  threadProgress,
} from './thread-settings.ts';

/**
 * A thread that shows no finished event for this long while it works is stuck in one (docs/contract/reliability.md
 * A3).
 */
const STUCK_AFTER_MS = 5000;
/** If the event loop of a thread blocks for this time, it is stuck, whatever its code does; shorter than a lease. */
const SILENT_AFTER_MS = 20_000;
/** While the thread holds jobs; without any there is no event to be stuck in. */
const WATCH_INTERVAL_MS = 500;
const WATCH_INTERVAL_AT_REST_MS = 4000;
/** The time for which the jobs of a project that ended a thread come after those of all others. */
const LAST_IN_LINE_MS = 60_000;
const RESTART_WAIT_MS = 500;
const STOP_TIMEOUT_MS = 8000;
const THREAD_HEAP_MB = 384;
/** Three spaces of 4 MB, as the processes have (`supervisor.ts`). */
const THREAD_YOUNG_HEAP_MB = 12;

const THREAD_PROGRAM = new URL(`./worker-thread.${ENTRY_EXTENSION}`, import.meta.url);

/**
 * A worker thread that is replaced whenever it hangs or dies; the jobs that it held count a failed attempt.
 * @param program what the thread runs, where it is not the file beside this one
 */
export function superviseThread(
  settings: Omit<ThreadSettings, 'progress' | 'lastInLine'>,
  database: Database,
  log: Logger,
  program: URL = THREAD_PROGRAM,
) {
  let isStopping = false;
  let worker: Worker | null = null;
  let held: Job[] = [];
  const metrics = createThreadMetrics();
  /** By project, until when it is last in line. */
  const lastInLine = new Map<string, number>();
  let reason = 'the worker thread ended while it worked';
  let watch: ProgressWatch | null = null;
  let announce: () => void = () => {};
  let stopped: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    stopped = resolve;
  });

  function start(): void {
    const progress = new SharedArrayBuffer(PROGRESS_BYTES);
    const thread = new Worker(program, {
      name: settings.duty,
      workerData: {
        ...settings,
        progress,
        lastInLine: keysLastInLine(),
      } satisfies ThreadSettings,
      resourceLimits: {
        maxOldGenerationSizeMb: THREAD_HEAP_MB,
        maxYoungGenerationSizeMb: THREAD_YOUNG_HEAP_MB,
      },
    });
    worker = thread;
    held = [];
    reason = 'the worker thread ended while it worked';
    thread.on('message', (message: ThreadMessage) => {
      if (message.kind === 'ready') announce();
      else if (message.kind === 'held') {
        held = message.jobs;
        if (held.length > 0) watch?.lookClosely();
      } else metrics.take(message.metrics);
    });
    thread.on('error', (error) => {
      reason = `the worker thread failed: ${error.message}`;
      log.error({ duty: settings.duty, ...errorFields(error) }, 'worker thread failed');
    });
    thread.on('exit', () => void replace());
    watch = watchProgress(
      threadProgress(progress),
      () => held.length > 0,
      (why) => {
        reason = why;
        void thread.terminate();
      },
    );
  }

  function keysLastInLine(): LastInLine[] {
    const nowMs = performance.now();
    for (const [key, untilMs] of lastInLine) if (untilMs <= nowMs) lastInLine.delete(key);
    return [...lastInLine].map(([fairnessKey, untilMs]) => ({ fairnessKey, forMs: untilMs - nowMs }));
  }

  async function replace(): Promise<void> {
    watch?.stop();
    if (isStopping) {
      await releaseHeldJobs(database, held).catch(() => {});
      stopped();
      return;
    }
    log.error({ duty: settings.duty, jobs: held.length, reason }, 'worker thread replaced');
    await metrics.threadEnded();
    const costly = held.at(-1)?.fairnessKey;
    if (costly !== undefined) lastInLine.set(costly, performance.now() + LAST_IN_LINE_MS);
    await failHeldJobs({ database, log, retryScale: settings.retryScale }, held, reason);
    setTimeout(() => (isStopping ? stopped() : start()), RESTART_WAIT_MS);
  }

  start();
  function tell(command: ThreadCommand): void {
    worker?.postMessage(command);
  }

  return {
    duty: settings.duty,
    ready,
    /** One of its lanes has something to do. */
    wake: (lanes?: readonly string[]) => tell({ kind: 'wake', ...(lanes === undefined ? {} : { lanes }) }),
    metrics: () => metrics.read(() => tell({ kind: 'read-metrics' })),
    async stop() {
      isStopping = true;
      tell({ kind: 'stop' });
      const timer = setTimeout(() => void worker?.terminate(), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

interface ProgressWatch {
  /** The thread has something to do from now on. */
  lookClosely(): void;
  stop(): void;
}

/**
 * Calls `onStuck` once when the thread stays inside one event for too long, or does not run. Time is counted in checks,
 * so that a machine that was suspended finds no thread stuck.
 */
function watchProgress(
  progress: ReturnType<typeof threadProgress>,
  isBusy: () => boolean,
  onStuck: (why: string) => void,
): ProgressWatch {
  let steps = progress.steps();
  let beats = progress.beats();
  let withoutStepMs = 0;
  let withoutBeatMs = 0;
  let waitMs = WATCH_INTERVAL_MS;
  let timer = setTimeout(check, waitMs);
  timer.unref();

  function lookAfter(nextMs: number): void {
    clearTimeout(timer);
    waitMs = nextMs;
    timer = setTimeout(check, waitMs);
    timer.unref();
  }

  function check(): void {
    // Work that started during a pause of the watch counts from now.
    withoutStepMs =
      progress.isWorking() && progress.steps() === steps ? withoutStepMs + WATCH_INTERVAL_MS : 0;
    // Loading the program takes its time; the first beat comes after it.
    withoutBeatMs = beats > 0 && progress.beats() === beats ? withoutBeatMs + waitMs : 0;
    steps = progress.steps();
    beats = progress.beats();
    if (withoutStepMs >= STUCK_AFTER_MS) onStuck(`an event took longer than ${STUCK_AFTER_MS / 1000} s`);
    else if (withoutBeatMs >= SILENT_AFTER_MS)
      onStuck(`the worker thread was blocked for ${SILENT_AFTER_MS / 1000} s`);
    else lookAfter(isBusy() ? WATCH_INTERVAL_MS : WATCH_INTERVAL_AT_REST_MS);
  }

  return {
    lookClosely() {
      if (waitMs !== WATCH_INTERVAL_MS) lookAfter(WATCH_INTERVAL_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
