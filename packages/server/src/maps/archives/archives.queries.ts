import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import type { UploadState } from '../uploads/uploads.queries.ts';

/** Statements on uploads that came as archives. */

interface NewArchive {
  projectId: string;
  uploadId: string;
  userId: string;
  release: string | null;
  checksum: string;
  chunks: readonly string[];
  sizeBytes: number;
}

export async function insertArchive(transaction: Transaction, archive: NewArchive): Promise<void> {
  await transaction.query(
    sql('map-archive-insert')`insert into map_uploads
          (project_id, upload_id, user_id, release, state, via, manifest_hash, announced_bytes, archive_chunks)
        select $1, $2, $3, $4, 'open', 'sentry', decode($5, 'hex'), $6,
          (select array_agg(decode(h, 'hex') order by place) from unnest($7::text[]) with ordinality as c (h, place))`,
    [
      archive.projectId,
      archive.uploadId,
      archive.userId,
      archive.release,
      archive.checksum,
      archive.sizeBytes,
      [...archive.chunks],
    ],
  );
}

/** Minutes for which the end of an archive is the answer to the same archive. */
const ANSWERED_MINUTES = 10;

/** The archive of these bytes that is being read or was just read, and what is wrong with it. */
export async function findArchive(
  database: Queryable,
  projectId: string,
  { checksum, release }: { checksum: string; release: string | null },
): Promise<{ state: UploadState; faults: string[] } | null> {
  const [row] = await database.query<{ state: UploadState; faults: string[] }>(
    sql('map-archive')`select u.state, case when u.problem is not null then array[u.problem] else array(
            select f.words from map_upload_files f where f.project_id = u.project_id and f.upload_id = u.upload_id
              and f.verdict = 'refused' order by f.position limit 4) end as faults
        from map_uploads u
        where u.project_id = $1 and u.created_at > culprit_now() - interval '1 day' and u.via = 'sentry'
          and u.manifest_hash = decode($2, 'hex') and u.release is not distinct from $3
          and (u.state = 'processing' or u.finished_at > culprit_now() - interval '${ANSWERED_MINUTES} minutes')
        order by u.created_at desc limit 1`,
    [projectId, checksum, release],
  );
  return row ?? null;
}

/** Returns the number of archives of a project that are being read. */
export const countArchives = inTransaction.value<[projectId: string], number>(
  'map-archives-count',
  `select count(*) as archives from map_uploads
    where project_id = $1 and created_at > culprit_now() - interval '1 day' and via = 'sentry'
      and state = 'processing'`,
  0,
);

/** Says why an archive cannot be read. */
export const setProblem = inTransaction.run<[projectId: string, uploadId: string, problem: string]>(
  'map-archive-problem',
  'update map_uploads set problem = $3 where project_id = $1 and upload_id = $2',
);
