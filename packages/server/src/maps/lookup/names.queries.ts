import type { MapRemoval } from '@culprit/contract/releases/map-limits';
import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';

/** A name under which an event looks for a map. */
export interface NameAsked {
  foundBy: 'id' | 'file';
  key: string;
  /** The hash of the file; 0 for an id. */
  hash: bigint;
}

/** A source map that has a name. */
export interface NamedMap {
  sourceMapId: string;
  path: string;
  debugId: string | null;
  /** Null once it is removed. */
  objectKey: string | null;
  storedBytes: number;
  removedReason: MapRemoval | null;
  removedAtMs: number | null;
  createdAtMs: number;
}

/** Files of a release with one base name that are compared. */
const CANDIDATES_MAX = 200;

export function nameKey({ foundBy, key, hash }: NameAsked): string {
  return `${foundBy} ${hash} ${key}`;
}

/** The source maps that have names, those that are kept first. */
export async function findNamed(
  database: Queryable,
  projectId: string,
  names: readonly NameAsked[],
): Promise<Map<string, NamedMap[]>> {
  const found = new Map<string, NamedMap[]>(names.map((each) => [nameKey(each), []]));
  if (names.length === 0) return found;
  const rows = await database.query<{
    place: number;
    source_map_id: string;
    path: string;
    debug_id: string | null;
    object_key: string | null;
    stored_bytes: number;
    removed_reason: MapRemoval | null;
    removed_at: number | null;
    created_at: number;
  }>(
    sql(
      'source-maps-named',
    )`select u.place::integer as place, n.source_map_id, n.path, n.debug_id, n.object_key, n.stored_bytes, n.removed_reason,
          n.removed_at, n.created_at
        from unnest($2::text[], $3::text[], $4::bigint[]) with ordinality as u (found_by, key, base_hash, place)
        cross join lateral (
          select m.source_map_id, s.path, m.debug_id, m.object_key, m.stored_bytes, m.removed_reason, m.removed_at,
            m.created_at
          from source_map_names s
          join source_maps m on m.project_id = s.project_id and m.source_map_id = s.source_map_id
          where s.project_id = $1 and s.found_by = u.found_by and s.key = u.key and s.base_hash = u.base_hash
          order by m.removed_at desc nulls first, m.created_at desc, m.source_map_id limit ${CANDIDATES_MAX}
        ) n order by u.place`,
    [
      projectId,
      names.map(({ foundBy }) => foundBy),
      names.map(({ key }) => key),
      names.map(({ hash }) => hash.toString()),
    ],
  );
  for (const row of rows) {
    const name = names[row.place - 1];
    if (name === undefined) continue;
    found.get(nameKey(name))?.push({
      sourceMapId: row.source_map_id,
      path: row.path,
      debugId: row.debug_id,
      objectKey: row.object_key,
      storedBytes: row.stored_bytes,
      removedReason: row.removed_reason,
      removedAtMs: row.removed_at,
      createdAtMs: row.created_at,
    });
  }
  return found;
}

/** Why a name has no source map. */
export interface Absence {
  /** The newest upload that named it is being read, or refused the file. */
  upload: 'processing' | 'refused' | null;
  words: string | null;
  /** Only for a release: true if it has source maps of other files. */
  hasOthers: boolean;
}

/** Returns the state of uploads for names without a source map. */
export async function findAbsences(
  database: Queryable,
  projectId: string,
  names: readonly NameAsked[],
): Promise<Map<string, Absence>> {
  if (names.length === 0) return new Map();
  const rows = await database.query<{
    place: number;
    state: 'processing' | 'done' | null;
    verdict: string | null;
    words: string | null;
    has_others: boolean;
  }>(
    sql(
      'source-maps-absent',
    )`select u.place::integer as place, f.state, f.verdict, f.words, u.found_by = 'file' and exists (
            select from source_map_names s where s.project_id = $1 and s.found_by = 'file' and s.key = u.key) as has_others
        from unnest($2::text[], $3::text[], $4::bigint[]) with ordinality as u (found_by, key, base_hash, place)
        left join lateral (
          (select p.state, f.verdict, f.words, f.upload_id
            from map_upload_files f join map_uploads p on p.project_id = f.project_id and p.upload_id = f.upload_id
            where u.found_by = 'id' and f.project_id = $1
              and f.debug_id = (case when u.found_by = 'id' then u.key end)::uuid and p.state in ('processing', 'done')
            order by f.upload_id desc limit 1)
          union all
          (select p.state, f.verdict, f.words, f.upload_id
            from map_upload_files f join map_uploads p on p.project_id = f.project_id and p.upload_id = f.upload_id
            where u.found_by = 'file' and f.project_id = $1 and f.base_hash = u.base_hash and p.release = u.key
              and p.state in ('processing', 'done')
            order by f.upload_id desc limit 1)
        ) f on true`,
    [
      projectId,
      names.map(({ foundBy }) => foundBy),
      names.map(({ key }) => key),
      names.map(({ hash }) => hash.toString()),
    ],
  );
  return new Map(
    rows.flatMap((row) => {
      const name = names[row.place - 1];
      if (name === undefined) return [];
      const isRead = row.state === 'processing' && row.verdict === null;
      const upload = isRead ? 'processing' : row.verdict === 'refused' ? 'refused' : null;
      return [[nameKey(name), { upload, words: row.words, hasOthers: row.has_others }]];
    }),
  );
}

/** Versions of deployments of services, newest first. */
export async function findDeployedVersions(
  database: Queryable,
  projectId: string,
  services: readonly { name: string; environment: string }[],
): Promise<Map<string, { version: string; deployedAtMs: number }[]>> {
  const found = new Map<string, { version: string; deployedAtMs: number }[]>();
  if (services.length === 0) return found;
  const rows = await database.query<{
    name: string;
    environment: string;
    version: string;
    deployed_at: number;
  }>(
    sql('source-maps-deployed')`select u.name, u.environment, d.version, d.deployed_at
        from unnest($2::text[], $3::text[]) as u (name, environment)
        cross join lateral (
          select version, deployed_at from deployments
          where project_id = $1 and service_name = u.name and environment = u.environment and version is not null
          order by deployed_at desc limit 100
        ) d order by d.deployed_at desc`,
    [projectId, services.map(({ name }) => name), services.map(({ environment }) => environment)],
  );
  for (const { name, environment, version, deployed_at: deployedAtMs } of rows) {
    const key = serviceName(name, environment);
    const versions = found.get(key) ?? [];
    found.set(key, versions);
    versions.push({ version, deployedAtMs });
  }
  return found;
}

export function serviceName(name: string, environment: string): string {
  return JSON.stringify([name, environment]);
}

/** Moves the time at which source maps were last needed, at most once a day. */
export const touchSourceMaps = statement.run<[projectId: string, sourceMapIds: readonly string[]]>(
  'source-maps-touch',
  `update source_maps set last_needed_at = culprit_now()
    where project_id = $1 and source_map_id = any ($2::uuid[]) and removed_at is null
      and last_needed_at < culprit_now() - interval '1 day'`,
);
