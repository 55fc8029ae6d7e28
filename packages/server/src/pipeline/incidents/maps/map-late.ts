import type { Database } from '../../../platform/db/database.ts';
import { finishJobs } from '../../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../../platform/jobs/lane.ts';

/** The lane in which incidents get the maps that came after their events (docs/contract/source-maps.md 5.6). */
export function lateMapsLane({ database }: { database: Database }): LaneWork {
  return {
    claimMax: 1,
    run: async (jobs) => {
      await database.transaction(async (transaction) => await finishJobs(transaction, jobs));
    },
  };
}
