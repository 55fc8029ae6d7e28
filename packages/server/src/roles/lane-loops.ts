import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import { type JobLoop, type Lane, startJobLoop } from '../platform/jobs/job-loop.ts';
import type { Job, RetryDelays } from '../platform/jobs/job-queue.ts';
import type { LaneWork } from '../platform/jobs/lane.ts';
import { LANES, type LaneRow, laneRow, RUNNERS, type Runner } from './lanes.ts';
import type { WakeTarget } from './wake-router.ts';

interface LaneOptions {
  database: Database;
  log: Logger;
  /** Multiplies the retry delays; 1 outside tests. */
  retryScale: number;
  /** Delays after failed deliveries, for the lanes that use them. */
  deliveryScheduleMs?: RetryDelays;
}

/**
 * The lanes of a runner in the order of the table.
 * @param work by lane
 * @throws when a lane of the runner is not served, or one is served that is not the runner's
 */
export function lanesOf(
  runner: Runner,
  work: Readonly<Record<string, LaneWork>>,
  options: LaneOptions,
): Lane[] {
  for (const name of Object.keys(work)) {
    if (laneRow(name).runner !== runner) throw new Error(`the lane ${name} does not run in ${runner}`);
  }
  return LANES.filter((row) => row.runner === runner).map((row) => {
    const served = Object.hasOwn(work, row.name) ? work[row.name] : undefined;
    if (served === undefined) throw new Error(`nothing serves the lane ${row.name}`);
    return laneOf(row, served, options);
  });
}

/** A lane as a loop runs it: its row and its work. */
export function laneOf(row: LaneRow, work: LaneWork, options: LaneOptions): Lane {
  const { prepare } = work;
  return {
    name: row.name,
    kinds: row.kinds,
    ...failureRules(row, options),
    // It may change from call to call.
    get claimMax() {
      return work.claimMax;
    },
    run: (jobs) => work.run(jobs),
    ...(prepare === undefined ? {} : { prepare: (jobs: Job[]) => prepare(jobs) }),
  };
}

/** Returns the rules for a failed job of the lane, for every caller that notices the failure. */
export function failureRules(
  row: LaneRow,
  { database, log, retryScale, deliveryScheduleMs = [] }: LaneOptions,
): { retryDelaysMs: RetryDelays; giveUp(job: Job, failures: number, error: string): Promise<boolean> } {
  const retryDelaysMs =
    typeof row.retryDelaysMs === 'function'
      ? row.retryDelaysMs(deliveryScheduleMs)
      : row.retryDelaysMs.map((delayMs) => delayMs * retryScale);
  return {
    retryDelaysMs,
    giveUp: (job, failures, error) => row.giveUp({ database, log, retryDelaysMs }, job, failures, error),
  };
}

/** Starts the loops of a runner in the main thread. */
export function startLoops(
  runner: Runner,
  work: Readonly<Record<string, LaneWork>>,
  options: LaneOptions,
): JobLoop {
  const { database, log } = options;
  const loops = Array.from({ length: RUNNERS[runner].loops }, () =>
    startJobLoop({ database, lanes: lanesOf(runner, work, options), log }),
  );
  return {
    wake(names) {
      for (const loop of loops) loop.wake(names);
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** Returns the target that wakes a runner. */
export function wakeTargetOf(runner: Runner, wake: WakeTarget['wake']): WakeTarget {
  return { serves: LANES.filter((row) => row.runner === runner), wake };
}
