import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { discardJob, type Job, type RetryDelays } from './job-queue.ts';

/** The context in which a lane decides about a failed job. */
interface GiveUpContext {
  database: Database;
  log: Logger;
  /** The retry delays of the lane. */
  retryDelaysMs: RetryDelays;
}

/**
 * Decides after a failure if a job is abandoned, and does what follows from it. True when it dealt with the job; false
 * leaves it in the queue.
 * @param failures including the latest one
 */
export type GiveUp = (context: GiveUpContext, job: Job, failures: number, error: string) => Promise<boolean>;

/** The work of a feature on the jobs of a lane; the lane's other properties are in its row in `roles/lanes.ts`. */
export interface LaneWork {
  /** Jobs of one project that one call may take. */
  readonly claimMax: number;
  /** Does the work and finishes the jobs in its transaction. A throw releases those that are still leased. */
  run(jobs: Job[]): Promise<void>;
  /**
   * For a lane whose work has a part before its transaction: does that part and returns the rest. The loop runs the
   * rest while it prepares the next jobs, so that the thread and the database work at the same time.
   */
  prepare?(jobs: Job[]): Promise<() => Promise<void>>;
}

/** For a lane in which only the database can fail: every job is tried until it succeeds. */
export const neverGivesUp: GiveUp = async () => false;

/** For a lane whose jobs are discarded when every delay was used. */
export function discardsAfterRetries(message: string): GiveUp {
  return async ({ database, log, retryDelaysMs }, job, failures, error) => {
    if (failures <= retryDelaysMs.length) return false;
    await discardJob(database, job);
    log.warn({ jobId: job.jobId, failures, error }, message);
    return true;
  };
}
