import { setTimeout as delay } from 'node:timers/promises';
import * as sound from '../../src/ingest/ingest.queries.ts';

/** Takes the place of the intake's statements. */

const COMMIT_LATE_MS = 500;

export const { admitRequests, returnRateBudget } = sound;

export const commitWindow: typeof sound.commitWindow = async (database, batches, fates, lane) => {
  void delay(COMMIT_LATE_MS)
    .then(() => sound.commitWindow(database, batches, fates, lane))
    .catch(() => {});
  return new Set(fates.map((fate) => fate.project_id));
};
