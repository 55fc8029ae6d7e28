import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';

/** Statements on the releases in which incidents are resolved (docs/contract/source-maps.md 10.4). */

export interface Resolution {
  incidentId: string;
  kind: 'next_release' | 'release';
  /** The latest release of its service when it was resolved in the next one. */
  afterVersion: string | null;
  /** Null until a later one is seen. */
  version: string | null;
  /** The time when the release was chosen. */
  setAtMs: number;
  /** Releases before it whose signals are in its history. */
  oldReleases: readonly string[];
}

/** Its columns, from a resolution `r`. */
const COLUMNS = `r.incident_id as "incidentId", r.kind, r.after_version as "afterVersion", r.version,
  r.set_at as "setAtMs", r.old_releases as "oldReleases"`;

export async function readResolutions(
  database: Queryable,
  incidentIds: readonly string[],
): Promise<Map<string, Resolution>> {
  if (incidentIds.length === 0) return new Map();
  const rows = await database.query<Resolution>(
    sql(
      'resolutions-read',
    )`select ${COLUMNS} from incident_resolutions r where r.incident_id = any ($1::uuid[])`,
    [[...incidentIds]],
  );
  return new Map(rows.map((row) => [row.incidentId, row]));
}

/** Incidents that one new release can end the wait of. */
const OPEN_MAX = 1000;

/** Resolutions in the next release of some services, which no later release has met yet. */
export async function findOpenResolutions(
  database: Queryable,
  projectId: string,
  places: readonly { serviceName: string; environment: string }[],
): Promise<(Resolution & { serviceName: string; environment: string })[]> {
  if (places.length === 0) return [];
  return await database.query<Resolution & { serviceName: string; environment: string }>(
    sql('resolutions-open')`select distinct ${COLUMNS}, i.service_name as "serviceName", i.environment
        from incident_resolutions r join incidents i on i.incident_id = r.incident_id
        join unnest($2::text[], $3::text[]) as p (service_name, environment)
          on p.service_name = i.service_name and p.environment = i.environment
        where r.project_id = $1 and r.version is null limit ${OPEN_MAX}`,
    [projectId, places.map((place) => place.serviceName), places.map((place) => place.environment)],
  );
}

/** The change of a resolution. */
export interface ResolutionChange {
  incidentId: string;
  isEnded: boolean;
  /** The later release that was met; null keeps what is there. */
  version: string | null;
  /** Added to those in the history. */
  oldReleases: readonly string[];
}

/** Writes what became of resolutions. After the incidents are held, because it locks rows. */
export function settleResolutions(transaction: Transaction, changes: readonly ResolutionChange[]): void {
  if (changes.length === 0) return;
  transaction.send(
    sql('resolutions-settle')`
        with sent as (
          select * from json_to_recordset($1::json) as s (incident_id uuid, is_ended boolean, version text,
            old_releases text[])
        ), held as (
          select r.incident_id from incident_resolutions r
          where r.incident_id in (select incident_id from sent) order by r.incident_id for update
        ), ended as (
          delete from incident_resolutions r using sent s join held using (incident_id)
          where r.incident_id = s.incident_id and s.is_ended
        )
        update incident_resolutions r set version = coalesce(r.version, s.version),
          old_releases = r.old_releases || s.old_releases
        from sent s join held using (incident_id)
        where r.incident_id = s.incident_id and not s.is_ended`,
    [
      JSON.stringify(
        changes.map((each) => ({
          incident_id: each.incidentId,
          is_ended: each.isEnded,
          version: each.version,
          old_releases: each.oldReleases,
        })),
      ),
    ],
  );
}

/** Sets the releases in which held incidents are resolved. */
export async function writeResolutions(
  transaction: Transaction,
  resolutions: readonly (Omit<Resolution, 'setAtMs' | 'oldReleases'> & { projectId: string })[],
): Promise<void> {
  if (resolutions.length === 0) return;
  await transaction.query(
    sql(
      'resolutions-write',
    )`insert into incident_resolutions (project_id, incident_id, kind, after_version, version)
        select project_id, incident_id, kind, after_version, version
        from json_to_recordset($1::json) as r (project_id uuid, incident_id uuid, kind text, after_version text,
          version text)
        order by incident_id
        on conflict (incident_id) do update set kind = excluded.kind, after_version = excluded.after_version,
          version = excluded.version, set_at = excluded.set_at, old_releases = '{}'`,
    [
      JSON.stringify(
        resolutions.map((each) => ({
          project_id: each.projectId,
          incident_id: each.incidentId,
          kind: each.kind,
          after_version: each.afterVersion,
          version: each.version,
        })),
      ),
    ],
  );
}
