import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { baseHash } from '../map-keys.ts';

/** A kept source map that a frame may have meant. */
export interface Candidate {
  path: string;
  debugId: string | null;
  release: string | null;
  uploadedAtMs: number;
}

/** Source maps with the debug id, or with files of the same base name under any release, newest first. */
export async function findCandidates(
  database: Queryable,
  projectId: string,
  { debugId, file }: { debugId: string | null; release: string | null; file: string },
  limit: number,
): Promise<Candidate[]> {
  return await database.query<Candidate>(
    sql(
      'source-maps-candidates',
    )`select m.path, m.debug_id as "debugId", m.releases[1] as release, m.created_at as "uploadedAtMs"
        from source_maps m
        where m.project_id = $1 and m.removed_at is null and (m.debug_id = $2::uuid or m.source_map_id in (
          select f.source_map_id from map_upload_files f
          where f.project_id = $1 and f.base_hash = $3 and f.source_map_id is not null
          order by f.upload_id desc limit 100))
        order by m.created_at desc, m.source_map_id limit $4`,
    [projectId, debugId, baseHash(file).toString(), limit],
  );
}
