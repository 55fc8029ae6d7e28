import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';

interface MapUse {
  maps: number;
  stored_bytes: number;
  projects: number;
  /** Kept ones that no event can find: their release was deleted. */
  unnamed: number;
  full_projects: number;
  fullest_project: string | null;
  fullest_bytes: number;
  /** Files of uploads of the last day. */
  refused: number;
  /** Maps that stacks of the last day asked for. */
  missing: number;
  missing_projects: number;
}

/**
 * Returns what all projects store of source maps, and what their stacks lack.
 * @param fullBytes the size at which a project is full
 */
export async function readMapUse(database: Queryable, fullBytes: number): Promise<MapUse> {
  const [row] = await database.query<MapUse>(
    sql('findings-maps')`with kept as materialized (
          select m.project_id, count(*) as maps, sum(m.stored_bytes) as bytes,
            count(*) filter (where not exists (
              select from source_map_names n
              where n.project_id = m.project_id and n.source_map_id = m.source_map_id)) as unnamed
          from source_maps m where m.removed_at is null group by m.project_id
        ), missing as materialized (
          select project_id, count(distinct (found_by, key, base_hash)) as maps
          from map_waits where last_seen_at > culprit_now() - interval '1 day' group by project_id
        ), fullest as (
          select p.name, k.bytes from kept k join projects p using (project_id) order by k.bytes desc limit 1
        )
        select coalesce(sum(k.maps), 0)::bigint as maps, coalesce(sum(k.bytes), 0)::bigint as stored_bytes,
          count(*) as projects, coalesce(sum(k.unnamed), 0)::bigint as unnamed,
          count(*) filter (where k.bytes > $1) as full_projects,
          (select name from fullest) as fullest_project, coalesce((select bytes from fullest), 0)::bigint as fullest_bytes,
          (select count(*) from map_uploads u join map_upload_files f using (project_id, upload_id)
            where u.created_at > culprit_now() - interval '1 day' and f.verdict = 'refused') as refused,
          (select coalesce(sum(maps), 0)::bigint from missing) as missing,
          (select count(*) from missing) as missing_projects
        from kept k`,
    [fullBytes],
  );
  if (row === undefined) throw new Error('an aggregate has one row');
  return row;
}

/** Objects of the kept maps that were needed last. */
export const readNeededForms = statement.many<[limit: number], { object_key: string }, string>(
  'findings-map-objects',
  `select object_key from source_maps
    where removed_at is null and object_key is not null order by last_needed_at desc limit $1`,
  ({ object_key: key }) => key,
);
