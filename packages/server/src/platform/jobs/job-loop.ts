import type { Logger } from 'pino';
import { type Database, DatabaseUnavailableError } from '../db/database.ts';
import { errorFields, errorMessage } from '../error-fields.ts';
import { ObjectStoreUnavailableError } from '../objects/object-store.ts';
import {
  claimJobs,
  extendLeases,
  HEARTBEAT_INTERVAL_MS,
  type Job,
  LeaseLostError,
  type RetryDelays,
  releaseJobs,
  retryDelayMs,
} from './job-queue.ts';
import type { LaneWork } from './lane.ts';

/** A lane as a loop runs it. */
export interface Lane extends LaneWork {
  readonly name: string;
  /** Kinds of jobs it knows; others stay in the queue. */
  readonly kinds: readonly string[];
  readonly retryDelaysMs: RetryDelays;
  /**
   * Asked before a job is released after a failure, and before one that failed runs again, because a lease that ran out
   * counts without anybody being asked. True when a threshold of the lane was passed and it dealt with the job.
   */
  giveUp?(job: Job, failures: number, error: string): Promise<boolean>;
}

/** A fairness key that comes after all others, because its jobs cost too much. */
export interface LastInLine {
  fairnessKey: string;
  forMs: number;
}

export interface JobLoop {
  /** A job was queued, or became due. @param lanes which ones may have it; all of them when absent */
  wake(lanes?: readonly string[]): void;
  /** Stops claiming and waits for the running jobs. */
  stop(): Promise<void>;
}

const FIRST_KEY = '00000000-0000-0000-0000-000000000000';
const UNREACHABLE_WAIT_MS = 1000;
/** The watch for due work also wakes the loop, so this poll only covers lost wake-ups. */
export const POLL_INTERVAL_MS = 300_000;
/**
 * The pause of a loop after a round of small claims: this multiple of the round's duration, up to the maximum. Under
 * load the pause is part of the time from an event to its incident; the first event after a quiet time never waits for
 * one, and a round that serves many projects lasts so much longer that the pause hardly slows it.
 */
const REST_TIMES_WORK = 4;
const REST_MAX_MS = 50;
const LEASE_RAN_OUT = 'the worker ended or was blocked while it processed this';

/** Claims and runs the jobs of the lanes one after the other, the first lane first, until stopped. */
export function startJobLoop(options: {
  database: Database;
  lanes: readonly Lane[];
  log: Logger;
  /** Called with the held jobs, so that a supervisor can fail them when this thread dies. */
  onHeld?: (jobs: readonly Job[]) => void;
  /** Fairness keys whose jobs are claimed only when no other key has one, and for how long. */
  lastInLine?: readonly LastInLine[];
  /** The time between polls without a wake-up. */
  pollIntervalMs?: number;
}): JobLoop {
  const { database, lanes, log, pollIntervalMs = POLL_INTERVAL_MS } = options;
  let isStopping = false;
  let wakeUps = 0;
  let endRest: () => void = () => {};
  const sleepers = new Set<() => void>();
  /** The rest of the jobs before, see `Lane.prepare`. Never rejects. */
  let finishing: Promise<void> = Promise.resolve();
  const held = new Set<Job>();
  const lastKeys = new Map<string, string>();
  /** Claims since the first fairness key, of lanes whose claims share a cost (`Lane.prepare`). */
  const rounds = new Map<string, { beganMs: number; isSmall: boolean }>();
  /**
   * Lanes in which a look may find something: those that a wake-up named and those that gave jobs when they were last
   * looked at. To look in all of them after each job would cost more than a small job does.
   */
  const hopeful = new Set(lanes.map(({ name }) => name));

  const startedAtMs = performance.now();
  function keysLastInLine(): string[] {
    const passedMs = performance.now() - startedAtMs;
    return (options.lastInLine ?? []).flatMap((each) => (each.forMs > passedMs ? [each.fairnessKey] : []));
  }

  /** Jobs of the next fairness key; nothing only after a look at every key. */
  async function claim(lane: Lane): Promise<Job[]> {
    const last = keysLastInLine();
    const jobs = await claimNext(lane, last);
    return jobs.length > 0 || last.length === 0 ? jobs : await claimNext(lane, []);
  }

  async function claimNext(lane: Lane, excludedKeys: readonly string[]): Promise<Job[]> {
    let after = lastKeys.get(lane.name) ?? FIRST_KEY;
    for (let isWholeRound = after === FIRST_KEY; !isStopping; ) {
      if (after === FIRST_KEY) await restAfterRound(lane);
      if (isStopping) break;
      const { jobs, continueAfter } = await claimJobs(database, lane, after, lane.claimMax, excludedKeys);
      after = continueAfter ?? FIRST_KEY;
      lastKeys.set(lane.name, after);
      const isEnd = continueAfter === null;
      if (jobs.length > 0 || (isEnd && isWholeRound)) return jobs;
      isWholeRound ||= isEnd;
    }
    return [];
  }

  /** Ends when the next jobs may be claimed. */
  async function runClaimed(lane: Lane, jobs: Job[]): Promise<void> {
    const beganMs = performance.now();
    const stopHolding = hold(jobs);
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
      .finally(stopHolding);
    if (lane.prepare === undefined || isAlone) await running;
    else {
      finishing = running.catch(logFailure);
      const round = rounds.get(lane.name) ?? { beganMs, isSmall: true };
      round.isSmall &&= jobs.length * 2 < lane.claimMax;
      rounds.set(lane.name, round);
    }
  }

  /**
   * If each claim of a round took less than half of its limit, a pause lets the next claims find more jobs to share
   * their cost.
   */
  async function restAfterRound(lane: Lane): Promise<void> {
    const round = rounds.get(lane.name);
    rounds.delete(lane.name);
    if (round?.isSmall !== true) return;
    await finishing;
    await rest(Math.min(REST_TIMES_WORK * (performance.now() - round.beganMs), REST_MAX_MS));
  }

  /** Keeps the leases of jobs until the returned function is called. */
  function hold(jobs: readonly Job[]): () => void {
    for (const job of jobs) held.add(job);
    options.onHeld?.([...held]);
    const heartbeat = setInterval(() => {
      extendLeases(database, jobs).catch((error: unknown) =>
        log.warn(errorFields(error), 'lease not extended'),
      );
    }, HEARTBEAT_INTERVAL_MS);
    return () => {
      clearInterval(heartbeat);
      for (const job of jobs) held.delete(job);
      options.onHeld?.([...held]);
    };
  }

  function logFailure(error: unknown): void {
    log.warn(errorFields(error), 'job loop could not continue');
  }

  async function release(lane: Lane, jobs: Job[], error: unknown): Promise<void> {
    const message = errorMessage(error);
    if (error instanceof LeaseLostError) {
      log.warn({ lane: lane.name, jobIds: jobs.map((job) => job.jobId) }, 'lease lost, work rolled back');
      // Those that were worked on together and are still held here did not fail.
      await releaseUncounted(jobs, 0, message);
      return;
    }
    log.warn(
      { lane: lane.name, jobIds: jobs.map((job) => job.jobId), ...errorFields(error) },
      'job attempt failed',
    );
    if (error instanceof DatabaseUnavailableError || error instanceof ObjectStoreUnavailableError) {
      await releaseUncounted(jobs, UNREACHABLE_WAIT_MS, message);
    } else {
      await whenReachable(() => failJobs(database, lane, jobs, message));
    }
  }

  async function releaseUncounted(jobs: Job[], waitMs: number, error: string): Promise<void> {
    await whenReachable(() => releaseJobs(database, jobs, { isCounted: false, waitMs: () => waitMs, error }));
  }

  /** The cause that ended the attempt often still lasts. A lease that runs out during it would count as a failure. */
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

  function lookEverywhere(): void {
    for (const { name } of lanes) hopeful.add(name);
  }

  async function turn(): Promise<boolean> {
    for (const lane of lanes) {
      // Before the look: a wake-up that comes during it may be about what it does not see.
      if (!hopeful.delete(lane.name)) continue;
      const jobs = await claim(lane);
      if (jobs.length > 0) {
        hopeful.add(lane.name);
        await runClaimed(lane, jobs);
        return true;
      }
    }
    return false;
  }

  async function loop(): Promise<void> {
    while (!isStopping) {
      const seen = wakeUps;
      let waitMs = 0;
      try {
        if (!(await turn()) && wakeUps === seen) waitMs = pollIntervalMs;
      } catch (error) {
        if (isStopping) return;
        logFailure(error);
        waitMs = UNREACHABLE_WAIT_MS;
      }
      if (waitMs === 0 || isStopping) continue;
      await pause(waitMs);
      // After a failure, or after a long time without a wake-up for any lane, all lanes are checked.
      if (waitMs === UNREACHABLE_WAIT_MS || wakeUps === seen) lookEverywhere();
    }
  }

  const ended = loop();
  return {
    wake(named) {
      wakeUps += 1;
      if (named === undefined) lookEverywhere();
      else for (const name of named) hopeful.add(name);
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

/** Counts a failed attempt of each job: the job waits for its next delay, or the lane's own rule abandons it. */
export async function failJobs(
  database: Database,
  lane: Pick<Lane, 'retryDelaysMs' | 'giveUp'>,
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
    waitMs: (failures) => retryDelayMs(lane.retryDelaysMs, failures),
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
    // Another worker holds it now, or an earlier call whose outcome got lost had finished it.
    if (failure instanceof LeaseLostError) return true;
    throw failure;
  }
}
