import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import { errorFields } from '../platform/error-fields.ts';
import { failJobs } from '../platform/jobs/job-loop.ts';
import { type Job, releaseJobs } from '../platform/jobs/job-queue.ts';
import { failureRules } from './lane-loops.ts';
import { laneRow } from './lanes.ts';

/**
 * Counts a failed attempt of each job that a dead thread held, by the rules of its lane. One that cannot be dealt with
 * now waits for its lease to end, and keeps no other from being dealt with.
 */
export async function failHeldJobs(
  options: { database: Database; log: Logger; retryScale: number },
  jobs: readonly Job[],
  reason: string,
): Promise<void> {
  for (const job of jobs) {
    try {
      await failJobs(options.database, failureRules(laneRow(job.lane), options), [job], reason);
    } catch (error) {
      options.log.warn(
        { jobId: job.jobId, ...errorFields(error) },
        'job of a dead thread waits for its lease to end',
      );
    }
  }
}

/** Releases jobs whose work a stop interrupted: that is no failed attempt. */
export async function releaseHeldJobs(database: Database, jobs: readonly Job[]): Promise<void> {
  if (jobs.length === 0) return;
  await releaseJobs(database, jobs, { isCounted: false, waitMs: () => 0, error: 'the worker stopped' });
}
