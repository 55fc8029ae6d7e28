import { setTimeout as delay } from 'node:timers/promises';
import * as sound from '../../src/pipeline/ingest/ingest.queries.ts';

/** Takes the place of the intake's statements. */

const COMMIT_LATE_MS = 500;

export const { admitRequests, returnRateBudget, wakeForBatches } = sound;

export const commitWindow: typeof sound.commitWindow = async (database, batches, fates) => {
  void delay(COMMIT_LATE_MS)
    .then(() => sound.commitWindow(database, batches, fates))
    .catch(() => {});
  return new Set(fates.map((fate) => fate.project_id));
};
