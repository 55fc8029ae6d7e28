import type { Database } from '../../platform/db/database.ts';
import { finishJobs, type Job } from '../../platform/jobs/job-queue.ts';
import type { GiveUp } from '../../platform/jobs/lane.ts';
import { BUNDLE_ATTEMPTS_MAX } from '../bundles/queue/bundles.jobs.ts';
import { lockImprovementBundle, recordWithoutBundle } from './improvement-bundles.queries.ts';

/** Abandons the improvement's document for now after five attempts, and records the reason. */
export const giveUpImprovementBundle: GiveUp = async ({ database }, job, failures) => {
  if (failures < BUNDLE_ATTEMPTS_MAX) return false;
  await finishWithoutBundle(database, job, 'generation_error');
  return true;
};

/** Ends a job without a document; null leaves the improvement unchanged, `unchanged` notes that it was examined. */
export async function finishWithoutBundle(
  database: Database,
  job: Job,
  reason: 'unchanged' | 'generation_error' | 'automation_disabled' | 'monthly_quota_exceeded' | null,
): Promise<void> {
  const improvementId = improvementIdOf(job);
  await database.transaction(async (transaction) => {
    if (reason !== null) {
      await lockImprovementBundle(transaction, improvementId);
      await recordWithoutBundle(transaction, improvementId, reason === 'unchanged' ? null : reason);
    }
    await finishJobs(transaction, [job]);
  });
}

/** The improvement that a job is about. */
export function improvementIdOf(job: Job): string {
  if (job.key === null) throw new Error('an improvement bundle job names no improvement');
  return job.key;
}
