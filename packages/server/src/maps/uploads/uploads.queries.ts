import type { MapProblem, MapVerdict } from '@culprit/contract/releases/map-limits';
import type { MapFit, MapProbe } from '@culprit/contract/releases/source-maps';
import { type BulkColumn, columnLiterals, unnestColumns } from '../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, statement } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import { baseHash } from '../map-keys.ts';
import { MAPS_LANE, READ_MAP_UPLOAD } from '../maps.jobs.ts';
import type { AnnouncedFile, Announcement } from './check-upload.ts';

/** Statements on uploads of source maps and their files. */

export type UploadState = 'open' | 'processing' | 'done' | 'expired';

export interface UploadRow {
  uploadId: string;
  userId: string | null;
  email: string | null;
  release: string | null;
  state: UploadState;
  via: 'api' | 'sentry';
  createdAtMs: number;
  finishedAtMs: number | null;
  counts: Partial<Record<MapVerdict, number>>;
  /** It is an archive that is still to be unpacked. */
  isPacked: boolean;
  /** Why its archive could not be read. */
  problem: string | null;
}

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

/** The open upload of a person that announced the same. */
export const findOpenUpload = inTransaction.value<
  [projectId: string, userId: string, manifestHash: Buffer],
  string | null
>(
  'map-upload-open',
  `select upload_id from map_uploads
    where project_id = $1 and user_id = $2 and manifest_hash = $3 and state = 'open'
    order by created_at desc limit 1`,
  null,
);

/** Returns the number of open uploads, and the bytes that all unfinished ones announced. */
export async function countOpenUploads(
  transaction: Transaction,
  projectId: string,
): Promise<{ open: number; announcedBytes: number }> {
  const [row] = await transaction.query<{ open: number; announced: number }>(
    {
      name: 'map-uploads-open-count',
      text: `select count(*) filter (where state = 'open') as open,
          coalesce(sum(announced_bytes), 0)::bigint as announced
        from map_uploads where project_id = $1 and state in ('open', 'processing')`,
    },
    [projectId],
  );
  return { open: row?.open ?? 0, announcedBytes: row?.announced ?? 0 };
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

export async function insertUpload(
  transaction: Transaction,
  upload: { projectId: string; uploadId: string; userId: string; via: UploadRow['via'] },
  { release, sizeBytes, manifestHash }: Announcement,
): Promise<void> {
  const { projectId, uploadId, userId, via } = upload;
  await transaction.query(
    {
      name: 'map-upload-insert',
      text: `insert into map_uploads (project_id, upload_id, user_id, release, state, via, manifest_hash, announced_bytes)
        values ($1, $2, $3, $4, 'open', $5, $6, $7)`,
    },
    [projectId, uploadId, userId, release, via, manifestHash, sizeBytes],
  );
}

export async function insertFiles(
  transaction: Transaction,
  { projectId, uploadId }: { projectId: string; uploadId: string },
  files: readonly AnnouncedFile[],
): Promise<void> {
  await transaction.query(
    {
      name: 'map-upload-files-insert',
      text: `insert into map_upload_files (project_id, upload_id, position, path, base_hash, debug_id,
          generated_sha256, generated_bytes, map_sha256, map_bytes)
        select $1, $2, u.position, u.path, u.base_hash, u.debug_id, decode(u.generated_sha256, 'hex'),
          u.generated_bytes, decode(u.map_sha256, 'hex'), u.map_bytes
        from ${unnestColumns(FILE_COLUMNS, 3, 'u')}`,
    },
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

const UPLOAD_COLUMNS = `u.upload_id, u.user_id, p.email, u.release, u.state, u.via, u.created_at, u.finished_at,
  u.archive_chunks is not null as is_packed, u.problem,
  (select coalesce(jsonb_object_agg(c.verdict, c.files), '{}') from (
    select f.verdict, count(*) as files from map_upload_files f
    where f.project_id = u.project_id and f.upload_id = u.upload_id and f.verdict is not null
    group by f.verdict) c) as counts`;

interface RawUpload {
  upload_id: string;
  user_id: string | null;
  email: string | null;
  release: string | null;
  state: UploadState;
  via: UploadRow['via'];
  created_at: number;
  finished_at: number | null;
  counts: Partial<Record<MapVerdict, number>>;
  is_packed: boolean;
  problem: string | null;
}

function uploadOf(row: RawUpload): UploadRow {
  return {
    uploadId: row.upload_id,
    userId: row.user_id,
    email: row.email,
    release: row.release,
    state: row.state,
    via: row.via,
    createdAtMs: row.created_at,
    finishedAtMs: row.finished_at,
    counts: row.counts,
    isPacked: row.is_packed,
    problem: row.problem,
  };
}

export const findUpload = statement.one<[projectId: string, uploadId: string], RawUpload, UploadRow>(
  'map-upload',
  `select ${UPLOAD_COLUMNS} from map_uploads u left join users p on p.user_id = u.user_id
    where u.project_id = $1 and u.upload_id = $2`,
  uploadOf,
);

/** A page of the uploads of the last days, newest first. */
export async function listUploadRows(
  database: Queryable,
  projectId: string,
  days: number,
  page: readonly [Date | null, string | null, number],
): Promise<UploadRow[]> {
  const rows = await database.query<RawUpload>(
    {
      name: 'map-uploads-list',
      text: `select ${UPLOAD_COLUMNS} from map_uploads u left join users p on p.user_id = u.user_id
        where u.project_id = $1 and u.created_at > culprit_now() - make_interval(days => $2)
          and ($3::timestamptz is null or (u.created_at, u.upload_id) < ($3, $4::uuid))
        order by u.created_at desc, u.upload_id desc limit $5`,
    },
    [projectId, days, ...page],
  );
  return rows.map(uploadOf);
}

/** Locks an upload; null when it is not there. */
export const lockUpload = inTransaction.value<[projectId: string, uploadId: string], UploadState | null>(
  'map-upload-lock',
  'select state from map_uploads where project_id = $1 and upload_id = $2 for update',
  null,
);

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
    {
      name: 'map-upload-files',
      text: `select position, path, debug_id, encode(generated_sha256, 'hex') as generated_sha256, generated_bytes,
          encode(map_sha256, 'hex') as map_sha256, map_bytes, verdict, problem, words, source_map_id, probe, fit, attempts
        from map_upload_files
        where project_id = $1 and upload_id = $2 and ($3::integer is null or verdict is null)
        order by position limit $3`,
    },
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
    {
      name: 'map-upload-verdict',
      text: `update map_upload_files set verdict = $4, problem = $5, words = $6, source_map_id = $7, probe = $8, fit = $9
        where project_id = $1 and upload_id = $2 and position = $3`,
    },
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
    {
      name: 'map-upload-attempt',
      text: `update map_upload_files set attempts = attempts + 1
        where project_id = $1 and upload_id = $2 and position = $3`,
    },
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
    {
      name: 'map-upload-parts',
      text: `select encode(sha256, 'hex') as sha256, part, object_key from map_upload_parts
        where project_id = $1 and upload_id = $2`,
    },
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
  { size_bytes: number | null; state: UploadState },
  { sizeBytes: number | null; state: UploadState }
>(
  'map-upload-announced',
  `select u.state, (select case when f.map_sha256 = decode($3, 'hex') then f.map_bytes else f.generated_bytes end
        from map_upload_files f where f.project_id = u.project_id and f.upload_id = u.upload_id
          and (f.map_sha256 = decode($3, 'hex') or f.generated_sha256 = decode($3, 'hex')) limit 1) as size_bytes
    from map_uploads u where u.project_id = $1 and u.upload_id = $2`,
  (row) => ({ sizeBytes: row.size_bytes, state: row.state }),
);

/** Records a stored part of an open upload; the last one that came counts. False when the upload is no longer open. */
export async function insertPart(
  database: Queryable,
  part: { projectId: string; uploadId: string; sha256: string; part: number; objectKey: string },
): Promise<boolean> {
  const rows = await database.query(
    {
      name: 'map-upload-part',
      text: `with upload as (
          select project_id, upload_id from map_uploads
          where project_id = $1 and upload_id = $2 and state = 'open' for share
        )
        insert into map_upload_parts (project_id, upload_id, sha256, part, object_key)
        select project_id, upload_id, decode($3, 'hex'), $4, $5 from upload
        on conflict (project_id, upload_id, sha256, part) do update set object_key = excluded.object_key
        returning part`,
    },
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
    {
      name: 'map-upload-stored-part',
      text: `insert into map_upload_parts (project_id, upload_id, sha256, part, object_key)
        values ($1, $2, decode($3, 'hex'), $4, $5)`,
    },
    [part.projectId, part.uploadId, part.sha256, part.part, part.objectKey],
  );
}

export async function setAnnouncedBytes(
  transaction: Transaction,
  { projectId, uploadId }: { projectId: string; uploadId: string },
  sizeBytes: number,
): Promise<void> {
  await transaction.query(
    {
      name: 'map-upload-announced-bytes',
      text: 'update map_uploads set announced_bytes = $3 where project_id = $1 and upload_id = $2',
    },
    [projectId, uploadId, sizeBytes],
  );
}

/** Hands an upload over to the lane that reads it. */
export async function queueUpload(
  transaction: Transaction,
  projectId: string,
  uploadId: string,
): Promise<void> {
  await transaction.query(QUEUE_UPLOAD, [projectId, uploadId]);
}

const QUEUE_UPLOAD = {
  name: 'map-upload-queue',
  text: `with queued as (
      ${enqueue({
        job: { lane: MAPS_LANE, kind: READ_MAP_UPLOAD },
        fairnessKey: '$1::uuid',
        key: '$2::text',
        payload: `jsonb_build_object('uploadId', $2::text)`,
        whenQueued: 'stays',
      })}
    ), processing as (
      update map_uploads set state = 'processing' where project_id = $1 and upload_id = $2::uuid
    )
    ${WAKE_QUEUED}`,
};

/** Ends an upload whose files all have a verdict; its parts go. True when it ended just now. */
export const endUpload = inTransaction.exists<[projectId: string, uploadId: string, folder: string]>(
  'map-upload-end',
  `with ended as (
      update map_uploads u set state = 'done', finished_at = culprit_now()
      where u.project_id = $1 and u.upload_id = $2 and u.state in ('open', 'processing')
        and not exists (select from map_upload_files f
          where f.project_id = $1 and f.upload_id = $2 and f.verdict is null)
      returning u.upload_id
    ), parts as (
      delete from map_upload_parts p using ended where p.project_id = $1 and p.upload_id = ended.upload_id
    ), marked as (
      insert into object_tombstones (object_key, project_id) select $3 || '/', $1 from ended on conflict do nothing
    )
    select upload_id from ended`,
);
