import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';

/** Statements on chunks of archives, which belong to the person who uploads them. */

interface Chunk {
  sha1: string;
  bytes: Buffer;
}

/** Returns the number and size of a person's chunks. */
export async function findChunkUsage(
  database: Queryable,
  userId: string,
): Promise<{ chunks: number; sizeBytes: number }> {
  const [row] = await database.query<{ chunks: number; size_bytes: number }>(
    sql('map-chunks-usage')`select count(*) as chunks, coalesce(sum(size_bytes), 0)::bigint as size_bytes
        from map_chunks where user_id = $1`,
    [userId],
  );
  return { chunks: row?.chunks ?? 0, sizeBytes: row?.size_bytes ?? 0 };
}

export async function insertChunk(
  database: Queryable,
  userId: string,
  { sha1, bytes }: Chunk,
): Promise<void> {
  await database.query(
    sql(
      'map-chunk-insert',
    )`insert into map_chunks (user_id, sha1, bytes, size_bytes) values ($1, decode($2, 'hex'), $3, $4)
        on conflict (user_id, sha1) do update set created_at = culprit_now()`,
    [userId, sha1, bytes, bytes.length],
  );
}

/** Those of the chunks that are there, with their sizes; from now on they are as if they had just come. */
export async function holdChunks(
  transaction: Transaction,
  userId: string,
  hashes: readonly string[],
): Promise<Map<string, number>> {
  const rows = await transaction.query<{ sha1: string; size_bytes: number }>(
    sql('map-chunks-hold')`update map_chunks set created_at = culprit_now()
        where user_id = $1 and sha1 in (select decode(h, 'hex') from unnest($2::text[]) as h)
        returning encode(sha1, 'hex') as sha1, size_bytes`,
    [userId, [...hashes]],
  );
  return new Map(rows.map(({ sha1, size_bytes }) => [sha1, size_bytes]));
}

/** The chunks of an archive that is still to be unpacked, in its order; null without one. */
export async function findArchiveChunks(
  database: Queryable,
  projectId: string,
  uploadId: string,
): Promise<{ sha1: string; sizeBytes: number | null }[] | null> {
  const rows = await database.query<{ sha1: string; size_bytes: number | null }>(
    sql('map-upload-chunks')`select encode(a.sha1, 'hex') as sha1, c.size_bytes
        from map_uploads u cross join unnest(u.archive_chunks) with ordinality as a (sha1, place)
        left join map_chunks c on c.user_id = u.user_id and c.sha1 = a.sha1
        where u.project_id = $1 and u.upload_id = $2 order by a.place`,
    [projectId, uploadId],
  );
  return rows.length === 0 ? null : rows.map(({ sha1, size_bytes }) => ({ sha1, sizeBytes: size_bytes }));
}

export const findChunk = statement.value<[userId: string, sha1: string], Buffer | null>(
  'map-chunk',
  `select bytes from map_chunks where user_id = $1 and sha1 = decode($2, 'hex')`,
  null,
);

/** Ends what an upload had packed; chunks that no other upload waits for go. */
export const releaseChunks = inTransaction.run<[projectId: string, uploadId: string]>(
  'map-upload-unpacked',
  `with packed as (
          select user_id, archive_chunks, created_at from map_uploads where project_id = $1 and upload_id = $2
        ), gone as (
          delete from map_chunks c using packed p
          where c.user_id = p.user_id and c.sha1 = any (p.archive_chunks) and c.created_at <= p.created_at
            and not exists (select from map_uploads o where o.user_id = p.user_id and o.upload_id <> $2
              and o.archive_chunks is not null and c.sha1 = any (o.archive_chunks))
        )
        update map_uploads set archive_chunks = null where project_id = $1 and upload_id = $2`,
);
