import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../../platform/jobs/enqueue.ts';
import { EVENTS_LANE, PROCESS_EVENT } from './incidents.jobs.ts';

/** An event that could not be processed, without what was in it. Times are milliseconds since the epoch. */
export interface DeadLetter {
  deadLetterId: number;
  projectId: string;
  batchId: string;
  position: number;
  /** Dead letters of its batch. */
  batchEvents: number;
  /** The key of the batch's object; null: the batch was deleted. */
  objectKey: string | null;
  reason: string;
  attempts: number;
  createdAtMs: number;
}

/** Which of them: some by id, those of a project, or all. */
export interface DeadLetterChoice {
  deadLetterIds: readonly number[] | null;
  projectId: string | null;
}

/** Up to `limit` of them behind a letter, the oldest first; 0 is before all. */
export async function listDeadLetters(
  database: Queryable,
  choice: DeadLetterChoice,
  limit: number,
  afterId = 0,
): Promise<DeadLetter[]> {
  return await database.query<DeadLetter>(
    sql(
      'dead-letters-list',
    )`select dead_letter_id as "deadLetterId", d.project_id as "projectId", batch_id as "batchId", position, reason,
          attempts, created_at as "createdAtMs", b.object_key as "objectKey",
          (select count(*) from dead_letters o where o.batch_id = d.batch_id) as "batchEvents"
        from dead_letters d left join batches b using (batch_id)
        where ($1::bigint[] is null or dead_letter_id = any ($1)) and ($2::uuid is null or d.project_id = $2)
          and dead_letter_id > $4
        order by dead_letter_id limit $3`,
    [choice.deadLetterIds, choice.projectId, limit, afterId],
  );
}

export async function countDeadLetters(database: Queryable, choice: DeadLetterChoice): Promise<number> {
  const [row] = await database.query<{ letters: number }>(
    sql('dead-letters-count')`select count(*) as letters from dead_letters
        where ($1::bigint[] is null or dead_letter_id = any ($1)) and ($2::uuid is null or project_id = $2)`,
    [choice.deadLetterIds, choice.projectId],
  );
  return row?.letters ?? 0;
}

/**
 * Returns up to `limit` of them to the queue: each is an event with a job and no attempts again, neither processed nor
 * counted as a dead letter (`parkEvent` undone). One that was returned before is no longer a dead letter. Returns how
 * many.
 */
export async function putBackDeadLetters(
  transaction: Transaction,
  choice: DeadLetterChoice,
  limit: number,
): Promise<number> {
  const rows = await transaction.query(PUT_BACK, [choice.deadLetterIds, choice.projectId, limit]);
  return rows.length;
}

const PUT_BACK = {
  name: 'dead-letters-put-back',
  text: `
        with chosen as (
          select d.dead_letter_id, d.project_id, d.batch_id, d.position, b.object_key, b.object_offset, b.size_bytes,
            b.received_at, b.token_ids, b.token_events
          from dead_letters d join batches b using (batch_id)
          where ($1::bigint[] is null or d.dead_letter_id = any ($1)) and ($2::uuid is null or d.project_id = $2)
          order by d.dead_letter_id limit $3 for update
        ), letters as (
          delete from dead_letters d using chosen c where d.dead_letter_id = c.dead_letter_id returning d.dead_letter_id
        ), parts as (
          delete from batch_parts p using chosen c where p.batch_id = c.batch_id and p.position = c.position
        ), of_tokens as (
          select t.token_id, date_trunc('hour', c.received_at) as hour, count(*) as events
          from chosen c
          cross join lateral (
            select token_id from (
              select token_id, sum(events) over (order by n) as events_before_next
              from unnest(c.token_ids, c.token_events) with ordinality as u (token_id, events, n)
            ) s
            where events_before_next > c.position order by events_before_next limit 1
          ) t
          group by 1, 2
        ), fates as (
          update event_fates e set events = e.events - o.events from of_tokens o
          where e.token_id = o.token_id and e.hour = o.hour and e.fate = 'dead_letter'
        ), queued as (${enqueue({
          job: { lane: EVENTS_LANE, kind: PROCESS_EVENT },
          fairnessKey: 'chosen.project_id',
          payload: `jsonb_build_object('batchId', batch_id::text, 'objectKey', object_key, 'offset', object_offset,
            'sizeBytes', size_bytes, 'position', position)`,
          from: 'from chosen order by dead_letter_id',
        })}), woken as materialized (${WAKE_QUEUED})
        select dead_letter_id from letters, woken`,
};
