import { EVENTS_LANE } from '../../pipeline/incidents/processing/incidents.jobs.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';

/** Statements over what all projects share: days of events, remembered event ids, and which process maintains them. */

/**
 * Leases a maintenance task that is due to one process: no other process runs it for that long. The process that moves
 * the time runs it.
 */
export const leaseTask = statement.exists<[task: string, forSeconds: number]>(
  'maintenance-lease',
  // On a conflict the row is locked, which writes and syncs a commit, so a process that is early only reads.
  `insert into maintenance_tasks as t (task, due_at)
    select $1::text, culprit_now() + make_interval(secs => $2)
    where not exists (select from maintenance_tasks where task = $1::text and due_at > culprit_now())
    on conflict (task) do update set due_at = excluded.due_at where t.due_at <= culprit_now()
    returning task`,
);

/** The task is done, and due again after that long. */
export const finishTask = statement.run<[task: string, everySeconds: number]>(
  'maintenance-finish',
  'update maintenance_tasks set due_at = culprit_now() + make_interval(secs => $2) where task = $1',
);

/** All batches accepted before this moment are counted. */
const COUNTED_UNTIL = `(select coalesce(least(culprit_now(), min(created_at)) - interval '1 min', culprit_now())
  from jobs where lane = '${EVENTS_LANE}')`;

/**
 * Removes the oldest day of events if all of it is older than that many days; false when there is none. Waits for
 * those who use events for a second at most, because everybody else waits behind it.
 * @throws an error with the code `55P03` when the second was not enough
 */
export const dropEventDay = statement.value<[keptDays: number], boolean>(
  'event-day-drop',
  `select drop_event_day(
    ((${COUNTED_UNTIL} - make_interval(days => $1)) at time zone 'UTC')::date) as dropped`,
  false,
);

/** Indexes of the days of events that are over and get no further rows. */
export const listEventDayIndexes = statement.many<[], { day_index: string }, string>(
  'event-days-over',
  `select i.indexrelid::regclass::text as day_index
    from event_partitions(null, (culprit_now() at time zone 'UTC')::date) p
    join pg_index i on i.indrelid = p.partition
    join pg_inherits h on h.inhrelid = i.indexrelid and h.inhparent = 'events_project'::regclass
    order by p.day`,
  (row) => row.day_index,
);

/** Notes which blocks of a day hold which projects; reads those that are not noted yet. */
export const summarizeEventDay = statement.run<[dayIndex: string]>(
  'event-day-summarize',
  'select brin_summarize_new_values($1::text::regclass)',
);

/**
 * Removes from some blocks of `event_ids` those that no event can repeat, not even one that was accepted long ago and
 * still waits for its worker (docs/contract/ingestion.md 3.8).
 */
export async function deleteEventIds(
  database: Queryable,
  blocks: { from: number; to: number },
): Promise<void> {
  await database.query(
    sql('event-ids-remove')`delete from event_ids where ctid >= $1::tid and ctid < $2::tid
        and received_at < (select event_ids_known_from())`,
    [`(${blocks.from},0)`, `(${blocks.to},0)`],
  );
}

/** Removes from some blocks of `suppression_keys` those that no signal and no report had for as long as ids are known. */
export async function deleteSuppressionKeys(
  database: Queryable,
  blocks: { from: number; to: number },
): Promise<void> {
  await database.query(
    sql('suppression-keys-remove')`delete from suppression_keys where ctid >= $1::tid and ctid < $2::tid
        and seen_at < ${COUNTED_UNTIL} - interval '7 days'`,
    [`(${blocks.from},0)`, `(${blocks.to},0)`],
  );
}
