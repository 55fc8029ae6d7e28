import type { Database } from '../../platform/db/database.ts';
import { finishJobs, type Job } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import { readRetirePayload } from './tokens.jobs.ts';
import { revokeToken } from './tokens.queries.ts';

/** Ends tokens that others have replaced (docs/contract/account.md 4.4). */
export function tokensLane(database: Database): LaneWork {
  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await retireToken(database, job);
    },
  };
}

/** Revokes the token of a job; one that a person revoked before keeps its time. */
async function retireToken(database: Database, job: Job): Promise<void> {
  const tokenId = readRetirePayload(job.payload);
  await database.transaction(async (transaction) => {
    await revokeToken(transaction, tokenId);
    await finishJobs(transaction, [job]);
  });
}
