import { askTrackersOf } from '../notify/trackers/asked-trackers.queries.ts';
import type { Database } from '../platform/db/database.ts';
import { numbersIn } from '../platform/jobs/job-payload.ts';
import { finishJobs, type Job } from '../platform/jobs/job-queue.ts';
import type { LaneWork } from '../platform/jobs/lane.ts';
import { noteSaid } from './said-events.queries.ts';

/** Jobs of one project that share a transaction. */
const JOBS_MAX = 10;

/** Lets tickets follow the incidents that ledger rows name. */
export function ticketsLane({ database }: { database: Database }): LaneWork {
  return {
    claimMax: JOBS_MAX,
    run: (jobs) => followIncidents(database, jobs),
  };
}

async function followIncidents(database: Database, jobs: readonly Job[]): Promise<void> {
  const [first] = jobs;
  if (first === undefined) return;
  const lifecycleIds = jobs.flatMap((job) => numbersIn(job.payload, 'lifecycleIds'));
  await database.transaction(async (transaction) => {
    await finishJobs(transaction, jobs);
    // First the trackers, then their links: one that is deleted at this moment locks them in this order.
    await askTrackersOf(transaction, first.fairnessKey, lifecycleIds);
    await noteSaid(transaction, first.fairnessKey, lifecycleIds);
  });
}
