import type { Incident } from '@culprit/contract/incidents';
import type { LogRow } from '@culprit/contract/logs';
import type { PlanSettings } from '../billing/plan.ts';
import { eventTypeOf, levelOfRank } from '../events/event-codes.ts';
import { SEVERITIES } from '../events/severity.ts';
import type { Queryable } from '../platform/db/database.ts';
import { pageParameters, type TimePage } from '../platform/http/time-page.ts';
import { prefixedId } from '../platform/ids.ts';
import { sharedAccessPlan } from '../projects/require-project.ts';

/** Statements of the read side. Writing happens in the processing and the transition statements. */

export interface IncidentFilter {
  projectIds: readonly string[];
  environment: string | null;
  service: string | null;
  status: string | null;
  severity: number | null;
  firstSeenAfterMs: number | null;
  attentionAfterMs: number | null;
}

interface IncidentRow {
  incident_id: string;
  project_id: string;
  project_name: string;
  service_id: string;
  service_name: string;
  latest_deployment_id: string | null;
  environment: string;
  fingerprint: string;
  title: string;
  severity: number;
  status: Incident['status'];
  first_seen_at: number;
  last_seen_at: number;
  occurrence_count: number;
  spike_detected_at: number | null;
  resolved_at: number | null;
  regressed_at: number | null;
  matched_fields: string[];
  reason_kind: Incident['incident_reason']['kind'];
  reason_description: string;
  reason_event_type: string;
  reason_matched_policy: Incident['incident_reason']['matched_policy'];
}

const RECORD_COLUMNS = `
  i.incident_id, i.project_id, p.name as project_name, i.service_id, i.service_name,
  (select d.deployment_id from deployments d
    where d.project_id = i.project_id and d.service_name = i.service_name and d.environment = i.environment
      and d.deployed_at <= i.last_seen_at
    order by d.deployed_at desc, d.deployment_id desc limit 1) as latest_deployment_id,
  i.environment, encode(i.fingerprint, 'hex') as fingerprint, i.title, i.severity, i.status, i.first_seen_at,
  i.last_seen_at, i.occurrence_count, i.spike_detected_at, i.resolved_at, i.regressed_at, i.matched_fields,
  i.reason_kind, i.reason_description, i.reason_event_type, i.reason_matched_policy`;

const FILTER = `
  and ($2::text is null or i.environment = $2)
  and ($3::text is null or i.service_name = $3)
  and ($4::text is null or i.status = $4 or ($4 = 'active' and i.status <> 'resolved'))
  and ($5::smallint is null or i.severity = $5)
  and ($6::timestamptz is null or i.first_seen_at >= $6)
  and ($7::timestamptz is null or i.first_seen_at >= $7 or i.regressed_at >= $7)
  and ($8::timestamptz is null or (i.last_seen_at, i.incident_id) < ($8, $9::uuid))`;

/** A page of incidents, latest activity first. Each project gives its own first rows from its index. */
export async function listIncidentRows(
  database: Queryable,
  filter: IncidentFilter,
  page: TimePage,
): Promise<Incident[]> {
  const rows = await database.query<IncidentRow>(LIST, [
    [...filter.projectIds],
    filter.environment,
    filter.service,
    filter.status,
    filter.severity,
    dateOrNull(filter.firstSeenAfterMs),
    dateOrNull(filter.attentionAfterMs),
    ...pageParameters(page),
  ]);
  return rows.map(recordOf);
}

// The page is chosen by keys alone; the wide columns are read for its rows only.
const LIST = {
  name: 'incidents-list',
  text: `
    with page as (
      select i.incident_id, i.last_seen_at
      from unnest($1::uuid[]) as v (project_id)
      cross join lateral (
        select i.incident_id, i.last_seen_at from incidents i
        where i.project_id = v.project_id ${FILTER}
        order by i.last_seen_at desc, i.incident_id desc limit $10
      ) i
      order by i.last_seen_at desc, i.incident_id desc limit $10
    )
    select ${RECORD_COLUMNS}
    from page join incidents i using (incident_id) join projects p on p.project_id = i.project_id
    order by page.last_seen_at desc, page.incident_id desc`,
};

/** Records of incidents that a person has a place at, in no order, and whether that is paused by the owner's plan. */
export async function findIncidentRecords(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  incidentIds: readonly string[],
): Promise<{ record: Incident; isSuspended: boolean }[]> {
  const rows = await database.query<IncidentRow & { is_suspended: boolean }>(
    {
      name: 'incidents-find',
      text: `select ${RECORD_COLUMNS}, shared_access_suspended(m.role, o, $3) as is_suspended
        from incidents i
        join projects p on p.project_id = i.project_id and p.deleted_at is null
        join organizations o on o.organization_id = p.organization_id
        join project_members m on m.project_id = i.project_id and m.user_id = $1
        where i.incident_id = any ($2::uuid[])`,
    },
    [userId, [...incidentIds], sharedAccessPlan(plans)],
  );
  return rows.map((row) => ({ record: recordOf(row), isSuspended: row.is_suspended }));
}

export interface LogPosition {
  occurredAtMs: number;
  eventId: string;
}

/** A page of the events attached to an incident: its own rows and the context its bundles used (incidents.md 2.6). */
export async function listLogRows(
  database: Queryable,
  incidentId: string,
  page: { level: number | null; after: LogPosition | null; limit: number },
): Promise<{ row: LogRow; position: LogPosition }[]> {
  const rows = await database.query<{
    event_id: string;
    event_type: number;
    occurred_at: number;
    is_sampled: boolean;
    level: number;
  }>(LIST_LOGS, [
    incidentId,
    page.level,
    dateOrNull(page.after?.occurredAtMs ?? null),
    page.after?.eventId ?? null,
    page.limit,
  ]);
  return rows.map((row) => ({
    row: {
      event_id: row.event_id,
      event_type: eventTypeOf(row.event_type),
      occurred_at: new Date(row.occurred_at).toISOString(),
      is_sampled: row.is_sampled,
      level: levelOfRank(row.level),
    },
    position: { occurredAtMs: row.occurred_at, eventId: row.event_id },
  }));
}

// Event ids are compared by bytes, in the order of the index, whatever the database's collation is. A sample keeps its role
// for as long as the incident lives, its detail until the raw event is gone.
const LIST_LOGS = {
  name: 'logs-list',
  text: `
    with own as (
      select event_id, event_type, occurred_at, level from events
      where incident_id = $1 and ($2::smallint is null or level = $2)
        and ($3::timestamptz is null or (occurred_at, event_id) < ($3, $4::text))
      order by occurred_at desc, event_id desc limit $5
    ), linked as (
      select event_id, event_type, occurred_at, level from incident_context
      where incident_id = $1 and ($2::smallint is null or level = $2)
        and ($3::timestamptz is null or (occurred_at, event_id) < ($3, $4::text))
      order by occurred_at desc, event_id desc limit $5
    )
    select r.event_id, r.event_type, r.occurred_at, r.level, exists (
      select from incident_samples s join batches b using (batch_id)
      where s.incident_id = $1 and s.event_id = r.event_id) as is_sampled
    from (select * from own union select * from linked) r
    order by r.occurred_at desc, r.event_id desc limit $5`,
};

function recordOf(row: IncidentRow): Incident {
  return {
    incident_id: prefixedId('inc', row.incident_id),
    project_id: prefixedId('proj', row.project_id),
    project_name: row.project_name,
    service_id: row.service_id,
    service_name: row.service_name,
    latest_deployment_id: row.latest_deployment_id,
    environment: row.environment,
    fingerprint: row.fingerprint,
    fingerprint_version: 'v1',
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
    incident_reason: {
      kind: row.reason_kind,
      description: row.reason_description,
      event_type: row.reason_event_type,
      event_class: 'incident_signal',
      matched_policy: row.reason_matched_policy,
    },
  };
}

function isoOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}

function dateOrNull(timeMs: number | null): Date | null {
  return timeMs === null ? null : new Date(timeMs);
}
