import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DecodedRecord, decodeBatchObject } from '../../src/pipeline/stored-events/batch-object.ts';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from './culprit.ts';

/** An accepted batch as it lies in database and object store. */
interface StoredBatch {
  batchId: string;
  eventCount: number;
  receivedAtMs: number;
  records: DecodedRecord[];
  hasJob: boolean;
}

/**
 * The batches of a project, oldest first, decoded from their files. Throws when an object is missing, damaged or not
 * what its row says.
 */
export async function readStoredBatches(culprit: TestCulprit, projectId: string): Promise<StoredBatch[]> {
  const rows = await culprit.database.query<{
    batch_id: string;
    object_key: string;
    first: number;
    size_bytes: number;
    sha256: Buffer;
    event_count: number;
    received_at: number;
    has_job: boolean;
  }>(
    {
      name: 'test-stored-batches',
      text: `select batch_id, object_key, coalesce(object_offset, 0) as first, size_bytes, sha256, event_count, received_at,
          exists (select from jobs j where j.payload ->> 'batchId' = b.batch_id::text) as has_job
        from batches b where project_id = $1 order by batch_id`,
    },
    [parseId(['proj'], projectId) ?? ''],
  );
  return await Promise.all(
    rows.map(async (row) => {
      const object = await readFile(join(culprit.objectDirectory, row.object_key));
      const bytes = object.subarray(row.first, row.first + row.size_bytes);
      const { records } = await decodeBatchObject(bytes);
      const digest = createHash('sha256').update(bytes).digest();
      if (
        bytes.length !== row.size_bytes ||
        !digest.equals(row.sha256) ||
        records.length !== row.event_count
      ) {
        throw new Error(`object ${row.object_key} is not the one its row describes`);
      }
      return {
        batchId: row.batch_id,
        eventCount: row.event_count,
        receivedAtMs: row.received_at,
        records,
        hasJob: row.has_job,
      };
    }),
  );
}

/** Files of raw objects of a project, whether a row names them or not. */
export async function listRawObjects(culprit: TestCulprit, projectId: string): Promise<string[]> {
  const folder = join(culprit.objectDirectory, 'raw', parseId(['proj'], projectId) ?? '');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Title and occurrence count of each incident of a project, by title. */
export async function readOccurrences(
  culprit: TestCulprit,
  projectId: string,
): Promise<{ title: string; occurrences: number }[]> {
  return await culprit.database.query<{ title: string; occurrences: number }>(
    {
      name: 'test-occurrences',
      text: `select title, occurrence_count as occurrences from incidents
        where project_id = $1 order by title collate "C"`,
    },
    [parseId(['proj'], projectId) ?? ''],
  );
}
