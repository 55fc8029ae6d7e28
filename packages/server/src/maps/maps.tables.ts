import { sql } from '../platform/db/statement.ts';
import type { Table } from '../table.ts';
import { projectFolder } from '../workspace/projects/project-objects.ts';
import { UPLOAD_DAYS } from './uploads/list-uploads.ts';

/** Days for which the row of a source map that is gone says why. */
const REMOVED_DAYS = 90;
/** Hours for which an upload may stay open. */
const OPEN_HOURS = 24;

const PARTS_OF_UPLOAD = `'${projectFolder('map-parts', '')}' || project_id || '/' || upload_id || '/'`;

/** Hours for which chunks wait to become an archive. */
const CHUNK_HOURS = 24;

export const MAP_TABLES: readonly Table[] = [
  {
    name: 'map_chunks',
    purge: 'no_project',
    retention: { expired: `created_at < (select culprit_now()) - interval '${CHUNK_HOURS} hours'` },
    exported: 'work in progress',
    isLeftOutOfBackups: true,
  },
  {
    name: 'map_upload_parts',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: 'work in progress',
    objectColumn: 'object_key',
  },
  { name: 'map_upload_files', purge: ['by_project'], retention: 'with_its_record', exported: 'telemetry' },
  {
    name: 'map_uploads',
    purge: ['by_project'],
    retention: {
      // Ended uploads are deleted with their files; unfinished ones are closed, and their parts are deleted.
      expired: sql('delete-expired-map-uploads')`with closed as (
            update map_uploads set state = 'expired', finished_at = culprit_now()
            where (project_id, upload_id) in (
              select project_id, upload_id from map_uploads
              where state = 'open' and created_at < (select culprit_now()) - interval '${OPEN_HOURS} hours'
              order by created_at limit $1 for update skip locked)
            returning project_id, upload_id
          ), parts as (
            delete from map_upload_parts p using closed c
            where p.project_id = c.project_id and p.upload_id = c.upload_id
          ), marked as (
            insert into object_tombstones (object_key, project_id)
            select ${PARTS_OF_UPLOAD}, project_id from closed on conflict do nothing
          ), old as (
            delete from map_uploads u where (u.project_id, u.upload_id) in (
              select project_id, upload_id from map_uploads
              where state in ('done', 'expired') and finished_at < (select culprit_now()) - interval '${UPLOAD_DAYS} days'
              limit $1)
            returning u.project_id, u.upload_id
          ), files as (
            delete from map_upload_files f using old o
            where f.project_id = o.project_id and f.upload_id = o.upload_id
          )
          select (select count(*) from closed) + (select count(*) from old) as removed`,
    },
    exported: 'telemetry',
  },
  {
    name: 'source_map_names',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: 'telemetry',
  },
  {
    name: 'source_maps',
    purge: ['by_project'],
    retention: {
      // Not needed for as long as incidents are kept.
      window: sql('retention-source-maps')`with live as (
            select project_id from projects where project_id = $1 and deleted_at is null for update
          ), unused as (
            select m.source_map_id, m.object_key from source_maps m join live using (project_id)
            where m.removed_at is null and m.last_needed_at < $2
            order by m.last_needed_at limit $3 for update of m
          ), removed as (
            update source_maps m set removed_at = culprit_now(), removed_reason = 'unused', object_key = null
            from unused where m.project_id = $1 and m.source_map_id = unused.source_map_id
          ), marked as (
            insert into object_tombstones (object_key, project_id) select object_key, $1 from unused
            on conflict do nothing
          ), raised as (
            update projects set maps_version = maps_version + 1
            where project_id = $1 and exists (select from unused)
          )
          select count(*) as removed from unused`,
      expired: sql('delete-removed-source-maps')`with gone as (
            delete from source_maps where ctid = any (array(
              select ctid from source_maps
              where removed_at < (select culprit_now()) - interval '${REMOVED_DAYS} days' limit $1))
            returning project_id, source_map_id
          ), unnamed as (
            delete from source_map_names n using gone g
            where n.project_id = g.project_id and n.source_map_id = g.source_map_id
          )
          select count(*) as removed from gone`,
    },
    exported: [
      {
        kind: 'source_maps',
        scope: 'project',
        key: 'source_map_id',
        columns: `source_map_id, project_id, path, debug_id, releases, generated_bytes, map_bytes, stored_bytes, sources,
          segments, created_at, last_needed_at, removed_at, removed_reason`,
        from: 'source_maps where project_id = $1',
      },
    ],
    objectColumn: 'object_key',
  },
  {
    name: 'map_waits',
    purge: ['by_project'],
    retention: {
      window: sql('retention-map-waits')`with gone as (
            delete from map_waits where ctid = any (array(
              select ctid from map_waits where project_id = $1 and last_seen_at < $2 limit $3))
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: 'telemetry',
  },
];
