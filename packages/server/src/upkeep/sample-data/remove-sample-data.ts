import { SAMPLE_SERVICE_NAMES } from '@culprit/contract/workspace/sample-services';
import type { Database } from '../../platform/db/database.ts';
import { finishJobs, type Job, postponeJob } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import { deleteIncidents } from '../retention/old-incidents.queries.ts';
import { deleteBatch, lockSharedProject, queueCleaning } from '../retention/retention.queries.ts';
import { readRemoval } from './sample-data.jobs.ts';
import {
  deleteSampleData,
  deleteSampleEvents,
  deleteSampleServices,
  lockLeavingSample,
  lockSampleIncidents,
} from './sample-data.queries.ts';

/** The wait for the worker that has the events of sample data. */
const WAIT_MS = 500;

/** Removes sample data. */
export function sampleDataLane(database: Database): LaneWork {
  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await removeSample(database, job);
    },
  };
}

/**
 * Ends the incidents of sample data as retention ends old ones, with everything else that their events made, in one
 * transaction. What is left of the incidents, and the objects, is removed by the cleaning of the project, which this
 * transaction enqueues.
 */
export async function removeSample(database: Database, job: Job): Promise<void> {
  const { fairnessKey: projectId } = job;
  const sampleId = readRemoval(job.payload);
  const isDone = await database.transaction(async (transaction) => {
    // A project that is being deleted takes its sample data with it.
    const isLive = await lockSharedProject(transaction, projectId);
    const sample = isLive ? await lockLeavingSample(transaction, projectId, sampleId) : null;
    if (sample?.isWaiting === true) return false;
    if (sample !== null) {
      const incidentIds = await lockSampleIncidents(transaction, projectId, sampleId);
      await deleteIncidents(transaction, projectId, incidentIds);
      deleteSampleEvents(transaction, projectId, sample);
      await deleteBatch(transaction, projectId, sample.batchId);
      deleteSampleServices(transaction, projectId, SAMPLE_SERVICE_NAMES);
      deleteSampleData(transaction, projectId, sampleId);
      queueCleaning(transaction, projectId);
    }
    await finishJobs(transaction, [job]);
    return true;
  });
  if (!isDone) await postponeJob(database, job, WAIT_MS);
}
