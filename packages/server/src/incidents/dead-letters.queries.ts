import type { Queryable } from '../platform/db/database.ts';
import { WAKE_CHANNEL } from '../platform/jobs/wake-listener.ts';
import { EVENTS_LANE, PROCESS_EVENT } from './incidents.jobs.ts';

/** An event that could not be processed, without what was in it. Times are milliseconds since the epoch. */
export interface DeadLetter {
  deadLetterId: number;
  projectId: string;
  batchId: string;
  position: number;
  reason: string;
  attempts: number;
  createdAtMs: number;
}

/** Which of them: one, those of a project, or all. */
export interface DeadLetterChoice {
  deadLetterId: number | null;
  projectId: string | null;
}

/** Up to `limit` of them, the oldest first. */
export async function listDeadLetters(
  database: Queryable,
  choice: DeadLetterChoice,
  limit: number,
): Promise<DeadLetter[]> {
  return await database.query<DeadLetter>(
    {
      name: 'dead-letters-list',
      text: `select dead_letter_id as "deadLetterId", project_id as "projectId", batch_id as "batchId", position, reason,
          attempts, created_at as "createdAtMs"
        from dead_letters
        where ($1::bigint is null or dead_letter_id = $1) and ($2::uuid is null or project_id = $2)
        order by dead_letter_id limit $3`,
    },
    [choice.deadLetterId, choice.projectId, limit],
  );
}

export async function countDeadLetters(database: Queryable, choice: DeadLetterChoice): Promise<number> {
  const [row] = await database.query<{ letters: number }>(
    {
      name: 'dead-letters-count',
      text: `select count(*) as letters from dead_letters
        where ($1::bigint is null or dead_letter_id = $1) and ($2::uuid is null or project_id = $2)`,
    },
    [choice.deadLetterId, choice.projectId],
  );
  return row?.letters ?? 0;
}

/**
 * Puts up to `limit` of them back: each is an event with a job and no attempts again, neither processed nor counted as a
 * dead letter (`parkEvent` undone). One that was put back before is no letter any more. Returns how many.
 */
export async function putBackDeadLetters(
  transaction: Queryable,
  choice: DeadLetterChoice,
  limit: number,
): Promise<number> {
  const rows = await transaction.query(
    {
      name: 'dead-letters-put-back',
      text: `
        with chosen as (
          select d.dead_letter_id, d.project_id, d.batch_id, d.position, b.object_key, b.received_at, b.token_ids,
            b.token_events
          from dead_letters d join batches b using (batch_id)
          where ($1::bigint is null or d.dead_letter_id = $1) and ($2::uuid is null or d.project_id = $2)
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
        ), queued as (
          insert into jobs (lane, kind, project_id, payload)
          select $4, $5, project_id,
            jsonb_build_object('batchId', batch_id::text, 'objectKey', object_key, 'position', position)
          from chosen order by dead_letter_id
        ), woken as materialized (
          select pg_notify('${WAKE_CHANNEL}', $4) where exists (select from chosen)
        )
        select dead_letter_id from letters, woken`,
    },
    [choice.deadLetterId, choice.projectId, limit, EVENTS_LANE, PROCESS_EVENT],
  );
  return rows.length;
}
