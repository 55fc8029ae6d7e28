import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../../platform/jobs/enqueue.ts';
import { discardJob, type Job } from '../../../platform/jobs/job-queue.ts';
import { type BatchJobPayload, EVENTS_LANE, PROCESS_EVENT } from './incidents.jobs.ts';

/**
 * Replaces a batch's job by one job for each of its events, so that one poisonous event delays no other. They inherit
 * the failures, because an event has eight attempts in total, and start immediately, because most are innocent. The
 * split mark prevents a late holder of the old job from processing the batch as a whole.
 */
export async function splitBatch(
  transaction: Transaction,
  job: Job,
  payload: BatchJobPayload,
  failures: number,
): Promise<boolean> {
  await discardJob(transaction, job);
  const eventCount = await markSplit(transaction, payload.batchId);
  if (eventCount === null) return true;
  await transaction.query(QUEUE_EVENTS, [
    job.fairnessKey,
    payload.batchId,
    payload.objectKey,
    eventCount,
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

/** Keeps a batch from being processed as a whole from now on; how many events it has, or null: it was processed or split. */
export async function markSplit(transaction: Transaction, batchId: string): Promise<number | null> {
  const [batch] = await transaction.query<{ event_count: number }>(
    sql('batch-split')`update batches set split_at = culprit_now()
        where batch_id = $1 and processed_at is null and split_at is null returning event_count`,
    [batchId],
  );
  return batch?.event_count ?? null;
}

/**
 * Parks events of a split batch as dead letters, visible to operators, and counts their outcome. Events that were
 * already dealt with stay unchanged.
 * @param positions of the events; null: all of them
 * @returns how many were parked
 */
export async function parkEvents(
  transaction: Transaction,
  batchId: string,
  positions: readonly number[] | null,
  failure: { reason: string; failures: number },
): Promise<number> {
  const [row] = await transaction.query<{ parked: number }>(PARK, [
    batchId,
    positions,
    failure.reason.slice(0, 500),
    failure.failures,
  ]);
  return row?.parked ?? 0;
}

const PARK = sql('events-park')`
    with batch as (
      select project_id, received_at, event_count, token_ids, token_events from batches where batch_id = $1::uuid
    ), chosen as (
      select c.position from batch b
      cross join unnest(coalesce($2::integer[], array(select generate_series(0, b.event_count - 1)))) as c (position)
      where not exists (select from batch_parts p where p.batch_id = $1::uuid and p.position = c.position)
    ), letters as (
      insert into dead_letters (project_id, batch_id, position, reason, attempts)
      select b.project_id, $1::uuid, c.position, $3, $4::integer from batch b cross join chosen c order by c.position
      on conflict (batch_id, position) do nothing returning position
    ), parts as (
      insert into batch_parts (batch_id, position, processed_at)
      select $1::uuid, position, culprit_now() from letters order by position
    ), fates as (
      insert into event_fates as e (token_id, hour, fate, project_id, events)
      select t.token_id, date_trunc('hour', b.received_at), 'dead_letter', b.project_id, count(*)
      from batch b
      cross join letters l
      cross join lateral (
        select s.token_id from (
          select u.token_id, sum(u.events) over (order by u.n) as events_before_next
          from unnest(b.token_ids, b.token_events) with ordinality as u (token_id, events, n)
        ) s
        where s.events_before_next > l.position order by s.events_before_next limit 1
      ) t
      group by 1, 2, 4 order by 1
      on conflict (token_id, hour, fate, rule_id) do update set events = e.events + excluded.events
    )
    select count(*) as parked from letters`;
