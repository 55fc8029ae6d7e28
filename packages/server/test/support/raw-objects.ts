import { createHash } from 'node:crypto';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import type { TestCulprit } from './culprit.ts';

/** Where the raw events of a project lie. */
export interface RawObjects {
  /** Keys of the objects by batch, in the order of receipt. */
  keys: string[];
  /** Batches whose bytes are not those that were accepted. */
  broken: string[];
  /** Keys of all raw objects of the project, whoever names them, in order. */
  files: string[];
}

/** Reads the bytes of every batch of a project, and looks at what lies in its folder. */
export async function readRawObjects(culprit: TestCulprit, projectId: string): Promise<RawObjects> {
  const objects = await openObjectStore(culprit.objectStore);
  const batches = await culprit.database.query<{
    batch_id: string;
    object_key: string;
    first: number;
    size_bytes: number;
    sha256: Buffer;
  }>(
    {
      name: 'test-raw-objects',
      text: `select batch_id, object_key, coalesce(object_offset, 0) as first, size_bytes, sha256
        from batches where project_id = $1 order by received_at, batch_id`,
    },
    [projectId],
  );
  const broken: string[] = [];
  for (const { batch_id, object_key, first, size_bytes, sha256 } of batches) {
    const bytes = await objects.getRange(object_key, first, size_bytes).catch(() => Buffer.alloc(0));
    if (!createHash('sha256').update(bytes).digest().equals(sha256)) broken.push(batch_id);
  }
  const files: string[] = [];
  for await (const key of objects.list(`raw/${projectId}`)) files.push(key);
  return { keys: batches.map((batch) => batch.object_key), broken, files: files.sort() };
}
