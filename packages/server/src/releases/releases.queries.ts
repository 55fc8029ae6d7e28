import { RELEASE_TREND_DAYS, SHOWN_COMMITS_MAX } from '@culprit/contract/releases/release-limits';
import type { Release, ReleaseCommit } from '@culprit/contract/releases/releases';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { isLaterRelease, latestRelease } from '@culprit/evidence/incidents/release-order';
import type { Queryable, Transaction } from '../platform/db/database.ts';
import { sql, statement } from '../platform/db/statement.ts';
import type { RecordTable } from '../workspace/access/access.queries.ts';

/** Statements that read and change releases for people. */

/** The table in which the binder finds a release that a request names. */
export const RELEASE_RECORDS: RecordTable = {
  from: 'releases r',
  projectId: 'r.project_id',
  recordId: 'r.release_id',
};

const SERVICES_MAX = 50;
/** Releases before one that are compared to find the one before it. */
const COMPARED_MAX = 50;

interface ReleaseRow {
  release_id: string;
  version: string;
  created_by: Release['created_by'];
  first_at: number;
  last_seen_at: number | null;
  commit_sha: string | null;
  branch: string | null;
  url: string | null;
  services: Release['services'];
  deploys: number;
  source_maps: number;
  commits: number;
  events: number;
  new_incidents: number;
  regressed_incidents: number;
  events_by_day: number[];
  lacks_source_maps: boolean;
  before: { version: string; release_id: string; first_at_ms: number }[];
}

const TODAY = `(select (culprit_now() at time zone 'UTC')::date)`;

/** The columns of `releases r`. */
const COLUMNS = `r.release_id, r.version, r.created_by, r.first_at, r.last_seen_at, r.commit_sha, r.branch, r.url,
  (select coalesce(json_agg(json_build_object('service_name', s.service_name, 'environment', s.environment)), '[]')
    from (
      select service_name, environment from release_services s
      where s.project_id = r.project_id and s.release_id = r.release_id
      order by service_name, environment limit ${SERVICES_MAX}) s) as services,
  (select count(*) from deployments d
    where d.project_id = r.project_id and coalesce(d.version, d.commit_sha) = r.version) as deploys,
  (select count(distinct n.source_map_id) from source_map_names n
    join source_maps m on m.project_id = n.project_id and m.source_map_id = n.source_map_id and m.removed_at is null
    where n.project_id = r.project_id and n.found_by = 'file' and n.key = r.version) as source_maps,
  (select count(*) from release_commits c
    where c.project_id = r.project_id and c.release_id = r.release_id) as commits,
  coalesce(t.events, 0)::bigint as events, coalesce(t.new_incidents, 0)::integer as new_incidents,
  coalesce(t.regressed_incidents, 0)::integer as regressed_incidents,
  (select json_agg(coalesce(d.events, 0) order by n desc)
    from generate_series(0, ${RELEASE_TREND_DAYS - 1}) n
    left join release_days d on d.project_id = r.project_id and d.release_id = r.release_id and d.day = ${TODAY} - n
  ) as events_by_day,
  exists (select from map_waits w
    where w.project_id = r.project_id and w.found_by = 'file' and w.key = r.version and w.is_browser)
    as lacks_source_maps,
  (select coalesce(json_agg(json_build_object('version', b.version, 'release_id', b.release_id,
      'first_at_ms', extract(epoch from b.first_at) * 1000)), '[]')
    from (
      select p.version, p.release_id, p.first_at from releases p
      where p.project_id = r.project_id and (p.first_at, p.release_id) < (r.first_at, r.release_id)
        and exists (
          select from release_services mine join release_services theirs using (project_id, service_name, environment)
          where mine.project_id = r.project_id and mine.release_id = r.release_id and theirs.release_id = p.release_id)
      order by p.first_at desc, p.release_id desc limit ${COMPARED_MAX}) b) as before`;

const FROM = `releases r
  left join lateral (
    select sum(events) as events, sum(new_incidents) as new_incidents, sum(regressed_incidents) as regressed_incidents
    from release_days d where d.project_id = r.project_id and d.release_id = r.release_id
  ) t on true`;

/** The record that the API shows. */
function recordOf(row: ReleaseRow): Release {
  const { before, first_at, last_seen_at, ...facts } = row;
  const own = { version: row.version, firstAtMs: first_at, releaseId: row.release_id };
  const earlier = before
    .map(({ version, release_id, first_at_ms }) => ({
      version,
      firstAtMs: first_at_ms,
      releaseId: release_id,
    }))
    .filter((each) => isLaterRelease(own, each) === true);
  return {
    ...facts,
    first_at: formatTimestamp(first_at),
    last_seen_at: last_seen_at === null ? null : formatTimestamp(last_seen_at),
    previous_version: latestRelease(earlier)?.version ?? null,
  };
}

interface ReleaseFilter {
  service: string | null;
  environment: string | null;
  version: string | null;
  q: string | null;
}

export async function listReleaseRows(
  database: Queryable,
  projectId: string,
  filter: ReleaseFilter,
  page: readonly [Date | null, string | null, number],
): Promise<Release[]> {
  const rows = await database.query<ReleaseRow>(
    sql('releases-list')`select ${COLUMNS} from ${FROM}
        where r.project_id = $1 and ($2::timestamptz is null or (r.first_at, r.release_id) < ($2, $3::uuid))
          and ($5::text is null or r.version = $5)
          and ($6::text is null or position(lower($6) in lower(r.version)) > 0)
          and ($7::text is null and $8::text is null or exists (
            select from release_services s where s.project_id = r.project_id and s.release_id = r.release_id
              and ($7::text is null or s.service_name = $7) and ($8::text is null or s.environment = $8)))
        order by r.first_at desc, r.release_id desc limit $4`,
    [projectId, ...page, filter.version, filter.q, filter.service, filter.environment],
  );
  return rows.map(recordOf);
}

export const findRelease = statement.one<[projectId: string, releaseId: string], ReleaseRow, Release>(
  'release-find',
  `select ${COLUMNS} from ${FROM} where r.project_id = $1 and r.release_id = $2`,
  recordOf,
);

/** Versions of the events of today that became no release. */
export const countUnnamed = statement.value<[projectId: string], number>(
  'releases-unnamed',
  `select count(*)::integer as unnamed from unnamed_releases where project_id = $1 and day = ${TODAY}`,
  0,
);

export const listCommits = statement.many<
  [projectId: string, releaseId: string],
  Omit<ReleaseCommit, 'committed_at'> & { committed_at: number | null },
  ReleaseCommit
>(
  'release-commits-list',
  `select sha, author_name, message, committed_at from release_commits
    where project_id = $1 and release_id = $2 order by position limit ${SHOWN_COMMITS_MAX}`,
  (row) => ({
    ...row,
    committed_at: row.committed_at === null ? null : formatTimestamp(row.committed_at),
  }),
);

interface ReleaseFacts {
  commitSha: string | null;
  branch: string | null;
  url: string | null;
}

/** Sets the facts that are given. */
export async function setReleaseFacts(
  transaction: Transaction,
  projectId: string,
  releaseId: string,
  facts: ReleaseFacts,
): Promise<void> {
  await transaction.query(
    sql(
      'release-facts-set',
    )`update releases set commit_sha = coalesce($3, commit_sha), branch = coalesce($4, branch),
          url = coalesce($5, url)
        where project_id = $1 and release_id = $2`,
    [projectId, releaseId, facts.commitSha, facts.branch, facts.url],
  );
}

export interface NewCommit {
  sha: string;
  author_name: string | null;
  message: string;
  committed_at: string | null;
}

export async function replaceCommits(
  transaction: Transaction,
  projectId: string,
  releaseId: string,
  commits: readonly NewCommit[],
): Promise<void> {
  await transaction.query(
    sql('release-commits-delete')`delete from release_commits where project_id = $1 and release_id = $2`,
    [projectId, releaseId],
  );
  if (commits.length === 0) return;
  await transaction.query(
    sql(
      'release-commits-insert',
    )`insert into release_commits (project_id, release_id, position, sha, author_name, message, committed_at)
        select $1, $2, c.position, c.sha, c.author_name, c.message, c.committed_at
        from json_to_recordset($3::json) as c (position integer, sha text, author_name text, message text,
          committed_at timestamptz)`,
    [projectId, releaseId, JSON.stringify(commits.map((commit, position) => ({ ...commit, position })))],
  );
}

interface ReleaseDay {
  day: number;
  events: number;
  newIncidents: number;
  regressedIncidents: number;
}

/** Counts of the days in a span, days without any left out. */
export async function listReleaseDays(
  database: Queryable,
  projectId: string,
  releaseId: string,
  span: { from: Date; to: Date },
): Promise<ReleaseDay[]> {
  return await database.query<ReleaseDay>(
    sql('release-days-list')`select (day - date '1970-01-01') as day, events, new_incidents as "newIncidents",
          regressed_incidents as "regressedIncidents" from release_days
        where project_id = $1 and release_id = $2 and day >= ($3::timestamptz at time zone 'UTC')::date
          and day < ($4::timestamptz at time zone 'UTC')::date
        order by day`,
    [projectId, releaseId, span.from, span.to],
  );
}

/** Deletes a release with what belongs to it, and the names under which its source maps are found. */
export async function removeRelease(
  transaction: Transaction,
  projectId: string,
  release: { releaseId: string; version: string },
): Promise<boolean> {
  const { releaseId, version } = release;
  const gone = await transaction.query(
    sql(
      'release-delete',
    )`delete from releases where project_id = $1 and release_id = $2 returning release_id`,
    [projectId, releaseId],
  );
  // The second statement sees what transactions added while the first one waited for them.
  await transaction.query(
    sql('release-parts-delete')`with services as (
          delete from release_services where project_id = $1 and release_id = $2
        ), days as (
          delete from release_days where project_id = $1 and release_id = $2
        ), commits as (
          delete from release_commits where project_id = $1 and release_id = $2
        ), names as (
          delete from source_map_names where project_id = $1 and found_by = 'file' and key = $3
          returning source_map_id
        ), maps as (
          update source_maps set releases = array_remove(releases, $3)
          where project_id = $1 and source_map_id in (select source_map_id from names)
        )
        update projects set release_deletions = release_deletions + 1,
          maps_version = maps_version + (exists (select from names))::integer
        where project_id = $1`,
    [projectId, releaseId, version],
  );
  return gone.length > 0;
}
