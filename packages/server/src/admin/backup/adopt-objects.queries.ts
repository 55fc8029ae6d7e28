import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';

/** Statements by which rows and objects are compared after a restore. */

/** Projects that are there and not deleted. */
export async function listLiveProjects(database: Queryable): Promise<Set<string>> {
  const rows = await database.query<{ project_id: string }>(
    sql('adopt-projects')`select project_id from projects where deleted_at is null`,
  );
  return new Set(rows.map((row) => row.project_id));
}

/**
 * Returns true if a row names the object, or the batch that was stored under that key before it was merged with others.
 */
export async function isKnownObject(
  database: Queryable,
  { key, id }: { key: string; id: string },
): Promise<boolean> {
  const rows = await database.query(
    sql('adopt-known-object')`select from batches where batch_id = $2
        union all select from batches where object_key = $1 and object_offset is not null limit 1`,
    [key, id],
  );
  return rows.length > 0;
}

/** Returns the ends of the batches that rows know in an object that they share, in ascending order. */
export const listKnownEnds = statement.many<[key: string], { end_bytes: number }, number>(
  'adopt-known-ends',
  `select object_offset + size_bytes as end_bytes from batches
    where object_key = $1 and object_offset is not null order by 1`,
  (row) => row.end_bytes,
);

/** Which of these contents, as SHA-256, belong to batches of a project that were received at these moments. */
export async function findKnownContents(
  database: Queryable,
  projectId: string,
  contents: readonly Buffer[],
  receivedAtMs: readonly number[],
): Promise<Set<string>> {
  const rows = await database.query<{ sha256: string }>(
    sql('adopt-known-contents')`select encode(sha256, 'hex') as sha256 from batches
        where project_id = $1 and sha256 = any ($2::bytea[])
          and received_at between $3::timestamptz and $4::timestamptz`,
    [projectId, [...contents], new Date(Math.min(...receivedAtMs)), new Date(Math.max(...receivedAtMs))],
  );
  return new Set(rows.map((row) => row.sha256));
}

/** A batch that is still to be processed, or some of its events. */
interface WaitingBatch {
  batchId: string;
  objectKey: string;
}

/** Up to `limit` of them behind one, in the order of their ids. */
export const listWaitingBatches = statement.many<[afterBatchId: string, limit: number], WaitingBatch>(
  'adopt-waiting-batches',
  `select b.batch_id as "batchId", b.object_key as "objectKey"
    from batches b join projects p on p.project_id = b.project_id and p.deleted_at is null
    where b.processed_at is null and b.batch_id > $1 order by b.batch_id limit $2`,
);

/** Ends the jobs of a batch, so that it is no longer processed as a whole. */
export async function endBatch(transaction: Transaction, batchId: string): Promise<void> {
  await transaction.query(
    sql('adopt-batch-jobs-delete')`delete from jobs where lane = 'events' and payload ->> 'batchId' = $1`,
    [batchId],
  );
  await transaction.query(
    sql(
      'adopt-batch-split',
    )`update batches set split_at = coalesce(split_at, culprit_now()) where batch_id = $1`,
    [batchId],
  );
}
