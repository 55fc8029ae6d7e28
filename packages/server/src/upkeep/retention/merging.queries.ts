import { columnLiterals, unnestColumns } from '../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';

/** Statements that put small raw objects together. */

/** A span of receipt, in milliseconds since the epoch; the end is not in it. */
export interface Span {
  fromMs: number;
  untilMs: number;
}

export interface ListedBatch {
  batchId: string;
  objectKey: string;
  sizeBytes: number;
  sha256: Buffer;
  receivedAtMs: number;
  canMove: boolean;
}

/**
 * The time for which the objects that a merge replaced stay: longer than a backup copies objects whose rows it read
 * before, and long enough to go back to a copy of the database alone (docs/operations.md).
 */
const REST = '3 days';

/**
 * Up to `limit` batches with objects of their own that were received in the span behind `after`, in order. `canMove`: it
 * was counted whole.
 */
export async function listBatches(
  database: Queryable,
  projectId: string,
  span: Span,
  after: ListedBatch | null,
  limit: number,
): Promise<ListedBatch[]> {
  return await database.query<ListedBatch>(
    sql(
      'merging-batches',
    )`select batch_id as "batchId", object_key as "objectKey", size_bytes as "sizeBytes", sha256,
          received_at as "receivedAtMs",
          processed_at is not null and split_at is null as "canMove"
        from batches
        where project_id = $1 and received_at >= $2 and received_at < $3 and object_offset is null
          and (received_at, batch_id) > ($2::timestamptz, coalesce($4::uuid, '00000000-0000-0000-0000-000000000000'))
        order by received_at, batch_id limit $5`,
    [
      projectId,
      new Date(after?.receivedAtMs ?? span.fromMs),
      new Date(span.untilMs),
      after?.batchId ?? null,
      limit,
    ],
  );
}

/**
 * Reserves the key of an object that is about to be stored by marking it for deletion in advance: if the process that
 * stores it dies before a row names it, it is deleted automatically.
 */
export async function reserveObject(
  transaction: Transaction,
  projectId: string,
  objectKey: string,
): Promise<void> {
  await transaction.query(
    sql('merging-reserve')`insert into object_tombstones (object_key, project_id, created_at)
        values ($1, $2, culprit_now() + interval '${REST}')`,
    [objectKey, projectId],
  );
}

/** Ends the reservation; false when it is so old that the object may be on its way out. */
export const commitReservation = inTransaction.exists<[objectKey: string]>(
  'merging-commit',
  'delete from object_tombstones where object_key = $1 and created_at > culprit_now() returning object_key',
);

const MOVED_COLUMNS = [
  ['batch_id', 'uuid'],
  ['object_key', 'text'],
  ['object_offset', 'integer'],
] as const;

/**
 * Lets batches name their place in a merged object, and marks their own objects for deletion; those that are gone or
 * moved stay so. Returns how many moved.
 */
export async function moveBatches(
  transaction: Transaction,
  projectId: string,
  mergedKey: string,
  places: readonly { batch: ListedBatch; offset: number }[],
): Promise<number> {
  const rows = places.map(({ batch, offset }) => ({
    batch_id: batch.batchId,
    object_key: batch.objectKey,
    object_offset: offset,
  }));
  const moved = await transaction.query(
    sql('merging-move')`
        with moved as (
          update batches b set object_key = $2, object_offset = m.object_offset
          from ${unnestColumns(MOVED_COLUMNS, 3, 'm')}
          where b.batch_id = m.batch_id and b.object_key = m.object_key
          returning m.object_key
        )
        insert into object_tombstones (object_key, project_id, created_at)
        select object_key, $1, culprit_now() + interval '${REST}' from moved
        returning object_key`,
    [projectId, mergedKey, ...columnLiterals(MOVED_COLUMNS, rows)],
  );
  return moved.length;
}

/** Writes down that the raw objects received before a moment were looked at. */
export async function recordRawMerged(
  database: Queryable,
  projectId: string,
  untilMs: number,
): Promise<void> {
  await database.query(sql('merging-note')`update projects set raw_merged_until = $2 where project_id = $1`, [
    projectId,
    new Date(untilMs),
  ]);
}
