import type { MapSettings } from '../maps/map-settings.ts';
import type { LastInLine } from '../platform/jobs/job-loop.ts';
import type { Job } from '../platform/jobs/job-queue.ts';
import type { LogFormat } from '../platform/log.ts';
import type { Metric } from '../platform/metrics/metrics.ts';
import type { ObjectStoreLocation } from '../platform/objects/open-object-store.ts';
import type { PlanSettings } from '../workspace/billing/plan.ts';

/** Which lanes a worker thread serves: batches of events, or bundles. They wait on different things. */
export type ThreadDuty = 'events' | 'bundles';

/** The settings with which a worker thread is started; it opens everything else itself. */
export interface ThreadSettings {
  duty: ThreadDuty;
  databaseUrl: string;
  objectStore: ObjectStoreLocation;
  plans: PlanSettings;
  /** Absent: what is without settings. */
  maps?: MapSettings;
  constants: { baseUrl: string; appUrl: string };
  logLevel: string;
  logFormat?: LogFormat;
  /** Multiplies the retry delays; 1 outside tests. */
  retryScale: number;
  /** Projects whose jobs ended a thread not long ago. */
  lastInLine?: readonly LastInLine[];
  /** Three 32-bit counters, see `threadProgress`. */
  progress: SharedArrayBuffer;
}

/** A thread reports the jobs that it holds, so that its supervisor can fail them when it dies. */
export type ThreadMessage =
  | { kind: 'ready' }
  | { kind: 'held'; jobs: Job[] }
  | { kind: 'metrics'; metrics: Metric[] };
export type ThreadCommand =
  | { kind: 'stop' | 'read-metrics' }
  /** One of its lanes has something to do: of those named, or of all. */
  | { kind: 'wake'; lanes?: readonly string[] };

const WORKING = 0;
const STEPS = 1;
const BEATS = 2;

export const PROGRESS_BYTES = 12;
/** The interval at which the event loop of a thread shows that it runs. */
export const BEAT_INTERVAL_MS = 4000;

/**
 * The shared counters: whether the thread is inside event text right now, how many events it has finished, and how
 * often its event loop came round.
 */
export function threadProgress(buffer: SharedArrayBuffer) {
  const counters = new Int32Array(buffer);
  return {
    work: () => void Atomics.store(counters, WORKING, 1),
    rest: () => void Atomics.store(counters, WORKING, 0),
    step: () => void Atomics.add(counters, STEPS, 1),
    beat: () => void Atomics.add(counters, BEATS, 1),
    isWorking: () => Atomics.load(counters, WORKING) === 1,
    steps: () => Atomics.load(counters, STEPS),
    beats: () => Atomics.load(counters, BEATS),
  };
}
