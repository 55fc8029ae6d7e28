import type { Database } from '../../platform/db/database.ts';
import { finishJobs, type Job } from '../../platform/jobs/job-queue.ts';
import { readRetirePayload } from './tokens.jobs.ts';
import { revokeToken } from './tokens.queries.ts';

/** Revokes the token of a job; one that a person revoked before keeps its time. */
export async function retireToken(database: Database, job: Job): Promise<void> {
  const tokenId = readRetirePayload(job.payload);
  await database.transaction(async (transaction) => {
    await revokeToken(transaction, tokenId);
    await finishJobs(transaction, [job]);
  });
}
