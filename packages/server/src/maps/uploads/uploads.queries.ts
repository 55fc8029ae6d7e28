import type { MapVerdict } from '@culprit/contract/releases/map-limits';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import { MAPS_LANE, READ_MAP_UPLOAD } from '../maps.jobs.ts';
import type { Announcement } from './check-upload.ts';

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
    sql('map-uploads-open-count')`select count(*) filter (where state = 'open') as open,
          coalesce(sum(announced_bytes), 0)::bigint as announced
        from map_uploads where project_id = $1 and state in ('open', 'processing')`,
    [projectId],
  );
  return { open: row?.open ?? 0, announcedBytes: row?.announced ?? 0 };
}

export async function insertUpload(
  transaction: Transaction,
  upload: { projectId: string; uploadId: string; userId: string; via: UploadRow['via'] },
  { release, sizeBytes, manifestHash }: Announcement,
): Promise<void> {
  const { projectId, uploadId, userId, via } = upload;
  await transaction.query(
    sql(
      'map-upload-insert',
    )`insert into map_uploads (project_id, upload_id, user_id, release, state, via, manifest_hash, announced_bytes)
        values ($1, $2, $3, $4, 'open', $5, $6, $7)`,
    [projectId, uploadId, userId, release, via, manifestHash, sizeBytes],
  );
}

const UPLOAD_COLUMNS = `u.upload_id as "uploadId", u.user_id as "userId", p.email, u.release, u.state, u.via,
  u.created_at as "createdAtMs", u.finished_at as "finishedAtMs", u.archive_chunks is not null as "isPacked", u.problem,
  (select coalesce(jsonb_object_agg(c.verdict, c.files), '{}') from (
    select f.verdict, count(*) as files from map_upload_files f
    where f.project_id = u.project_id and f.upload_id = u.upload_id and f.verdict is not null
    group by f.verdict) c) as counts`;

export const findUpload = statement.one<[projectId: string, uploadId: string], UploadRow>(
  'map-upload',
  `select ${UPLOAD_COLUMNS} from map_uploads u left join users p on p.user_id = u.user_id
    where u.project_id = $1 and u.upload_id = $2`,
);

/** A page of the uploads of the last days, newest first. */
export async function listUploadRows(
  database: Queryable,
  projectId: string,
  days: number,
  page: readonly [Date | null, string | null, number],
): Promise<UploadRow[]> {
  return await database.query<UploadRow>(
    sql(
      'map-uploads-list',
    )`select ${UPLOAD_COLUMNS} from map_uploads u left join users p on p.user_id = u.user_id
        where u.project_id = $1 and u.created_at > culprit_now() - make_interval(days => $2)
          and ($3::timestamptz is null or (u.created_at, u.upload_id) < ($3, $4::uuid))
        order by u.created_at desc, u.upload_id desc limit $5`,
    [projectId, days, ...page],
  );
}

/** Locks an upload; null when it is not there. */
export const lockUpload = inTransaction.value<[projectId: string, uploadId: string], UploadState | null>(
  'map-upload-lock',
  'select state from map_uploads where project_id = $1 and upload_id = $2 for update',
  null,
);

/** Hands an upload over to the lane that reads it. */
export async function queueUpload(
  transaction: Transaction,
  projectId: string,
  uploadId: string,
): Promise<void> {
  await transaction.query(QUEUE_UPLOAD, [projectId, uploadId]);
}

const QUEUE_UPLOAD = sql('map-upload-queue')`with queued as (
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
    ${WAKE_QUEUED}`;

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
