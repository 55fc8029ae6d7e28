import type { Queryable } from '../../../platform/db/database.ts';

/** A release that a server says it runs. */
export interface SeenRelease {
  serviceId: string;
  release: string;
  /** Of the earliest event that names it. */
  seenAtMs: number;
}

/** New releases of one service that are noted in a day; a program that makes one with each start stays bounded. */
const NEW_RELEASES_PER_DAY_MAX = 200;

/**
 * Notes releases, and tells which of them are new, and whether the service had others before.
 * @returns by service and release, `hadOthers` where it was new
 */
export async function noteReleases(
  database: Queryable,
  projectId: string,
  seen: readonly SeenRelease[],
): Promise<{ serviceId: string; release: string; hadOthers: boolean }[]> {
  const rows = await database.query<{ service_id: string; release: string; had_others: boolean }>(
    {
      name: 'service-releases-note',
      text: `
        with seen as (
          select * from json_to_recordset($2::json) as s (service_id uuid, release text, seen_at timestamptz)
        ), known as (
          select s.service_id, count(r.release) as releases,
            count(r.release) filter (where r.first_seen_at > culprit_now() - interval '1 day') as of_today
          from (select distinct service_id from seen) s
          left join service_releases r on r.project_id = $1 and r.service_id = s.service_id
          group by s.service_id
        ), noted as (
          insert into service_releases (project_id, service_id, release, first_seen_at)
          select $1, service_id, release, least(seen_at, culprit_now()) from seen join known using (service_id)
          where of_today < ${NEW_RELEASES_PER_DAY_MAX}
          order by service_id, release
          on conflict do nothing
          returning service_id, release
        )
        select service_id, release, releases > 0 as had_others from noted join known using (service_id)`,
    },
    [
      projectId,
      JSON.stringify(
        seen.map((each) => ({
          service_id: each.serviceId,
          release: each.release,
          seen_at: new Date(each.seenAtMs).toISOString(),
        })),
      ),
    ],
  );
  return rows.map((row) => ({ serviceId: row.service_id, release: row.release, hadOthers: row.had_others }));
}
