import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { giveUpBundle } from '../bundles/build-bundle.ts';
import { BUNDLE_LADDER_MS } from '../bundles/bundles.jobs.ts';
import { startRuleHitCount } from '../capture/count-rule-hits.ts';
import { BATCH_LADDER_MS, EVENTS_LANE } from '../incidents/incidents.jobs.ts';
import { giveUpBatch } from '../incidents/process-batches.ts';
import { deriveKey } from '../platform/data-key.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { WORK_SILENT_AFTER_MS } from '../platform/db/server-watch.ts';
import { failJobs } from '../platform/jobs/job-loop.ts';
import { type Job, releaseJobs } from '../platform/jobs/job-queue.ts';
import type { MailSettings } from '../platform/mail/mail-transport.ts';
import { addUp, type Metric, readMetrics } from '../platform/metrics/metrics.ts';
import { openObjectStore } from '../platform/objects/open-object-store.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import { Secret } from '../platform/secret.ts';
import { deriveSlackUrlKey } from '../slack/slack-url.ts';
import { startCleanup } from './cleanup.ts';
import type { DeliverySettings } from './delivery-settings.ts';
import { startErrands } from './errands.ts';
import { createThreadMetrics } from './thread-metrics.ts';
import {
  PROGRESS_BYTES,
  type ThreadCommand,
  type ThreadDuty,
  type ThreadMessage,
  type ThreadSettings,
  threadProgress,
} from './thread-settings.ts';

export interface WorkerRole {
  /** Of its main thread and its worker threads together. */
  metrics(): Promise<Metric[]>;
  /** Stops claiming, finishes what is held, ends the threads. */
  stop(): Promise<void>;
}

/** A thread that shows no finished event for this long while it works is stuck in one (reliability rule A3). */
const STUCK_AFTER_MS = 5000;
/** One whose event loop stands still for this long is stuck wherever it is; shorter than a lease. */
const SILENT_AFTER_MS = 20_000;
const WATCH_INTERVAL_MS = 500;
const RESTART_WAIT_MS = 500;
const STOP_TIMEOUT_MS = 8000;
const THREAD_HEAP_MB = 384;
/** Three spaces of 4 MB, as the processes have (`supervisor.ts`). */
const THREAD_YOUNG_HEAP_MB = 12;
const CONNECTIONS_MAX = 4;

export interface WorkerSettings extends Omit<ThreadSettings, 'duty' | 'progress'> {
  duties: readonly ThreadDuty[];
  /** What its main thread does besides. Absent: this worker runs threads only. */
  errands?: {
    mail: MailSettings;
    dataKey: Secret<Buffer>;
    /** What may be called at addresses that users give. */
    outbound: OutboundPolicy;
    deliveries: DeliverySettings;
  };
  /** Database connections of the main thread at most. */
  connectionsMax?: number;
}

/**
 * Runs the worker threads and replaces those that hang or die; their jobs count a failed attempt. The main thread runs
 * the errands.
 */
export async function startWorker(settings: WorkerSettings, log: Logger): Promise<WorkerRole> {
  const { duties, errands: asked, connectionsMax = CONNECTIONS_MAX, ...common } = settings;
  const { databaseUrl, objectStore, plans, constants, retryScale } = common;
  const database = openDatabase({
    url: databaseUrl,
    connectionsMax,
    silentAfterMs: WORK_SILENT_AFTER_MS,
    applicationName: 'culprit-worker',
  });
  const supervisors = duties.map((duty) => superviseThread({ ...common, duty }, database, log));
  await Promise.all(supervisors.map((supervisor) => supervisor.ready));
  const ruleHits = startRuleHitCount(database, log);
  const objects = asked === undefined ? null : await openObjectStore(objectStore);
  const errands =
    asked === undefined || objects === null
      ? null
      : await startErrands({
          database,
          databaseUrl,
          mail: asked.mail,
          mailKey: deriveKey(asked.dataKey, 'queued-mail'),
          webhookSecretKey: new Secret(deriveKey(asked.dataKey, 'webhook-secrets')),
          slackUrlKey: deriveSlackUrlKey(asked.dataKey),
          outbound: asked.outbound,
          objects,
          deliveries: asked.deliveries,
          plans,
          appUrl: constants.appUrl,
          retryScale,
          log,
        });
  const cleanup = objects === null ? null : startCleanup({ database, objects, plans, retryScale, log });
  return {
    metrics: async () =>
      await addUp(await Promise.all([readMetrics(), ...supervisors.map((each) => each.metrics())])),
    async stop() {
      await Promise.all([
        errands?.stop(),
        cleanup?.stop(),
        ruleHits.stop(),
        ...supervisors.map((supervisor) => supervisor.stop()),
      ]);
      await database.close();
    },
  };
}

function superviseThread(settings: Omit<ThreadSettings, 'progress'>, database: Database, log: Logger) {
  let isStopping = false;
  let worker: Worker | null = null;
  let held: Job[] = [];
  const metrics = createThreadMetrics();
  let afterProjectId: string | undefined;
  let reason = 'the worker thread ended while it worked';
  let watch: NodeJS.Timeout | null = null;
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
    const thread = new Worker(new URL('./worker-thread.ts', import.meta.url), {
      workerData: {
        ...settings,
        progress,
        ...(afterProjectId === undefined ? {} : { afterProjectId }),
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
      else if (message.kind === 'held') held = message.jobs;
      else metrics.take(message.metrics);
    });
    thread.on('error', (error) => {
      reason = `the worker thread failed: ${error.message}`;
    });
    thread.on('exit', () => void replace());
    watch = watchProgress(threadProgress(progress), (why) => {
      reason = why;
      void thread.terminate();
    });
  }

  async function replace(): Promise<void> {
    if (watch !== null) clearInterval(watch);
    if (isStopping) {
      await handBack(database, held).catch(() => {});
      stopped();
      return;
    }
    log.error({ duty: settings.duty, jobs: held.length, reason }, 'worker thread replaced');
    await metrics.threadEnded();
    afterProjectId = held.at(-1)?.projectId ?? afterProjectId;
    await failHeld(database, settings.retryScale, held, reason).catch((error: Error) =>
      log.warn({ error: error.message }, 'jobs of a dead thread wait for their lease to end'),
    );
    setTimeout(() => (isStopping ? stopped() : start()), RESTART_WAIT_MS);
  }

  start();
  return {
    ready,
    metrics: () => metrics.read(() => worker?.postMessage({ kind: 'read-metrics' } satisfies ThreadCommand)),
    async stop() {
      isStopping = true;
      worker?.postMessage({ kind: 'stop' });
      const timer = setTimeout(() => void worker?.terminate(), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * Calls `onStuck` once when the thread stays inside one event for too long, or stands still. Time is counted in looks,
 * so that a machine that was suspended finds nobody stuck.
 */
function watchProgress(
  progress: ReturnType<typeof threadProgress>,
  onStuck: (why: string) => void,
): NodeJS.Timeout {
  let steps = progress.steps();
  let beats = progress.beats();
  let looksWithoutStep = 0;
  let looksWithoutBeat = 0;
  const timer = setInterval(() => {
    looksWithoutStep = progress.isWorking() && progress.steps() === steps ? looksWithoutStep + 1 : 0;
    // Loading the program takes its time; the first beat comes after it.
    looksWithoutBeat = beats > 0 && progress.beats() === beats ? looksWithoutBeat + 1 : 0;
    steps = progress.steps();
    beats = progress.beats();
    if (looksWithoutStep * WATCH_INTERVAL_MS >= STUCK_AFTER_MS) {
      clearInterval(timer);
      onStuck(`an event took longer than ${STUCK_AFTER_MS / 1000} s`);
    } else if (looksWithoutBeat * WATCH_INTERVAL_MS >= SILENT_AFTER_MS) {
      clearInterval(timer);
      onStuck(`the worker thread stood still for ${SILENT_AFTER_MS / 1000} s`);
    }
  }, WATCH_INTERVAL_MS);
  timer.unref();
  return timer;
}

/** Work that the stop cut off is no failed attempt. */
async function handBack(database: Database, jobs: Job[]): Promise<void> {
  if (jobs.length === 0) return;
  await releaseJobs(database, jobs, { isCounted: false, waitMs: () => 0, error: 'the worker stopped' });
}

async function failHeld(database: Database, retryScale: number, jobs: Job[], reason: string): Promise<void> {
  for (const job of jobs) {
    const isBatch = job.lane === EVENTS_LANE;
    const ladder = (isBatch ? BATCH_LADDER_MS : BUNDLE_LADDER_MS).map((waitMs) => waitMs * retryScale);
    const giveUp = isBatch ? giveUpBatch : giveUpBundle;
    await failJobs(
      database,
      { ladder, giveUp: (failed, failures, error) => giveUp(database, failed, failures, error) },
      [job],
      reason,
    );
  }
}
