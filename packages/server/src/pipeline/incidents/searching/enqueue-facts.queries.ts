import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../../platform/jobs/enqueue.ts';
import { FACTS_LANE, type IncidentFacts, storedFacts, TAKE_FACTS } from './facts.jobs.ts';

/**
 * The number of signals up to which the facts of a new incident are processed immediately. Others wait for company, which
 * makes them ten times cheaper: facts alone cost a claim and a transaction.
 */
const SIGNALS_AT_ONCE = 20;
const WAIT_SECONDS = 5;

/**
 * Hands facts over inside the transaction that counted their events, so that they count once, as their events do
 * (docs/contract/team-workflow.md 1.3).
 */
export function enqueueFacts(
  transaction: Transaction,
  projectId: string,
  incidents: readonly IncidentFacts[],
  { signals, hasNew }: { signals: number; hasNew: boolean },
): void {
  if (incidents.length === 0) return;
  transaction.send(HAND_OVER, [
    projectId,
    JSON.stringify(storedFacts(incidents)),
    hasNew && signals <= SIGNALS_AT_ONCE ? 0 : WAIT_SECONDS,
  ]);
}

// All jobs of a project that wait are due at the same moment, so that one transaction takes them.
const HAND_OVER = sql('facts-hand-over')`with queued as (${enqueue({
  job: { lane: FACTS_LANE, kind: TAKE_FACTS },
  fairnessKey: '$1::uuid',
  key: 'gen_random_uuid()::text',
  payload: '$2::jsonb',
  runAt: `case when $3::integer = 0 then culprit_now()
      else to_timestamp(ceil(extract(epoch from culprit_now()) / greatest($3, 1)) * greatest($3, 1)) end`,
})})
  ${WAKE_QUEUED}`;
