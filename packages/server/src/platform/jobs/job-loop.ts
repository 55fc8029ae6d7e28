import type { Logger } from 'pino';
import { type Database, DatabaseUnavailableError } from '../db/database.ts';
import { ObjectStoreUnavailableError } from '../objects/object-store.ts';
import {
  claimJobs,
  extendLeases,
  HEARTBEAT_INTERVAL_MS,
  type Job,
  LeaseLostError,
  ladderWaitMs,
  type RetryLadder,
  releaseJobs,
} from './job-queue.ts';

/** What a lane does with the jobs of one project that were claimed together. */
export interface Lane {
  name: string;
  /** Kinds of jobs it knows; others stay in the queue. */
  kinds: readonly string[];
  /** Jobs of one project that one call may take. */
  claimMax: number;
  /** Also looked for without a wake-up, every so often: delayed jobs become due silently. */
  pollIntervalMs: number;
  ladder: RetryLadder;
  /** Does the work and finishes the jobs in its transaction. A throw releases those that are still held. */
  run(jobs: Job[]): Promise<void>;
  /**
   * For a lane whose work has a part before its transaction: does that part and returns the rest. The loop runs the
   * rest while it prepares the next jobs, so that the thread and the database work at the same time.
   */
  prepare?(jobs: Job[]): Promise<() => Promise<void>>;
  /**
   * Asked before a job is released after a failure, and before one that failed runs again, because a lease that ran out
   * counts without anybody being asked. True when a threshold of the lane was passed and it dealt with the job.
   */
  giveUp?(job: Job, failures: number, error: string): Promise<boolean>;
}

export interface JobLoop {
  /** Something was queued in one of the lanes. */
  wake(): void;
  /** Stops claiming and waits for the running jobs. */
  stop(): Promise<void>;
}

const FIRST_PROJECT = '00000000-0000-0000-0000-000000000000';
const UNREACHABLE_WAIT_MS = 1000;
/** Longest rest after a small claim; under load it is part of the time from an event to its incident. */
const REST_MAX_MS = 50;
const LEASE_RAN_OUT = 'the worker ended or stood still while it worked on this';

/** Claims and runs the jobs of the lanes one after the other, the first lane first, until stopped. */
export function startJobLoop(options: {
  database: Database;
  lanes: readonly Lane[];
  log: Logger;
  /** Told which jobs are held, so that a supervisor can fail them when this thread dies. */
  onHeld?: (jobs: readonly Job[]) => void;
  /** The first turn is that of the projects behind this one. */
  afterProjectId?: string;
}): JobLoop {
  const { database, lanes, log } = options;
  let isStopping = false;
  let wakeUps = 0;
  let endRest: () => void = () => {};
  const sleepers = new Set<() => void>();
  /** The rest of the jobs before, see `Lane.prepare`. Never rejects. */
  let finishing: Promise<void> = Promise.resolve();
  const held = new Set<Job>();
  const lastProjects = new Map<string, string>();

  /** Jobs of the next project in turn. Where very many wait, it takes several calls to look at each of them. */
  async function claim(lane: Lane): Promise<Job[]> {
    const after = lastProjects.get(lane.name) ?? options.afterProjectId ?? FIRST_PROJECT;
    let claimed = await claimJobs(database, lane, after, lane.claimMax);
    const next = claimed.continueAfter ?? FIRST_PROJECT;
    if (claimed.jobs.length === 0 && next !== after) {
      claimed = await claimJobs(database, lane, next, lane.claimMax);
    }
    lastProjects.set(lane.name, claimed.continueAfter ?? FIRST_PROJECT);
    return claimed.jobs;
  }

  /** Ends when the next jobs may be claimed. */
  async function runHeld(lane: Lane, jobs: Job[]): Promise<void> {
    const beganMs = performance.now();
    const letGo = hold(jobs);
    // A job that failed before gets the thread for itself: what ends it must not count against another.
    const isAlone = jobs.some((job) => job.failures > 0);
    if (isAlone) await finishing;
    let work: () => Promise<void>;
    try {
      const wanted: Job[] = [];
      for (const job of jobs) {
        if (job.failures === 0 || !(await giveUp(lane, job, job.failures, LEASE_RAN_OUT))) wanted.push(job);
      }
      if (wanted.length === 0) work = async () => {};
      else work = lane.prepare === undefined ? () => lane.run(wanted) : await lane.prepare(wanted);
    } catch (error) {
      work = () => Promise.reject(error);
    }
    await finishing;
    const running = work()
      .catch((error: unknown) => release(lane, jobs, error))
      .finally(letGo);
    if (lane.prepare === undefined || isAlone) await running;
    else {
      finishing = running.catch(complain);
      // A claim of less than half of what it could take rests as long as it worked: the next one finds more to share
      // its cost.
      if (jobs.length * 2 < lane.claimMax) {
        await finishing;
        await rest(Math.min(performance.now() - beganMs, REST_MAX_MS));
      }
    }
  }

  /** Keeps the leases of jobs until the returned function is called. */
  function hold(jobs: readonly Job[]): () => void {
    for (const job of jobs) held.add(job);
    options.onHeld?.([...held]);
    const heartbeat = setInterval(() => {
      extendLeases(database, jobs).catch((error: Error) =>
        log.warn({ error: error.message }, 'lease not extended'),
      );
    }, HEARTBEAT_INTERVAL_MS);
    return () => {
      clearInterval(heartbeat);
      for (const job of jobs) held.delete(job);
      options.onHeld?.([...held]);
    };
  }

  function complain(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    log.warn({ error: message }, 'job loop could not go on');
  }

  async function release(lane: Lane, jobs: Job[], error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof LeaseLostError) {
      log.warn({ lane: lane.name, jobIds: jobs.map((job) => job.jobId) }, 'lease lost, work rolled back');
      // Those that were worked on together and are still held here did not fail.
      await giveBack(jobs, 0, message);
      return;
    }
    log.warn({ lane: lane.name, jobIds: jobs.map((job) => job.jobId), error: message }, 'job attempt failed');
    if (error instanceof DatabaseUnavailableError || error instanceof ObjectStoreUnavailableError) {
      await giveBack(jobs, UNREACHABLE_WAIT_MS, message);
    } else {
      await whenReachable(() => failJobs(database, lane, jobs, message));
    }
  }

  async function giveBack(jobs: Job[], waitMs: number, error: string): Promise<void> {
    await whenReachable(() => releaseJobs(database, jobs, { isCounted: false, waitMs: () => waitMs, error }));
  }

  /** What ended the attempt is often still going on. A lease that runs out over it would count as a failure. */
  async function whenReachable(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (isStopping || !(error instanceof DatabaseUnavailableError)) throw error;
        await pause(UNREACHABLE_WAIT_MS);
      }
    }
  }

  /** Waits, at most until something wakes the loop. */
  function pause(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      function end(): void {
        clearTimeout(timer);
        sleepers.delete(end);
        resolve();
      }
      const timer = setTimeout(end, waitMs);
      sleepers.add(end);
    });
  }

  /** Wake-ups do not end it, only the stop does. */
  function rest(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, isStopping ? 0 : waitMs);
      function end(): void {
        clearTimeout(timer);
        endRest = () => {};
        resolve();
      }
      endRest = end;
    });
  }

  function interrupt(): void {
    for (const end of [...sleepers]) end();
  }

  async function turn(): Promise<boolean> {
    for (const lane of lanes) {
      const jobs = await claim(lane);
      if (jobs.length > 0) {
        await runHeld(lane, jobs);
        return true;
      }
    }
    return false;
  }

  async function loop(): Promise<void> {
    const pollIntervalMs = Math.min(...lanes.map((lane) => lane.pollIntervalMs));
    while (!isStopping) {
      const seen = wakeUps;
      let waitMs = 0;
      try {
        if (!(await turn()) && wakeUps === seen) waitMs = pollIntervalMs;
      } catch (error) {
        if (isStopping) return;
        complain(error);
        waitMs = UNREACHABLE_WAIT_MS;
      }
      if (waitMs > 0 && !isStopping) await pause(waitMs);
    }
  }

  const ended = loop();
  return {
    wake() {
      wakeUps += 1;
      interrupt();
    },
    async stop() {
      isStopping = true;
      interrupt();
      endRest();
      await ended;
      await finishing;
    },
  };
}

/** Counts a failed attempt of each job: up the ladder, or given up by the lane's own rule. */
export async function failJobs(
  database: Database,
  lane: Pick<Lane, 'ladder' | 'giveUp'>,
  jobs: readonly Job[],
  error: string,
): Promise<void> {
  const retried: Job[] = [];
  for (const job of jobs) {
    if (!(await giveUp(lane, job, job.failures + 1, error))) retried.push(job);
  }
  if (retried.length === 0) return;
  await releaseJobs(database, retried, {
    isCounted: true,
    waitMs: (failures) => ladderWaitMs(lane.ladder, failures),
    error,
  });
}

async function giveUp(
  lane: Pick<Lane, 'giveUp'>,
  job: Job,
  failures: number,
  error: string,
): Promise<boolean> {
  try {
    return (await lane.giveUp?.(job, failures, error)) ?? false;
  } catch (failure) {
    // Somebody else holds it now, or an earlier call whose outcome got lost had dealt with it.
    if (failure instanceof LeaseLostError) return true;
    throw failure;
  }
}
