import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import {
  createFingerprinter,
  createGroupingKeyMaker,
} from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import { createMapMemory, type MapMemory } from '../maps/lookup/mapped-keys.ts';
import { LATE_MAPS_LANE } from '../maps/maps.jobs.ts';
import { bundlesLane } from '../pipeline/bundles/queue/build-bundle.ts';
import { BUNDLES_LANE, REFRESHES_LANE } from '../pipeline/bundles/queue/bundles.jobs.ts';
import { improvementBundlesLane } from '../pipeline/improvements/build-improvement-bundle.ts';
import { IMPROVEMENT_BUNDLES_LANE, IMPROVEMENTS_LANE } from '../pipeline/improvements/improvements.jobs.ts';
import { observationsLane } from '../pipeline/improvements/take-observations.ts';
import { lateMapsLane } from '../pipeline/incidents/maps/map-late.ts';
import { EVENTS_LANE } from '../pipeline/incidents/processing/incidents.jobs.ts';
import { eventsLane } from '../pipeline/incidents/processing/process-batches.ts';
import { FACTS_LANE } from '../pipeline/incidents/searching/facts.jobs.ts';
import { factsLane } from '../pipeline/incidents/searching/take-facts.ts';
import { openDatabase } from '../platform/db/database.ts';
import { WORK_PATIENCE } from '../platform/db/server-watch.ts';
import { errorFields } from '../platform/error-fields.ts';
import { startJobLoop } from '../platform/jobs/job-loop.ts';
import type { LaneWork } from '../platform/jobs/lane.ts';
import { createLogger } from '../platform/log.ts';
import { MACHINE } from '../platform/machine.ts';
import { readMetrics } from '../platform/metrics/metrics.ts';
import { openObjectStore } from '../platform/objects/open-object-store.ts';
import { startReleasingMemory } from '../platform/release-memory.ts';
import { lanesOf } from './lane-loops.ts';
import { requireLaneRows } from './lanes.ts';
import {
  BEAT_INTERVAL_MS,
  type ThreadCommand,
  type ThreadMessage,
  type ThreadSettings,
  threadProgress,
} from './thread-settings.ts';

/**
 * One worker thread: claims jobs of its lanes, reads objects and writes results itself (docs/contract/reliability.md
 * A3).
 */

/** Distinct texts whose grouping key is remembered; one entry is a few kilobytes. */
const FINGERPRINTS_MAX = 20_000;
/** Parsed stacks that are remembered for bundles, which each ask for a few. */
const STACKS_MAX = 2000;

const settings: ThreadSettings = workerData;
const log = createLogger({
  level: settings.logLevel,
  role: `worker-${settings.duty}`,
  ...(settings.logFormat === undefined ? {} : { format: settings.logFormat }),
});
if (settings.duty === 'bundles') yieldToOthers();
const progress = threadProgress(settings.progress);
const database = openDatabase({
  url: settings.databaseUrl,
  connectionsMax: 2,
  // A transaction of many batches may take longer than a request is allowed to.
  statementTimeoutMs: 30_000,
  ...WORK_PATIENCE,
  applicationName: `culprit-worker-${settings.duty}`,
});
const objects = await openObjectStore(settings.objectStore);

/** The work of this thread, by lane. */
function laneWork(): Record<string, LaneWork> {
  const { plans, constants } = settings;
  if (settings.duty === 'events') {
    const groupingKey = createGroupingKeyMaker({ entriesMax: FINGERPRINTS_MAX });
    return {
      [EVENTS_LANE]: eventsLane({
        ...{ database, objects, plans, groupingKey, progress, log },
        maps: mapMemory(),
      }),
    };
  }
  const fingerprint = createFingerprinter({ entriesMax: STACKS_MAX });
  const options = { database, objects, plans, fingerprint, constants, log, maps: mapMemory() };
  const bundles = bundlesLane(options);
  return {
    [BUNDLES_LANE]: bundles,
    [FACTS_LANE]: factsLane(options),
    [IMPROVEMENTS_LANE]: observationsLane(options),
    [IMPROVEMENT_BUNDLES_LANE]: improvementBundlesLane(options),
    [LATE_MAPS_LANE]: lateMapsLane(options),
    [REFRESHES_LANE]: bundles,
  };
}

/** Returns this thread's memory of source maps; null if nothing is mapped. */
function mapMemory(): MapMemory | null {
  return settings.maps?.isOn === false ? null : createMapMemory(objects);
}

function tell(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

requireLaneRows();
// From here on the supervisor notices a thread that makes no progress, in its first job too.
progress.beat();
const loop = startJobLoop({
  database,
  lanes: lanesOf(settings.duty, laneWork(), { database, log, retryScale: settings.retryScale }),
  log,
  onHeld: (jobs) => tell({ kind: 'held', jobs: [...jobs] }),
  ...(settings.lastInLine === undefined ? {} : { lastInLine: settings.lastInLine }),
});

parentPort?.on('message', (command: ThreadCommand) => {
  if (command.kind === 'wake') loop.wake(command.lanes);
  else if (command.kind === 'stop') void stop();
  else void readMetrics().then((metrics) => tell({ kind: 'metrics', metrics }));
});
setInterval(() => progress.beat(), BEAT_INTERVAL_MS).unref();
startReleasingMemory();
tell({ kind: 'ready' });

async function stop(): Promise<void> {
  await loop.stop();
  await database.close();
  parentPort?.close();
}

/**
 * Bundles are the work that can wait: where processors are short, accepting and counting events goes first. On Linux a
 * priority belongs to the thread; elsewhere there is no way to set it for one thread alone.
 */
function yieldToOthers(): void {
  if (!MACHINE.hasThreadPriorities) return;
  try {
    const threadId = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(threadId, constants.priority.PRIORITY_LOW);
  } catch (error) {
    log.debug(errorFields(error), 'priority not lowered');
  }
}
