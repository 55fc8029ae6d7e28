import type { TopFrame } from '@culprit/contract/incidents/incident-activity';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { readShortId } from '@culprit/contract/incidents/short-id';
import type { SymbolicationState } from '@culprit/contract/releases/map-words';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { sourceTrust } from '@culprit/evidence/incidents/source-trust';
import type { Queryable } from '../../../platform/db/database.ts';
import { sql, statement } from '../../../platform/db/statement.ts';
import { prefixedId } from '../../../platform/ids.ts';
import type { RecordTable } from '../../../workspace/access/access.queries.ts';
import { TRIAGE_COLUMNS, type TriageRow, triageOf } from '../triage/triage-record.ts';

/** The table in which the binder finds an incident that a request names. */
export const INCIDENT_RECORDS: RecordTable = {
  from: 'incidents i',
  projectId: 'i.project_id',
  recordId: 'i.incident_id',
  findByShortIds: findIncidentsByShortIds,
};

/** Statements of the read side. Writing happens in the processing and the transition statements. */

/** A row of `RECORD_COLUMNS`. */
export interface IncidentRow extends TriageRow {
  incident_id: string;
  is_sample: boolean;
  short_id: string;
  project_id: string;
  project_name: string;
  service_id: string;
  service_name: string;
  latest_deployment_id: string | null;
  environment: string;
  fingerprint: string;
  fingerprint_version: string;
  title: string;
  severity: number;
  status: Incident['status'];
  first_seen_at: number;
  last_seen_at: number;
  occurrence_count: number;
  spike_detected_at: number | null;
  resolved_at: number | null;
  regressed_at: number | null;
  matched_fields: Incident['matched_fields'];
  sources: number;
  symbolication: SymbolicationState | null;
  first_release: string | null;
  last_release: string | null;
  regressed_in_release: string | null;
  resolved_in: Incident['resolved_in'];
  reason_kind: Incident['incident_reason']['kind'];
  reason_description: string;
  reason_event_type: string;
  reason_matched_policy: Incident['incident_reason']['matched_policy'];
}

/** The short number of `incidents i` in project `p`. */
const SHORT_ID = `p.incident_key || '-' || i.number`;

/** The columns of `incidents i` and its project `p`. */
export const RECORD_COLUMNS = `
  i.incident_id, i.sample_id is not null as is_sample, ${SHORT_ID} as short_id, i.project_id, p.name as project_name, i.service_id, i.service_name,
  (select d.deployment_id from deployments d
    where d.project_id = i.project_id and d.service_name = i.service_name and d.environment = i.environment
      and d.deployed_at <= i.last_seen_at
    order by d.deployed_at desc, d.deployment_id desc limit 1) as latest_deployment_id,
  i.environment, encode(i.fingerprint, 'hex') as fingerprint, i.fingerprint_version, i.title, i.severity, i.status,
  i.first_seen_at, i.last_seen_at, i.occurrence_count, i.spike_detected_at, i.resolved_at, i.regressed_at, i.matched_fields,
  i.sources,
  (select b.symbolication from bundles b where b.incident_id = i.incident_id) as symbolication,
  i.first_release, i.last_release, i.regressed_in_release,
  case when i.status = 'resolved' then (
    select json_build_object('kind', n.kind, 'after_version', n.after_version, 'version', n.version)
    from incident_resolutions n where n.incident_id = i.incident_id) end as resolved_in,
  i.reason_kind, i.reason_description, i.reason_event_type, i.reason_matched_policy, ${TRIAGE_COLUMNS}`;

/** The records of incidents that are there, in no order. */
export const findIncidentRecords = statement.many<[incidentIds: readonly string[]], IncidentRow, Incident>(
  'incidents-find',
  `select ${RECORD_COLUMNS}
    from incidents i join projects p on p.project_id = i.project_id and p.deleted_at is null
    where i.incident_id = any ($1::uuid[])`,
  recordOf,
);

/** Returns the services and environments of incidents. */
export const findPlaces = statement.many<
  [incidentIds: readonly string[]],
  { incidentId: string; projectId: string; serviceName: string; environment: string }
>(
  'incidents-places',
  `select incident_id as "incidentId", project_id as "projectId", service_name as "serviceName",
      environment from incidents
    where incident_id = any ($1::uuid[])`,
);

/**
 * Returns the facts of a list's rows besides the record, by incident id; those in no project of the list are missing.
 */
export async function findRowFacts(
  database: Queryable,
  projectIds: readonly string[],
  incidentIds: readonly string[],
): Promise<Map<string, { affectedUsers: number | null; topFrame: TopFrame | null }>> {
  const rows = await database.query<{
    incident_id: string;
    affected_users: number | null;
    top_frame: TopFrame | null;
  }>(
    sql(
      'incidents-row-facts',
    )`select i.incident_id, nullif(i.affected_users, 0) as affected_users, b.top_frame
        from incidents i left join bundles b using (incident_id)
        where i.incident_id = any ($1::uuid[]) and i.project_id = any ($2::uuid[])`,
    [[...incidentIds], [...projectIds]],
  );
  return new Map(
    rows.map((row) => [row.incident_id, { affectedUsers: row.affected_users, topFrame: row.top_frame }]),
  );
}

/** The record that the API shows. */
export function recordOf(row: IncidentRow): Incident {
  return {
    incident_id: prefixedId('inc', row.incident_id),
    short_id: row.short_id,
    project_id: prefixedId('proj', row.project_id),
    project_name: row.project_name,
    service_id: row.service_id,
    service_name: row.service_name,
    latest_deployment_id: row.latest_deployment_id,
    environment: row.environment,
    fingerprint: row.fingerprint,
    fingerprint_version: row.fingerprint_version,
    title: row.title,
    severity: SEVERITIES[row.severity] ?? 'low',
    status: row.status,
    first_seen_at: new Date(row.first_seen_at).toISOString(),
    last_seen_at: new Date(row.last_seen_at).toISOString(),
    occurrence_count: row.occurrence_count,
    spike_detected_at: isoOrNull(row.spike_detected_at),
    resolved_at: isoOrNull(row.resolved_at),
    regressed_at: isoOrNull(row.regressed_at),
    matched_fields: row.matched_fields,
    source_trust: sourceTrust(row.sources),
    symbolication: row.symbolication,
    first_release: row.first_release,
    last_release: row.last_release,
    regressed_in_release: row.regressed_in_release,
    resolved_in: row.resolved_in,
    incident_reason: {
      kind: row.reason_kind,
      description: row.reason_description,
      event_type: row.reason_event_type,
      event_class: 'incident_signal',
      matched_policy: row.reason_matched_policy,
    },
    is_sample: row.is_sample,
    triage: triageOf(row),
  };
}

function isoOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}

/**
 * The incidents of a person's projects that short numbers name, by the number as it was written. The key that a project
 * has counts before those that others had earlier.
 */
async function findIncidentsByShortIds(
  database: Queryable,
  userId: string,
  shortIds: readonly string[],
): Promise<Map<string, string>> {
  const read = shortIds.flatMap((text) => {
    const shortId = readShortId(text);
    return shortId === null ? [] : [{ text, ...shortId }];
  });
  if (read.length === 0) return new Map();
  const rows = await database.query<{ text: string; incident_id: string }>(
    sql('incidents-by-number')`select distinct on (n.text) n.text, i.incident_id
        from unnest($2::text[], $3::text[], $4::integer[]) as n (text, key, number)
        join project_members m on m.user_id = $1
        join projects p on p.project_id = m.project_id and p.deleted_at is null
          and (p.incident_key = n.key or n.key = any (p.former_incident_keys))
        join incidents i on i.project_id = p.project_id and i.number = n.number
        order by n.text, p.incident_key = n.key desc, p.created_at, p.project_id`,
    [userId, read.map(({ text }) => text), read.map(({ key }) => key), read.map(({ number }) => number)],
  );
  return new Map(rows.map((row) => [row.text, row.incident_id]));
}
