import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import type { Likeness } from './similarity.ts';

/** Incidents that are looked at: the project's that were seen last. */
const LOOKED_AT_MAX = 2000;
/** The number of those that are compared. */
const COMPARED_MAX = 200;

interface Candidate extends Likeness {
  incidentId: string;
}

/**
 * Returns the incident itself first, then those of its project that share its error type, the file of its first in-app
 * frame or the fingerprint of its client, the last seen first. Those that were merged with it are omitted.
 */
export async function findCandidates(database: Queryable, incidentId: string): Promise<Candidate[]> {
  return await database.query<Candidate>(CANDIDATES, [incidentId]);
}

const CANDIDATES = sql('incidents-similar')`
    with subject as materialized (
      select i.incident_id, i.project_id, i.title, i.first_seen_at, i.sample_id, b.top_frame, b.client_grouping,
        split_part(i.title, ': ', 1) as error_type, b.top_frame ->> 'file' as file
      from incidents i left join bundles b using (incident_id)
      where i.incident_id = $1
    )
    select incident_id as "incidentId", title, first_seen_at as "firstSeenAtMs", top_frame as "topFrame",
      client_grouping as "clientGrouping"
    from subject
    union all
    (
      select i.incident_id, i.title, i.first_seen_at, i.top_frame, i.client_grouping
      from subject s cross join lateral (
        select i.incident_id, i.title, i.first_seen_at, i.last_seen_at, b.top_frame, b.client_grouping
        from (
          select incident_id, title, first_seen_at, last_seen_at, sample_id from incidents
          where project_id = s.project_id
          order by seen_step desc, last_seen_at desc, incident_id desc limit ${LOOKED_AT_MAX}
        ) i left join bundles b using (incident_id)
        where i.incident_id <> s.incident_id
          -- Sample data are not merged with what the project has.
          and (i.sample_id is null) = (s.sample_id is null)
          and (split_part(i.title, ': ', 1) = s.error_type or b.top_frame ->> 'file' = s.file
            or b.client_grouping = s.client_grouping)
          and not exists (select from incident_aliases a
            where a.incident_id = s.incident_id and a.from_incident_id = i.incident_id
              or a.incident_id = i.incident_id and a.from_incident_id = s.incident_id)
      ) i
      order by (i.top_frame = s.top_frame) desc nulls last, i.last_seen_at desc, i.incident_id desc
      limit ${COMPARED_MAX}
    )`;
