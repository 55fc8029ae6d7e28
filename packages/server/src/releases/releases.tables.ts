import { sql } from '../platform/db/statement.ts';
import type { Table } from '../table.ts';

/** Returns a table whose rows belong to releases, and are deleted after their release. */
function ofRelease(name: string): Table {
  return {
    name,
    purge: ['by_project'],
    retention: {
      window: sql(`retention-${name.replaceAll('_', '-')}`)`with gone as (
            delete from ${name} where ctid = any (array(
              select ctid from ${name} o where o.project_id = $1 and $2::timestamptz is not null
                and not exists (select from releases r where r.project_id = $1 and r.release_id = o.release_id)
              limit $3))
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: 'telemetry',
  };
}

export const RELEASE_TABLES: readonly Table[] = [
  ofRelease('release_services'),
  ofRelease('release_days'),
  ofRelease('release_commits'),
  {
    name: 'unnamed_releases',
    purge: ['by_project'],
    retention: { expired: `day < ((select culprit_now()) at time zone 'UTC')::date` },
    exported: 'telemetry',
  },
  {
    name: 'releases',
    purge: ['by_project'],
    retention: {
      // With incidents, counted from what named them last.
      window: sql('retention-releases')`with gone as (
            delete from releases where ctid = any (array(
              select ctid from releases where project_id = $1 and last_named_at < $2 limit $3))
              and last_named_at < $2
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: [
      {
        kind: 'releases',
        scope: 'project',
        key: 'release_id',
        columns:
          'release_id, project_id, version, created_by, first_at, last_seen_at, commit_sha, branch, url, created_at',
        from: 'releases where project_id = $1',
      },
    ],
  },
];
