import { setTimeout as delay } from 'node:timers/promises';
import { type Database, DatabaseUnavailableError } from '../db/database.ts';
import { discardJob, type Job } from './job-queue.ts';

const RETRY_WAIT_MS = 500;
/** The retries last as long as a lease: after it the job belongs to another holder. */
const RETRIES_MAX = 60;

/** Removes the job of a message that is gone: an outage right now must not send it a second time. */
export async function discardSentJob(database: Database, job: Job): Promise<void> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await discardJob(database, job);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || retries >= RETRIES_MAX) throw error;
      await delay(RETRY_WAIT_MS);
    }
  }
}
