import {
  NEW_BROWSER_RELEASES_PER_DAY_MAX,
  NEW_RELEASES_PER_DAY_MAX,
  RELEASES_MAX,
} from '@culprit/contract/releases/release-limits';
import type { Queryable, Transaction } from '../platform/db/database.ts';
import { sql } from '../platform/db/statement.ts';
import { newUuid } from '../platform/ids.ts';

/** Statements that make releases of the versions that events, deploys, uploads and calls name. */

/** A version that an event or a deploy names for a service. */
export interface NamedRelease {
  version: string;
  by: 'event' | 'deploy';
  serviceName: string;
  environment: string;
  /** Receive time of the event, or the moment of the deploy. */
  atMs: number;
  /** A server named it, which runs it. */
  isRun: boolean;
}

export interface NotedRelease {
  version: string;
  /** Null: beyond the limit of the day. */
  releaseId: string | null;
  serviceName: string;
  environment: string;
  /** The service was not seen with it before, nor was it deployed there. */
  isNewThere: boolean;
  /** No server of this service had named it before. */
  isNewlyRun: boolean;
  /** Servers of this service had named others before. */
  ranOthers: boolean;
}

/** Names beyond the limit that are counted in a day. */
const UNNAMED_MAX = 1000;
const TODAY = `(select (culprit_now() at time zone 'UTC')::date)`;

/** Creates the releases and the places where they run that are new. Rows that exist stay untouched and unlocked. */
export async function noteReleases(
  transaction: Transaction,
  projectId: string,
  named: readonly NamedRelease[],
): Promise<NotedRelease[]> {
  return await transaction.query<NotedRelease>(NOTE, [
    projectId,
    JSON.stringify(
      named.map((each) => ({
        release_id: newUuid(),
        version: each.version,
        named_by: each.by,
        service_name: each.serviceName,
        environment: each.environment,
        at: new Date(each.atMs).toISOString(),
        is_run: each.isRun,
      })),
    ),
  ]);
}

// Rows are inserted in order, so that two transactions wait for each other in one direction. A version that another
// transaction makes at the same moment is updated in vain, because nothing else returns its id.
const NOTE = sql('releases-note')`
    with sent as (
      select * from json_to_recordset($2::json) as s (release_id uuid, version text, named_by text, service_name text,
        environment text, at timestamptz, is_run boolean)
    ), named as (
      select s.version, min(s.release_id::text)::uuid as release_id, min(s.named_by) as named_by,
        not bool_or(s.is_run) and min(s.named_by) = 'event' as is_of_browsers, min(s.at) as at, r.release_id as known_id
      from sent s left join releases r on r.project_id = $1 and r.version = s.version
      group by s.version, r.release_id
    ), fresh as (
      select n.*, row_number() over (order by named_by, is_of_browsers, release_id) as place,
        row_number() over (partition by named_by order by is_of_browsers, release_id) as place_of_kind,
        row_number() over (partition by is_of_browsers order by release_id) as place_of_browsers
      from named n where known_id is null
    ), kept as (
      select count(*) as all_kept,
        count(*) filter (where is_of_today and created_by = 'event') as events,
        count(*) filter (where is_of_today and created_by = 'event' and is_of_browsers) as browsers
      from (
        select created_by, is_of_browsers, (created_at at time zone 'UTC')::date = ${TODAY} as is_of_today
        from releases where project_id = $1 and exists (select from fresh)
      ) r
    ), allowed as (
      select f.* from fresh f cross join kept k
      where k.all_kept + f.place <= ${RELEASES_MAX}
        and (f.named_by <> 'event' or k.events + f.place_of_kind <= ${NEW_RELEASES_PER_DAY_MAX}
          and (not f.is_of_browsers or k.browsers + f.place_of_browsers <= ${NEW_BROWSER_RELEASES_PER_DAY_MAX}))
    ), written as (
      insert into releases as r (project_id, release_id, version, created_by, is_of_browsers, first_at)
      select $1, release_id, version, named_by, is_of_browsers, least(at, (select culprit_now()))
      from allowed order by version
      on conflict (project_id, version) do update set version = excluded.version
      returning r.release_id, r.version
    ), unnamed as (
      insert into unnamed_releases (project_id, day, name_hash)
      select $1, ${TODAY}, hashtextextended(f.version, 0) from fresh f
      where f.version not in (select version from allowed)
        and (select count(*) from unnamed_releases u where u.project_id = $1 and u.day = ${TODAY}) < ${UNNAMED_MAX}
      order by 3 on conflict do nothing
    ), known as (
      select version, known_id as release_id from named where known_id is not null
      union all select version, release_id from written
    ), places as (
      select s.version, k.release_id, s.service_name, s.environment, min(s.at) as at, bool_or(s.is_run) as is_run
      from sent s left join known k using (version) group by s.version, k.release_id, s.service_name, s.environment
    ), services as (
      select p.service_name, p.environment, exists (
          select from release_services o where o.project_id = $1 and o.service_name = p.service_name
            and o.environment = p.environment and o.is_run) as ran_others
      from places p group by p.service_name, p.environment
    ), before as (
      select o.service_name, o.environment, o.release_id, o.is_run from places p
      join release_services o on o.project_id = $1 and o.service_name = p.service_name
        and o.environment = p.environment and o.release_id = p.release_id
    ), placed as (
      insert into release_services (project_id, service_name, environment, release_id, first_at, is_run)
      select $1, p.service_name, p.environment, p.release_id, least(p.at, (select culprit_now())), p.is_run
      from places p left join before b using (service_name, environment, release_id)
      where p.release_id is not null and b.release_id is null
      order by p.service_name, p.environment, p.release_id
      on conflict do nothing
    )
    select p.version, p.release_id as "releaseId", p.service_name as "serviceName", p.environment,
      p.release_id is not null and b.release_id is null as "isNewThere",
      p.release_id is not null and p.is_run and coalesce(not b.is_run, true) as "isNewlyRun",
      s.ran_others as "ranOthers"
    from places p join services s using (service_name, environment)
    left join before b using (service_name, environment, release_id)`;

/** A release that an event has. */
export interface KnownRelease {
  version: string;
  /** Null: no record. */
  releaseId: string | null;
}

/** Ids of releases that are there, by version. */
export async function findReleaseIds(
  database: Queryable,
  projectId: string,
  versions: readonly string[],
): Promise<Map<string, string>> {
  if (versions.length === 0) return new Map();
  const rows = await database.query<{ version: string; release_id: string }>(
    sql(
      'releases-by-version',
    )`select version, release_id from releases where project_id = $1 and version = any ($2::text[])`,
    [projectId, [...versions]],
  );
  return new Map(rows.map(({ version, release_id }) => [version, release_id]));
}

/** A release that was seen in a service, or deployed there. */
export interface TouchedRelease {
  releaseId: string;
  serviceName: string;
  environment: string;
  /** Receive time of the newest event that names it; null where only a deploy does. */
  seenAtMs: number | null;
  isRun: boolean;
  /** The time of the earliest deploy. */
  deployedAtMs: number | null;
  commitSha: string | null;
  branch: string | null;
}

/** Moves the times of releases, and what deploys say of them. At the end of a transaction, because it locks rows. */
export function touchReleases(
  transaction: Transaction,
  projectId: string,
  touched: readonly TouchedRelease[],
): void {
  if (touched.length === 0) return;
  transaction.send(TOUCH, [
    projectId,
    JSON.stringify(
      touched.map((each) => ({
        release_id: each.releaseId,
        service_name: each.serviceName,
        environment: each.environment,
        seen_at: isoOrNull(each.seenAtMs),
        is_run: each.isRun,
        deployed_at: isoOrNull(each.deployedAtMs),
        commit_sha: each.commitSha,
        branch: each.branch,
      })),
    ),
  ]);
}

function isoOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}

const TOUCH = sql('releases-touch')`
    with sent as (
      select * from json_to_recordset($2::json) as s (release_id uuid, service_name text, environment text,
        seen_at timestamptz, is_run boolean, deployed_at timestamptz, commit_sha text, branch text)
    ), seen as (
      select release_id, max(seen_at) as seen_at, min(deployed_at) as deployed_at,
        (array_agg(commit_sha order by deployed_at desc) filter (where commit_sha is not null))[1] as commit_sha,
        (array_agg(branch order by deployed_at desc) filter (where branch is not null))[1] as branch
      from sent group by release_id
    ), held as (
      select r.release_id from releases r
      where r.project_id = $1 and r.release_id in (select release_id from seen)
      order by r.release_id for update
    ), moved as (
      update releases r set last_seen_at = greatest(r.last_seen_at, s.seen_at),
        first_at = least(r.first_at, s.deployed_at),
        last_named_at = greatest(r.last_named_at, s.seen_at,
          case when s.deployed_at is not null then (select culprit_now()) end),
        commit_sha = coalesce(s.commit_sha, r.commit_sha), branch = coalesce(s.branch, r.branch)
      from seen s join held using (release_id)
      where r.project_id = $1 and r.release_id = s.release_id
      returning r.release_id
    )
    update release_services o set last_seen_at = greatest(o.last_seen_at, s.seen_at),
      first_at = least(o.first_at, s.deployed_at), is_run = o.is_run or s.is_run
    from (
      select service_name, environment, release_id, max(seen_at) as seen_at, min(deployed_at) as deployed_at,
        bool_or(is_run) as is_run
      from sent group by service_name, environment, release_id
    ) s
    where o.project_id = $1 and o.service_name = s.service_name and o.environment = s.environment
      and o.release_id = s.release_id and s.release_id in (select release_id from moved)`;

/** The numbers that the signals of a transaction add to a day of a release. */
export interface ReleaseDay {
  releaseId: string;
  /** The day of receipt, UTC. */
  day: string;
  events: number;
  newIncidents: number;
  regressedIncidents: number;
}

/** Adds to the counts of releases that are there. At the end of a transaction, because it locks rows. */
export function addReleaseDays(
  transaction: Transaction,
  projectId: string,
  days: readonly ReleaseDay[],
): void {
  if (days.length === 0) return;
  transaction.send(ADD_DAYS, [
    projectId,
    JSON.stringify(
      days.map((each) => ({
        release_id: each.releaseId,
        day: each.day,
        events: each.events,
        new_incidents: each.newIncidents,
        regressed_incidents: each.regressedIncidents,
      })),
    ),
  ]);
}

const ADD_DAYS = sql('release-days-add')`
    insert into release_days as d (project_id, release_id, day, events, new_incidents, regressed_incidents)
    select $1, s.release_id, s.day, s.events, s.new_incidents, s.regressed_incidents
    from json_to_recordset($2::json) as s (release_id uuid, day date, events bigint, new_incidents integer,
      regressed_incidents integer)
    join releases r on r.project_id = $1 and r.release_id = s.release_id
    order by s.release_id, s.day
    on conflict (project_id, release_id, day) do update set events = d.events + excluded.events,
      new_incidents = d.new_incidents + excluded.new_incidents,
      regressed_incidents = d.regressed_incidents + excluded.regressed_incidents`;

/**
 * Creates a release that an upload or a call names, or moves the time of one that is there.
 * @returns null where the project has no room for another one
 */
export async function nameRelease(
  transaction: Transaction,
  projectId: string,
  version: string,
  by: 'upload' | 'api',
): Promise<{ releaseId: string; isNew: boolean } | null> {
  const [row] = await transaction.query<{ release_id: string; is_new: boolean }>(
    sql('release-name')`insert into releases (project_id, release_id, version, created_by, first_at)
        select $1, $2, $3, $4, culprit_now()
        where exists (select from releases where project_id = $1 and version = $3)
          or (select count(*) from releases where project_id = $1) < ${RELEASES_MAX}
        on conflict (project_id, version) do update set last_named_at = culprit_now()
        returning release_id, release_id = $2 as is_new`,
    [projectId, newUuid(), version, by],
  );
  return row === undefined ? null : { releaseId: row.release_id, isNew: row.is_new };
}
