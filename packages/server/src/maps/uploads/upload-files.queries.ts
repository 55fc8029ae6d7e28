import type { MapProblem, MapVerdict } from '@culprit/contract/releases/map-limits';
import type { MapFit, MapProbe } from '@culprit/contract/releases/map-schemas';
import { type BulkColumn, columnLiterals, unnestColumns } from '../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import { baseHash } from '../map-keys.ts';
import type { AnnouncedFile } from './check-upload.ts';
import type { UploadState } from './uploads.queries.ts';

/** A file of an upload with its verdict, as far as there is one. */
export interface UploadFileRow {
  position: number;
  path: string;
  debugId: string | null;
  generated: { sha256: string; sizeBytes: number };
  map: { sha256: string; sizeBytes: number };
  verdict: MapVerdict | null;
  problem: MapProblem | null;
  words: string | null;
  sourceMapId: string | null;
  probe: MapProbe | null;
  fit: MapFit | null;
  attempts: number;
}

const FILE_COLUMNS = [
  ['position', 'integer'],
  ['path', 'text'],
  ['base_hash', 'bigint'],
  ['debug_id', 'uuid'],
  ['generated_sha256', 'text'],
  ['generated_bytes', 'bigint'],
  ['map_sha256', 'text'],
  ['map_bytes', 'bigint'],
] as const satisfies readonly BulkColumn[];

export async function insertFiles(
  transaction: Transaction,
  { projectId, uploadId }: { projectId: string; uploadId: string },
  files: readonly AnnouncedFile[],
): Promise<void> {
  await transaction.query(
    sql(
      'map-upload-files-insert',
    )`insert into map_upload_files (project_id, upload_id, position, path, base_hash, debug_id,
          generated_sha256, generated_bytes, map_sha256, map_bytes)
        select $1, $2, u.position, u.path, u.base_hash, u.debug_id, decode(u.generated_sha256, 'hex'),
          u.generated_bytes, decode(u.map_sha256, 'hex'), u.map_bytes
        from ${unnestColumns(FILE_COLUMNS, 3, 'u')}`,
    [projectId, uploadId, ...columnLiterals(FILE_COLUMNS, files.map(fileColumns))],
  );
}

function fileColumns({ path, debugId, generated, map }: AnnouncedFile, position: number) {
  return {
    position,
    path,
    base_hash: baseHash(path),
    debug_id: debugId,
    generated_sha256: generated.sha256,
    generated_bytes: generated.sizeBytes,
    map_sha256: map.sha256,
    map_bytes: map.sizeBytes,
  };
}

interface RawFile {
  position: number;
  path: string;
  debug_id: string | null;
  generated_sha256: string;
  generated_bytes: number;
  map_sha256: string;
  map_bytes: number;
  verdict: MapVerdict | null;
  problem: MapProblem | null;
  words: string | null;
  source_map_id: string | null;
  probe: MapProbe | null;
  fit: MapFit | null;
  attempts: number;
}

/** The files of an upload in their order. @param unjudged only those without a verdict, at most so many */
export async function findUploadFiles(
  database: Queryable,
  projectId: string,
  uploadId: string,
  unjudged: number | null = null,
): Promise<UploadFileRow[]> {
  const rows = await database.query<RawFile>(
    sql(
      'map-upload-files',
    )`select position, path, debug_id, encode(generated_sha256, 'hex') as generated_sha256, generated_bytes,
          encode(map_sha256, 'hex') as map_sha256, map_bytes, verdict, problem, words, source_map_id, probe, fit, attempts
        from map_upload_files
        where project_id = $1 and upload_id = $2 and ($3::integer is null or verdict is null)
        order by position limit $3`,
    [projectId, uploadId, unjudged],
  );
  return rows.map((row) => ({
    position: row.position,
    path: row.path,
    debugId: row.debug_id,
    generated: { sha256: row.generated_sha256, sizeBytes: row.generated_bytes },
    map: { sha256: row.map_sha256, sizeBytes: row.map_bytes },
    verdict: row.verdict,
    problem: row.problem,
    words: row.words,
    sourceMapId: row.source_map_id,
    probe: row.probe,
    fit: row.fit,
    attempts: row.attempts,
  }));
}

/** The verdict on one file. */
export interface Verdict {
  verdict: MapVerdict;
  problem: MapProblem | null;
  words: string | null;
  sourceMapId: string | null;
  probe: MapProbe | null;
  fit: MapFit | null;
}

export async function setVerdict(
  transaction: Transaction,
  file: { projectId: string; uploadId: string; position: number },
  verdict: Verdict,
): Promise<void> {
  await transaction.query(
    sql(
      'map-upload-verdict',
    )`update map_upload_files set verdict = $4, problem = $5, words = $6, source_map_id = $7, probe = $8, fit = $9
        where project_id = $1 and upload_id = $2 and position = $3`,
    [
      file.projectId,
      file.uploadId,
      file.position,
      verdict.verdict,
      verdict.problem,
      verdict.words,
      verdict.sourceMapId,
      verdict.probe === null ? null : JSON.stringify(verdict.probe),
      verdict.fit === null ? null : JSON.stringify(verdict.fit),
    ],
  );
}

/** Notes that a file is about to be read, so that one at which a process dies is not read for ever. */
export async function countAttempt(
  database: Queryable,
  file: { projectId: string; uploadId: string; position: number },
): Promise<void> {
  await database.query(
    sql('map-upload-attempt')`update map_upload_files set attempts = attempts + 1
        where project_id = $1 and upload_id = $2 and position = $3`,
    [file.projectId, file.uploadId, file.position],
  );
}

/** Parts that came, by hash. */
export async function findParts(
  database: Queryable,
  projectId: string,
  uploadId: string,
): Promise<Map<string, Map<number, string>>> {
  const rows = await database.query<{ sha256: string; part: number; object_key: string }>(
    sql('map-upload-parts')`select encode(sha256, 'hex') as sha256, part, object_key from map_upload_parts
        where project_id = $1 and upload_id = $2`,
    [projectId, uploadId],
  );
  const parts = new Map<string, Map<number, string>>();
  for (const { sha256, part, object_key: key } of rows) {
    const own = parts.get(sha256) ?? new Map<number, string>();
    parts.set(sha256, own.set(part, key));
  }
  return parts;
}

/** Returns the announcement of a hash: its size, and the state of its upload; null for a hash of no file. */
export const findAnnounced = statement.one<
  [projectId: string, uploadId: string, sha256: string],
  { sizeBytes: number | null; state: UploadState }
>(
  'map-upload-announced',
  `select u.state, (select case when f.map_sha256 = decode($3, 'hex') then f.map_bytes else f.generated_bytes end
        from map_upload_files f where f.project_id = u.project_id and f.upload_id = u.upload_id
          and (f.map_sha256 = decode($3, 'hex') or f.generated_sha256 = decode($3, 'hex')) limit 1) as "sizeBytes"
    from map_uploads u where u.project_id = $1 and u.upload_id = $2`,
);

/** Records a stored part of an open upload; the last one that came counts. False when the upload is no longer open. */
export async function insertPart(
  database: Queryable,
  part: { projectId: string; uploadId: string; sha256: string; part: number; objectKey: string },
): Promise<boolean> {
  const rows = await database.query(
    sql('map-upload-part')`with upload as (
          select project_id, upload_id from map_uploads
          where project_id = $1 and upload_id = $2 and state = 'open' for share
        )
        insert into map_upload_parts (project_id, upload_id, sha256, part, object_key)
        select project_id, upload_id, decode($3, 'hex'), $4, $5 from upload
        on conflict (project_id, upload_id, sha256, part) do update set object_key = excluded.object_key
        returning part`,
    [part.projectId, part.uploadId, part.sha256, part.part, part.objectKey],
  );
  return rows.length > 0;
}

/** Notes a part of an upload that the transaction holds. */
export async function insertStoredPart(
  transaction: Transaction,
  part: { projectId: string; uploadId: string; sha256: string; part: number; objectKey: string },
): Promise<void> {
  await transaction.query(
    sql(
      'map-upload-stored-part',
    )`insert into map_upload_parts (project_id, upload_id, sha256, part, object_key)
        values ($1, $2, decode($3, 'hex'), $4, $5)`,
    [part.projectId, part.uploadId, part.sha256, part.part, part.objectKey],
  );
}

export async function setAnnouncedBytes(
  transaction: Transaction,
  { projectId, uploadId }: { projectId: string; uploadId: string },
  sizeBytes: number,
): Promise<void> {
  await transaction.query(
    sql(
      'map-upload-announced-bytes',
    )`update map_uploads set announced_bytes = $3 where project_id = $1 and upload_id = $2`,
    [projectId, uploadId, sizeBytes],
  );
}
