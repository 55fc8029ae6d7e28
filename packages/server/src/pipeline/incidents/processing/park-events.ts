import type { Transaction } from '../../../platform/db/database.ts';
import { enqueue, WAKE_QUEUED } from '../../../platform/jobs/enqueue.ts';
import { discardJob, type Job } from '../../../platform/jobs/job-queue.ts';
import { type BatchJobPayload, EVENTS_LANE, PROCESS_EVENT } from './incidents.jobs.ts';

/**
 * Replaces a batch's job by one job for each of its events, so that one poisonous event holds back no other. They
 * inherit the failures, because an event has eight attempts in all, and begin at once, because most are innocent.
 * The split mark keeps a late holder of the old job from processing the batch as a whole.
 */
export async function splitBatch(
  transaction: Transaction,
  job: Job,
  payload: BatchJobPayload,
  failures: number,
): Promise<boolean> {
  await discardJob(transaction, job);
  const [batch] = await transaction.query<{ event_count: number }>(
    {
      name: 'batch-split',
      text: `update batches set split_at = culprit_now()
        where batch_id = $1 and processed_at is null and split_at is null returning event_count`,
    },
    [payload.batchId],
  );
  if (batch === undefined) return true;
  await transaction.query(QUEUE_EVENTS, [
    job.fairnessKey,
    payload.batchId,
    payload.objectKey,
    batch.event_count,
    failures,
    payload.range?.offset ?? null,
    payload.range?.sizeBytes ?? null,
  ]);
  return true;
}

const QUEUE_EVENTS = {
  name: 'batch-split-jobs',
  text: `with queued as (${enqueue({
    job: { lane: EVENTS_LANE, kind: PROCESS_EVENT },
    fairnessKey: '$1::uuid',
    payload: `jsonb_build_object('batchId', $2::text, 'objectKey', $3::text, 'offset', $6::integer,
      'sizeBytes', $7::integer, 'position', position)`,
    failures: '$5::integer',
    from: 'from generate_series(0, $4::integer - 1) as position',
  })})
    ${WAKE_QUEUED}`,
};

/** Parks one event as a dead letter, visible to operators, and counts its fate. False: it was dealt with before. */
export async function parkEvent(
  transaction: Transaction,
  projectId: string,
  batchId: string,
  position: number,
  failure: { reason: string; failures: number },
): Promise<boolean> {
  const parked = await transaction.query(
    {
      name: 'event-park',
      text: `insert into dead_letters (project_id, batch_id, position, reason, attempts)
        select $1, $2, $3, $4, $5
        where not exists (select from batch_parts where batch_id = $2 and position = $3)
        on conflict (batch_id, position) do nothing returning dead_letter_id`,
    },
    [projectId, batchId, position, failure.reason.slice(0, 500), failure.failures],
  );
  if (parked.length === 0) return false;
  await transaction.query(
    {
      name: 'event-park-mark',
      text: 'insert into batch_parts (batch_id, position, processed_at) values ($1, $2, culprit_now())',
    },
    [batchId, position],
  );
  await transaction.query(
    {
      name: 'event-park-fate',
      text: `insert into event_fates as e (token_id, hour, fate, project_id, events)
        select t.token_id, date_trunc('hour', b.received_at), 'dead_letter', b.project_id, 1
        from batches b
        cross join lateral (
          select token_id, sum(events) over (order by n) as events_before_next
          from unnest(b.token_ids, b.token_events) with ordinality as u (token_id, events, n)
        ) t
        where b.batch_id = $1 and t.events_before_next > $2
        order by t.events_before_next limit 1
        on conflict (token_id, hour, fate, rule_id) do update set events = e.events + 1`,
    },
    [batchId, position],
  );
  return true;
}
