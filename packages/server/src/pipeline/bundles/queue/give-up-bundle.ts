import { finishJobs, type Job } from '../../../platform/jobs/job-queue.ts';
import type { GiveUp } from '../../../platform/jobs/lane.ts';
import { failBundle } from '../document/bundles.queries.ts';
import { BUNDLE_ATTEMPTS_MAX } from './bundles.jobs.ts';

/** Abandons the generation after five attempts; a stored document stays, and later requests are tried again. */
export const giveUpBundle: GiveUp = async ({ database }, job, failures) => {
  if (failures < BUNDLE_ATTEMPTS_MAX) return false;
  await database.transaction(async (transaction) => {
    await finishJobs(transaction, [job]);
    failBundle(transaction, incidentIdOf(job), 'generation_error');
  });
  return true;
};

/** The incident that a bundle job is about. */
export function incidentIdOf(job: Job): string {
  if (job.key === null) throw new Error('a bundle job names no incident');
  return job.key;
}
