import { EVENTS_LANE } from '../../pipeline/incidents/processing/incidents.jobs.ts';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import type { PlanRecord } from '../../workspace/billing/plan-in-force.ts';
import { PLAN_COLUMNS, type PlanRow, planRecordOf } from '../../workspace/billing/plan-records.queries.ts';
import { CLEAN_PROJECT, RETENTION_LANE } from './retention.jobs.ts';

/** Statements over what a project keeps: when it is cleaned, and its objects. */

/** The interval at which a project is cleaned (docs/contract/incidents.md 8). */
const INTERVAL = '1 h';
/** Projects queued at a time. */
const QUEUED_MAX = 500;

/** Queues the projects whose time has come, some at a time; true when there may be more. */
export async function queueDueProjects(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ queued: number; woken: number }>(QUEUE_DUE, [QUEUED_MAX]);
  return row?.queued === QUEUED_MAX;
}

const QUEUE_DUE = sql('retention-queue')`
    with due as (
      select project_id from projects where deleted_at is null and retention_due_at <= (select culprit_now())
      order by retention_due_at limit $1 for key share skip locked
    ), queued as (${enqueue({
      job: { lane: RETENTION_LANE, kind: CLEAN_PROJECT },
      fairnessKey: 'due.project_id',
      key: 'due.project_id::text',
      from: 'from due',
      whenQueued: 'stays',
    })}), woken as materialized (${WAKE_QUEUED})
    select (select count(*) from queued) as queued, (select count(*) from woken) as woken`;

/** A live project as its cleaning begins. Times are milliseconds since the epoch. */
export interface RetentionTarget {
  planRecord: PlanRecord;
  nowMs: number;
  /** Everything received before this moment has been counted: now, or when the oldest waiting batch was accepted. */
  countedUntilMs: number;
  /** UTC day, `2026-03-24`. */
  rawKeptFrom: string;
  /** Raw objects received from here on may have to be merged. */
  rawMergedUntilMs: number;
  eventsKeptFromMs: number | null;
}

/** Null when the project is gone. */
export const findRetentionTarget = statement.one<
  [projectId: string],
  PlanRow & {
    now: number;
    counted_until: number;
    raw_kept_from: string;
    raw_merged_until: number;
    events_kept_from: number | null;
  },
  RetentionTarget
>(
  'retention-project',
  `select ${PLAN_COLUMNS}, culprit_now() as now, p.raw_kept_from::text as raw_kept_from,
      greatest(p.raw_merged_until, p.raw_kept_from::timestamp at time zone 'UTC') as raw_merged_until, p.events_kept_from,
      coalesce((select least(culprit_now(), min(j.created_at)) - interval '1 min' from jobs j
        where j.lane = '${EVENTS_LANE}' and j.fairness_key = p.project_id), culprit_now()) as counted_until
    from projects p join organizations o on o.organization_id = p.organization_id
    where p.project_id = $1 and p.deleted_at is null`,
  (row) => ({
    planRecord: planRecordOf(row),
    nowMs: row.now,
    countedUntilMs: row.counted_until,
    rawKeptFrom: row.raw_kept_from,
    rawMergedUntilMs: row.raw_merged_until,
    eventsKeptFromMs: row.events_kept_from,
  }),
);

/** Keeps a project from being deleted until the transaction ends; false when it is deleted already. */
export const lockSharedProject = inTransaction.exists<[projectId: string]>(
  'retention-hold',
  'select 1 from projects where project_id = $1 and deleted_at is null for key share',
);

/** Writes down how far the cleaning came, and when the next one is due. */
export async function recordCleaned(
  transaction: Transaction,
  projectId: string,
  eventsKeptFromMs: number,
): Promise<void> {
  await transaction.query(
    sql(
      'retention-cleaned',
    )`update projects set retention_due_at = culprit_now() + interval '${INTERVAL}', events_kept_from = $2
        where project_id = $1 and deleted_at is null`,
    [projectId, new Date(eventsKeptFromMs)],
  );
}

/**
 * Removes up to `limit` batches received before a moment, with the marks and dead letters of their events, and marks
 * their objects, a shared one with the last of its batches. A batch that still waits for its worker stays, and one
 * that was counted late until its bundles had the time to be built. Returns how many went.
 */
export async function deleteBatches(
  transaction: Transaction,
  projectId: string,
  receivedBeforeMs: number,
  limit: number,
): Promise<number> {
  const [row] = await transaction.query<{ removed: number }>(
    {
      name: 'retention-batches',
      text: batchDeletion(`
          select b.batch_id, b.object_key, b.object_offset from batches b
          where b.project_id = $1 and b.received_at < $2 and (b.processed_at < culprit_now() - interval '1 h'
            or b.split_at is not null and exists (
              select from batch_parts p where p.batch_id = b.batch_id
              having count(*) >= b.event_count and max(p.processed_at) < culprit_now() - interval '1 h'))
          order by b.received_at limit $3 for update skip locked`),
    },
    [projectId, new Date(receivedBeforeMs), limit],
  );
  return row?.removed ?? 0;
}

/** Removes a batch that no worker will read again, like those of `deleteBatches`. */
export const deleteBatch = inTransaction.value<[projectId: string, batchId: string], number>(
  'retention-batch',
  batchDeletion(`
          select b.batch_id, b.object_key, b.object_offset from batches b
          where b.project_id = $1 and b.batch_id = $2 for update`),
  0,
);

/** @param old selects the locked batches of the project `$1` */
function batchDeletion(old: string): string {
  return `
        with old as (${old}
        ), marked as (
          insert into object_tombstones (object_key, project_id)
          select object_key, $1::uuid
          from (select distinct object_key, object_offset is null as is_own from old) o
          where is_own or not exists (
            select from batches b where b.object_key = o.object_key and b.object_offset is not null
              and b.batch_id not in (select batch_id from old))
          on conflict do nothing
        ), parts as (
          delete from batch_parts p using old where p.batch_id = old.batch_id
        ), letters as (
          delete from dead_letters d using old where d.batch_id = old.batch_id
        ), gone as (
          delete from batches b using old where b.batch_id = old.batch_id
        )
        select count(*) as removed from old`;
}

/** Cleans a project soon, whenever it is due. */
export const queueCleaning = inTransaction.send<[projectId: string]>(
  'retention-queue-project',
  enqueue({
    job: { lane: RETENTION_LANE, kind: CLEAN_PROJECT },
    fairnessKey: '$1::uuid',
    key: '$1::uuid::text',
    whenQueued: 'stays',
  }),
);

/**
 * Returns true if a batch of the project was received on a UTC day, so that the day's folder has an object that is
 * needed.
 */
export const hasBatchesOfDay = statement.exists<[projectId: string, day: string]>(
  'retention-day-batches',
  `select 1 from batches where project_id = $1 and received_at >= $2::date::timestamp at time zone 'UTC'
    and received_at < ($2::date + 1)::timestamp at time zone 'UTC' limit 1`,
);

/** Writes down that the raw folders of all days before this one are empty. */
export const recordRawKeptFrom = statement.run<[projectId: string, day: string]>(
  'retention-raw-kept',
  'update projects set raw_kept_from = $2 where project_id = $1',
);

/** Objects and folders of a project that were marked for deletion long enough ago for everybody who found their rows to be done. */
export const findMarkedObjects = statement.many<
  [projectId: string, restSeconds: number, limit: number],
  { object_key: string },
  string
>(
  'retention-marked-objects',
  `select object_key from object_tombstones
    where project_id = $1 and created_at < (select culprit_now()) - make_interval(secs => $2)
    order by created_at limit $3`,
  (row) => row.object_key,
);

/** Objects and folders that were marked for deletion, of projects that are gone. */
export const findMarkedWithoutProject = statement.many<[limit: number], { object_key: string }, string>(
  'retention-marked-without-project',
  `select t.object_key from object_tombstones t
    where not exists (select from projects p where p.project_id = t.project_id) limit $1`,
  (row) => row.object_key,
);

/** The objects are gone. */
export const deleteObjectTombstones = statement.run<[objectKeys: readonly string[]]>(
  'retention-object-tombstones',
  'delete from object_tombstones where object_key = any ($1::text[])',
);
