import type { Queryable } from '../../../platform/db/database.ts';
import { inTransaction, sql } from '../../../platform/db/statement.ts';

/** Statements on incidents whose maps came after their events. */

/** Days in which an incident was seen that was opened before its project had any map. */
const FORMER_DAYS = 30;

/**
 * Incidents of which a missing map is there now, those seen last first; and those of stacks that no map was asked about,
 * because there was none.
 */
export async function findRemappable(
  database: Queryable,
  projectId: string,
  limit: number,
): Promise<string[]> {
  const rows = await database.query<{ incident_id: string }>(
    sql('maps-late-incidents')`with waiting as (
          select w.incident_id, max(w.last_seen_at) as seen_at from map_waits w
          where w.project_id = $1 and ${IS_THERE} group by w.incident_id
        ), former as (
          select i.incident_id, i.last_seen_at as seen_at from incidents i left join bundles b using (incident_id)
          where i.project_id = $1 and b.symbolication is null and not i.has_mapped_key
            and i.fingerprint_kind in ('exception', 'log') and 'top_frames' = any (i.matched_fields)
            and i.readers && array['js_trace', 'frame_objects']
            and i.seen_step >= seen_step(culprit_now() - make_interval(days => ${FORMER_DAYS}))
            and i.last_seen_at > culprit_now() - make_interval(days => ${FORMER_DAYS})
          order by i.seen_step desc, i.last_seen_at desc limit $2
        )
        select incident_id from (select * from waiting union all select * from former) found
        group by incident_id order by max(seen_at) desc limit $2`,
    [projectId, limit],
  );
  return rows.map((row) => row.incident_id);
}

/** The condition that the map which a wait `w` names is kept. */
const IS_THERE = `exists (
  select from source_map_names n join source_maps m on m.project_id = n.project_id and m.source_map_id = n.source_map_id
  where n.project_id = w.project_id and n.found_by = w.found_by and n.key = w.key and n.base_hash = w.base_hash
    and m.removed_at is null)`;

/** Ends the waits of an incident for maps that are there. */
export const endWaits = inTransaction.send<[projectId: string, incidentId: string]>(
  'maps-late-end-waits',
  `delete from map_waits w where w.project_id = $1 and w.incident_id = $2 and ${IS_THERE}`,
);

/** Returns the state of an incident for late maps; null when it was deleted. */
export const findMapsOfIncident = inTransaction.one<
  [incidentId: string],
  { hasMappedKey: boolean; isMerged: boolean }
>(
  'maps-late-incident',
  `select i.has_mapped_key as "hasMappedKey", a.merged_into is not null as "isMerged" from incidents i
    left join incident_aliases a on a.service_id = i.service_id and a.fingerprint_version = i.fingerprint_version
      and a.fingerprint = i.fingerprint
    where i.incident_id = $1`,
);
