import { discardJob } from '../../../platform/jobs/job-queue.ts';
import type { GiveUp } from '../../../platform/jobs/lane.ts';
import { countFate } from './event-metrics.ts';
import { PARK_AFTER_FAILURES, readBatchJobPayload, SPLIT_AFTER_FAILURES } from './incidents.jobs.ts';
import { parkEvents, splitBatch } from './park-events.ts';

/**
 * After three failures a batch is split; an event that failed eight times in all is parked (docs/contract/incidents.md
 * 5.1).
 */
export const giveUpBatch: GiveUp = async ({ database }, job, failures, error) => {
  const payload = readBatchJobPayload(job.payload);
  const { position } = payload;
  if (position === null) {
    if (failures < SPLIT_AFTER_FAILURES) return false;
    return await database.transaction((transaction) => splitBatch(transaction, job, payload, failures));
  }
  if (failures < PARK_AFTER_FAILURES) return false;
  const parked = await database.transaction(async (transaction) => {
    await discardJob(transaction, job);
    return await parkEvents(transaction, payload.batchId, [position], { reason: error, failures });
  });
  countFate('dead_letter', parked);
  return true;
};
