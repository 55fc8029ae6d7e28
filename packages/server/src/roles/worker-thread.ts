import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { bundlesLane } from '../bundles/build-bundle.ts';
import { BUNDLE_LADDER_MS, BUNDLES_LANE, REFRESHES_LANE } from '../bundles/bundles.jobs.ts';
import { createFingerprinter } from '../events/fingerprint/memoized-fingerprint.ts';
import { improvementBundlesLane } from '../improvements/build-improvement-bundle.ts';
import { OBSERVATIONS_LADDER_MS } from '../improvements/improvements.jobs.ts';
import { observationsLane } from '../improvements/take-observations.ts';
import { BATCH_LADDER_MS } from '../incidents/incidents.jobs.ts';
import { eventsLane } from '../incidents/process-batches.ts';
import { openDatabase } from '../platform/db/database.ts';
import { WORK_SILENT_AFTER_MS } from '../platform/db/server-watch.ts';
import { type Lane, startJobLoop } from '../platform/jobs/job-loop.ts';
import { hasOverdueJobs } from '../platform/jobs/overdue.ts';
import { listenForWakeUps } from '../platform/jobs/wake-listener.ts';
import { createLogger } from '../platform/log.ts';
import { readMetrics } from '../platform/metrics/metrics.ts';
import { openObjectStore } from '../platform/objects/open-object-store.ts';
import {
  BEAT_INTERVAL_MS,
  type ThreadCommand,
  type ThreadMessage,
  type ThreadSettings,
  threadProgress,
} from './thread-settings.ts';

/** One worker thread: claims jobs of its lanes, reads objects and writes results itself (reliability rule A3). */

const OVERDUE_CHECK_INTERVAL_MS = 10_000;
const OVERLOADED_INTERVAL_FACTOR = 4;
/** Distinct stacks remembered; one entry is a few kilobytes. */
const FINGERPRINTS_MAX = 20_000;
const BUNDLE_POLL_INTERVAL_MS = 250;

const settings: ThreadSettings = workerData;
const log = createLogger({ level: settings.logLevel, role: `worker-${settings.duty}` });
if (settings.duty === 'bundles') yieldToOthers();
const progress = threadProgress(settings.progress);
const database = openDatabase({
  url: settings.databaseUrl,
  connectionsMax: 2,
  // A transaction of many batches may take longer than a request is allowed to.
  statementTimeoutMs: 30_000,
  silentAfterMs: WORK_SILENT_AFTER_MS,
  applicationName: `culprit-worker-${settings.duty}`,
});
const objects = await openObjectStore(settings.objectStore);
const fingerprint = createFingerprinter({ entriesMax: FINGERPRINTS_MAX });
let isOverloaded = false;

function lanes(): Lane[] {
  const scaled = (ladder: readonly number[]) => ladder.map((waitMs) => waitMs * settings.retryScale);
  if (settings.duty === 'events') {
    const { plans } = settings;
    const refreshIntervalFactor = () => (isOverloaded ? OVERLOADED_INTERVAL_FACTOR : 1);
    const ladder = scaled(BATCH_LADDER_MS);
    return [eventsLane({ database, objects, plans, ladder, fingerprint, progress, refreshIntervalFactor })];
  }
  const options = {
    database,
    objects,
    plans: settings.plans,
    fingerprint,
    constants: settings.constants,
    ladder: scaled(BUNDLE_LADDER_MS),
    pollIntervalMs: BUNDLE_POLL_INTERVAL_MS,
    log,
  };
  return [
    bundlesLane(BUNDLES_LANE, BUNDLE_POLL_INTERVAL_MS, options),
    // Before the refreshes, which a busy service never runs out of.
    observationsLane({ ...options, ladder: scaled(OBSERVATIONS_LADDER_MS) }),
    improvementBundlesLane(options),
    bundlesLane(REFRESHES_LANE, BUNDLE_POLL_INTERVAL_MS, options),
  ];
}

function tell(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

// From here on standing still is noticed, in the first job already.
progress.beat();
const loop = startJobLoop({
  database,
  lanes: lanes(),
  log,
  onHeld: (jobs) => tell({ kind: 'held', jobs: [...jobs] }),
  ...(settings.afterProjectId === undefined ? {} : { afterProjectId: settings.afterProjectId }),
});
const listener = listenForWakeUps(settings.databaseUrl, () => loop.wake());
const overdueTimer =
  settings.duty === 'events'
    ? setInterval(() => {
        hasOverdueJobs(database, [BUNDLES_LANE, REFRESHES_LANE]).then(
          (overdue) => {
            isOverloaded = overdue;
          },
          () => {},
        );
      }, OVERDUE_CHECK_INTERVAL_MS)
    : null;

parentPort?.on('message', (command: ThreadCommand) => {
  if (command.kind === 'stop') void stop();
  else void readMetrics().then((metrics) => tell({ kind: 'metrics', metrics }));
});
setInterval(() => progress.beat(), BEAT_INTERVAL_MS).unref();
tell({ kind: 'ready' });

async function stop(): Promise<void> {
  if (overdueTimer !== null) clearInterval(overdueTimer);
  await listener.close();
  await loop.stop();
  await database.close();
  parentPort?.close();
}

/**
 * Bundles are the work that can wait: where processors are short, accepting and counting events goes first. On Linux a
 * priority belongs to the thread; elsewhere there is no way to set it for one thread alone.
 */
function yieldToOthers(): void {
  if (process.platform !== 'linux') return;
  try {
    const threadId = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(threadId, constants.priority.PRIORITY_LOW);
  } catch (error) {
    log.debug({ error: error instanceof Error ? error.message : String(error) }, 'priority not lowered');
  }
}
