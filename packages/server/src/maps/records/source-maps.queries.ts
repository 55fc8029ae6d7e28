import type { MapRemoval } from '@culprit/contract/releases/map-limits';
import type { MapProbe } from '@culprit/contract/releases/map-schemas';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import type { RecordTable } from '../../workspace/access/access.queries.ts';
import { baseHash } from '../map-keys.ts';

/** Statements on source maps that are kept, and on the names by which events find them. */

/** The table in which the binder finds a source map that a request names. */
export const SOURCE_MAP_RECORDS: RecordTable = {
  from: 'source_maps m',
  projectId: 'm.project_id',
  recordId: 'm.source_map_id',
};

/** The table in which the binder finds an upload that a request names. */
export const MAP_UPLOAD_RECORDS: RecordTable = {
  from: 'map_uploads u',
  projectId: 'u.project_id',
  recordId: 'u.upload_id',
};

/** Releases of a source map that are shown. */
const RELEASES_MAX = 20;

interface NewSourceMap {
  projectId: string;
  sourceMapId: string;
  path: string;
  debugId: string | null;
  generatedSha256: string;
  codeSha256: string;
  mapSha256: string;
  generatedBytes: number;
  mapBytes: number;
  storedBytes: number;
  sources: number;
  segments: number;
  hasContents: boolean;
  registersId: boolean;
  probe: MapProbe | null;
  objectKey: string;
  uploadedBy: string | null;
}

/** The kept source map of some bytes. */
export async function findByBytes(
  database: Queryable,
  projectId: string,
  bytes: readonly { mapSha256: string; generatedSha256: string }[],
): Promise<Map<string, { sourceMapId: string; debugId: string | null; probe: MapProbe | null }>> {
  const rows = await database.query<{
    map: string;
    generated: string;
    source_map_id: string;
    debug_id: string | null;
    probe: MapProbe | null;
  }>(
    sql(
      'source-maps-by-bytes',
    )`select encode(m.map_sha256, 'hex') as map, encode(m.generated_sha256, 'hex') as generated, m.source_map_id,
          m.debug_id, m.probe
        from unnest($2::text[], $3::text[]) as u (map, generated)
        join source_maps m on m.project_id = $1 and m.map_sha256 = decode(u.map, 'hex')
          and m.generated_sha256 = decode(u.generated, 'hex') and m.removed_at is null`,
    [projectId, bytes.map((each) => each.mapSha256), bytes.map((each) => each.generatedSha256)],
  );
  return new Map(
    rows.map((row) => [
      bytesKey(row.map, row.generated),
      { sourceMapId: row.source_map_id, debugId: row.debug_id, probe: row.probe },
    ]),
  );
}

export function bytesKey(mapSha256: string, generatedSha256: string): string {
  return `${mapSha256} ${generatedSha256}`;
}

/** Writes a source map; its object, which was marked for deletion before it was stored, stays. */
export async function insertSourceMap(transaction: Transaction, map: NewSourceMap): Promise<void> {
  await transaction.query(
    sql('source-map-insert')`with kept as (delete from object_tombstones where object_key = $16)
        insert into source_maps (project_id, source_map_id, path, debug_id, releases, generated_sha256, map_sha256,
          generated_bytes, map_bytes, stored_bytes, sources, segments, has_contents, registers_id, probe, object_key,
          uploaded_by, code_sha256)
        values ($1, $2, $3, $4, '{}', decode($5, 'hex'), decode($6, 'hex'), $7, $8, $9, $10, $11, $12, $13, $14, $16, $15, decode($17, 'hex'))`,
    [
      map.projectId,
      map.sourceMapId,
      map.path,
      map.debugId,
      map.generatedSha256,
      map.mapSha256,
      map.generatedBytes,
      map.mapBytes,
      map.storedBytes,
      map.sources,
      map.segments,
      map.hasContents,
      map.registersId,
      map.probe === null ? null : JSON.stringify(map.probe),
      map.uploadedBy,
      map.objectKey,
      map.codeSha256,
    ],
  );
}

/** Marks an object for deletion before it is stored, so that one whose row is never written goes by itself. */
export async function markNewObject(
  database: Queryable,
  projectId: string,
  objectKey: string,
): Promise<void> {
  await database.query(
    sql(
      'source-map-mark-new',
    )`insert into object_tombstones (object_key, project_id) values ($1, $2) on conflict do nothing`,
    [objectKey, projectId],
  );
}

/**
 * Gives a source map the names of an upload: the last one that has a debug id, or a file of a release, is found by it.
 * @returns another source map that had the debug id, and whether anything changed
 */
export async function nameSourceMap(
  transaction: Transaction,
  map: {
    projectId: string;
    sourceMapId: string;
    path: string;
    debugId: string | null;
    release: string | null;
  },
): Promise<{ replacedId: string | null; isNew: boolean }> {
  const { projectId, sourceMapId, path, debugId, release } = map;
  let replacedId: string | null = null;
  let isNew = false;
  if (debugId !== null) {
    const [before] = await transaction.query<{ source_map_id: string }>(
      sql('source-map-id-taken')`with led as (
            delete from source_map_names
            where project_id = $1 and found_by = 'id' and key = $2 and source_map_id <> $3 returning source_map_id
          )
          select m.source_map_id from led join source_maps m on m.project_id = $1
            and m.source_map_id = led.source_map_id and m.removed_at is null and m.debug_id = $2::uuid`,
      [projectId, debugId, sourceMapId],
    );
    replacedId = before?.source_map_id ?? null;
    if (replacedId !== null) await removeSourceMaps(transaction, projectId, [replacedId], 'replaced');
    isNew =
      (await insertName(transaction, {
        projectId,
        foundBy: 'id',
        key: debugId,
        hash: 0n,
        sourceMapId,
        path,
      })) || isNew;
  }
  if (release !== null) {
    const hash = baseHash(path);
    await transaction.query(
      sql(
        'source-map-file-taken',
      )`delete from source_map_names where project_id = $1 and found_by = 'file' and key = $2 and base_hash = $3
          and path = $4 and source_map_id <> $5`,
      [projectId, release, hash.toString(), path, sourceMapId],
    );
    isNew =
      (await insertName(transaction, {
        projectId,
        foundBy: 'file',
        key: release,
        hash,
        sourceMapId,
        path,
      })) || isNew;
  }
  await transaction.query(
    sql(
      'source-map-needed-by-upload',
    )`update source_maps set last_needed_at = culprit_now(), releases = case when $3::text is null then releases
          else (array[$3::text] || array_remove(releases, $3::text))[1:${RELEASES_MAX}] end
        where project_id = $1 and source_map_id = $2`,
    [projectId, sourceMapId, release],
  );
  return { replacedId, isNew };
}

/**
 * Gives a source map the further ids that its file registers. The one of which it is the own id keeps it, and so does the
 * first file that registers it.
 */
export const nameOtherIds = inTransaction.run<
  [projectId: string, sourceMapId: string, path: string, debugIds: readonly string[]]
>(
  'source-map-other-ids',
  `insert into source_map_names as n (project_id, found_by, key, base_hash, source_map_id, path)
    -- In one order, so that two uploads with the same ids never wait for each other.
    select $1, 'id', u.key, 0, $2, $3 from unnest($4::text[]) as u (key) order by u.key
    on conflict (project_id, key) where found_by = 'id' do update
      set source_map_id = excluded.source_map_id, path = excluded.path
      where exists (select from source_maps m where m.project_id = n.project_id and m.source_map_id = n.source_map_id
        and m.removed_at is not null)`,
);

async function insertName(
  transaction: Transaction,
  name: {
    projectId: string;
    foundBy: 'id' | 'file';
    key: string;
    hash: bigint;
    sourceMapId: string;
    path: string;
  },
): Promise<boolean> {
  const rows = await transaction.query(
    sql(
      'source-map-name-insert',
    )`insert into source_map_names (project_id, found_by, key, base_hash, source_map_id, path)
        values ($1, $2, $3, $4, $5, $6)
        on conflict (project_id, found_by, key, base_hash, source_map_id) do update set path = excluded.path
          where source_map_names.path <> excluded.path
        returning key`,
    [name.projectId, name.foundBy, name.key, name.hash.toString(), name.sourceMapId, name.path],
  );
  return rows.length > 0;
}

/** Removes source maps: their objects go, rows and names stay for a while and say why. */
export const removeSourceMaps = inTransaction.run<
  [projectId: string, sourceMapIds: readonly string[], reason: MapRemoval]
>(
  'source-maps-remove',
  `with gone as (
      select source_map_id, object_key from source_maps
      where project_id = $1 and source_map_id = any ($2::uuid[]) and removed_at is null for update
    ), removed as (
      update source_maps m set removed_at = culprit_now(), removed_reason = $3, object_key = null
      from gone where m.project_id = $1 and m.source_map_id = gone.source_map_id
    ), marked as (
      insert into object_tombstones (object_key, project_id) select object_key, $1 from gone on conflict do nothing
    )
    update projects set maps_version = maps_version + 1 where project_id = $1 and exists (select from gone)`,
);

/** Raises the version, by which the caches see that names changed. */
export const raiseMapsVersion = inTransaction.run<[projectId: string]>(
  'maps-version-raise',
  'update projects set maps_version = maps_version + 1 where project_id = $1',
);

/** Bytes and number of what a project keeps. */
export async function findUsage(
  database: Queryable,
  projectId: string,
): Promise<{ storedBytes: number; sourceMaps: number }> {
  const [row] = await database.query<{ stored: number; maps: number }>(
    sql('source-maps-usage')`select coalesce(sum(stored_bytes), 0)::bigint as stored, count(*) as maps
        from source_maps where project_id = $1 and removed_at is null`,
    [projectId],
  );
  return { storedBytes: row?.stored ?? 0, sourceMaps: row?.maps ?? 0 };
}

/** Those needed longest ago, never one that was needed in the last day. */
export const findUnneeded = statement.many<
  [projectId: string, limit: number],
  { sourceMapId: string; storedBytes: number }
>(
  'source-maps-unneeded',
  `select source_map_id as "sourceMapId", stored_bytes as "storedBytes" from source_maps
    where project_id = $1 and removed_at is null and last_needed_at < culprit_now() - interval '24 hours'
    order by last_needed_at limit $2`,
);

export interface SourceMapRow {
  sourceMapId: string;
  path: string;
  debugId: string | null;
  releases: string[];
  removedReason: MapRemoval | null;
  removedAtMs: number | null;
  generatedBytes: number;
  mapBytes: number;
  storedBytes: number;
  sources: number;
  segments: number;
  hasContents: boolean;
  registersId: boolean;
  codeSha256: string;
  probe: MapProbe | null;
  objectKey: string | null;
  createdAtMs: number;
  lastNeededAtMs: number;
  uploadedBy: string | null;
}

const COLUMNS = `source_map_id as "sourceMapId", path, debug_id as "debugId", releases,
  removed_reason as "removedReason", removed_at as "removedAtMs", generated_bytes as "generatedBytes",
  map_bytes as "mapBytes", stored_bytes as "storedBytes", sources, segments, has_contents as "hasContents",
  registers_id as "registersId", encode(code_sha256, 'hex') as "codeSha256", probe, object_key as "objectKey",
  created_at as "createdAtMs", last_needed_at as "lastNeededAtMs", uploaded_by as "uploadedBy"`;

export const findSourceMap = statement.one<[projectId: string, sourceMapId: string], SourceMapRow>(
  'source-map',
  `select ${COLUMNS} from source_maps where project_id = $1 and source_map_id = $2`,
);

/** A page of the kept ones, newest first; by debug id with those that are gone. */
export async function listSourceMapRows(
  database: Queryable,
  projectId: string,
  filter: { release: string | null; debugId: string | null; path: string | null },
  page: readonly [Date | null, string | null, number],
): Promise<SourceMapRow[]> {
  return await database.query<SourceMapRow>(
    sql('source-maps-list')`select ${COLUMNS} from source_maps
        where project_id = $1 and (removed_at is null or $3::uuid is not null)
          and ($2::text is null or $2 = any (releases)) and ($3::uuid is null or debug_id = $3)
          and ($4::text is null or position($4 in path) > 0)
          and ($5::timestamptz is null or (created_at, source_map_id) < ($5, $6::uuid))
        order by created_at desc, source_map_id desc limit $7`,
    [projectId, filter.release, filter.debugId, filter.path, ...page],
  );
}
