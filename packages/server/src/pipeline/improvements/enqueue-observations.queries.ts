import type { Transaction } from '../../platform/db/database.ts';
import { enqueue } from '../../platform/jobs/enqueue.ts';
import { IMPROVEMENTS_LANE, TAKE_OBSERVATIONS } from './improvements.jobs.ts';
import type { ObservedBatch } from './observation.ts';

/**
 * Queues observations inside the transaction that counted their events: they count once, as their events do. Each
 * transaction has a separate job, because a row that several would change would make them wait for each other; its key
 * prevents a duplicate.
 */
export function enqueueObservations(
  transaction: Transaction,
  projectId: string,
  observed: ObservedBatch,
): void {
  transaction.send(HAND_OVER, [projectId, JSON.stringify(observed)]);
}

// No wake-up is sent: the lane is polled.
const HAND_OVER = {
  name: 'improvements-hand-over',
  text: enqueue({
    job: { lane: IMPROVEMENTS_LANE, kind: TAKE_OBSERVATIONS },
    fairnessKey: '$1::uuid',
    key: 'gen_random_uuid()::text',
    payload: '$2::jsonb',
  }),
};
