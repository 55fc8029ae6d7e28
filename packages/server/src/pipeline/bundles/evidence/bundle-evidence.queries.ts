import type { GroupingExplanation } from '@culprit/contract/incidents/grouping-explanation';
import type { CorrelatedEvidence } from '@culprit/evidence/bundles/evidence/bundle-evidence';
import { CONTEXT_CANDIDATES_MAX, CONTEXT_LOOKUPS } from '@culprit/evidence/bundles/evidence/context-lookups';
import type { SampleRole } from '@culprit/evidence/events/normalize/sample-role';
import { identifierHash } from '@culprit/evidence/events/redact/identifier-hash';
import { columnLiterals, unnestColumns } from '../../../platform/db/bulk-rows.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { eventTypeCode } from '../../stored-events/event-codes.ts';
import { anyHour } from '../../stored-events/hour-keys.ts';
import { notedKinds } from './offered-context.queries.ts';

/** Statements that read what a bundle is made of. */

/** The incident as its bundle shows it. */
export interface BundleIncident {
  projectId: string;
  projectSlug: string;
  serviceId: string;
  serviceName: string;
  environment: string;
  title: string;
  severity: number;
  status: 'open' | 'resolved' | 'regressed';
  fingerprint: string;
  fingerprintKind: string;
  explanation: GroupingExplanation;
  firstSeenAtMs: number;
  lastSeenAtMs: number;
  occurrenceCount: number;
  affectedUsers: number;
  distinctRequests: number;
  occurrencesWithoutRequestId: number;
  occurrencesWithRequestBlock: number;
  suppressedCount: number;
  sources: number;
  /** Its first occurrence was sent to see whether capture works. */
  isVerification: boolean;
  /** It is one of the sample data. */
  isSample: boolean;
  firstRelease: string | null;
  lastRelease: string | null;
  regressedInRelease: string | null;
}

interface IncidentRow {
  incident_id: string;
  project_id: string;
  slug: string;
  service_id: string;
  service_name: string;
  environment: string;
  title: string;
  severity: number;
  status: BundleIncident['status'];
  fingerprint: string;
  fingerprint_kind: string;
  matched_fields: GroupingExplanation['matched_fields'];
  readers: GroupingExplanation['readers'];
  rule: GroupingExplanation['rule'];
  first_seen_at: number;
  last_seen_at: number;
  occurrence_count: number;
  affected_users: number;
  distinct_requests: number;
  occurrences_without_request_id: number;
  occurrences_with_request_block: number;
  suppressed_count: number;
  sources: number;
  is_verification: boolean;
  is_sample: boolean;
  first_release: string | null;
  last_release: string | null;
  regressed_in_release: string | null;
}

/** Incidents of live projects, by id; those that are gone are missing. */
export async function findBundleIncidents(
  database: Queryable,
  incidentIds: readonly string[],
): Promise<Map<string, BundleIncident>> {
  const rows = await database.query<IncidentRow>(
    sql(
      'bundle-incident',
    )`select i.incident_id, i.project_id, p.slug, i.service_id, i.service_name, i.environment, i.title, i.severity, i.status,
          encode(i.fingerprint, 'hex') as fingerprint, i.fingerprint_kind, i.matched_fields, i.readers, i.rule,
          i.first_seen_at, i.last_seen_at, i.occurrence_count, i.affected_users, i.distinct_requests, i.occurrences_without_request_id,
          i.occurrences_with_request_block, i.suppressed_count, i.is_verification,
          i.sample_id is not null as is_sample,
          i.first_release, i.last_release, i.regressed_in_release,
          case when i.sources <> 0 then i.sources when i.reason_event_type like 'frontend%' then 1 else 2 end as sources
        from incidents i join projects p on p.project_id = i.project_id and p.deleted_at is null
        where i.incident_id = any ($1::uuid[])`,
    [incidentIds],
  );
  return new Map(rows.map((row) => [row.incident_id, incidentOf(row)]));
}

function incidentOf(row: IncidentRow): BundleIncident {
  return {
    projectId: row.project_id,
    projectSlug: row.slug,
    serviceId: row.service_id,
    serviceName: row.service_name,
    environment: row.environment,
    title: row.title,
    severity: row.severity,
    status: row.status,
    fingerprint: row.fingerprint,
    fingerprintKind: row.fingerprint_kind,
    explanation: { matched_fields: row.matched_fields, readers: row.readers, rule: row.rule },
    firstSeenAtMs: row.first_seen_at,
    lastSeenAtMs: row.last_seen_at,
    occurrenceCount: row.occurrence_count,
    affectedUsers: row.affected_users,
    distinctRequests: row.distinct_requests,
    occurrencesWithoutRequestId: row.occurrences_without_request_id,
    occurrencesWithRequestBlock: row.occurrences_with_request_block,
    suppressedCount: row.suppressed_count,
    sources: row.sources,
    isVerification: row.is_verification,
    isSample: row.is_sample,
    firstRelease: row.first_release,
    lastRelease: row.last_release,
    regressedInRelease: row.regressed_in_release,
  };
}

/** The place of an event's bytes. */
export interface EventLocation {
  eventId: string;
  batchId: string;
  objectKey: string;
  frameOffset: number;
  frameLength: number;
  recordOffset: number;
  receivedAtMs: number;
  isOriginBound: boolean;
}

export interface LocationRow {
  event_id: string;
  batch_id: string;
  object_key: string;
  frame_offset: number;
  frame_length: number;
  record_offset: number;
  received_at: number;
  is_origin_bound: boolean;
}

/** The columns of `LocationRow` but the last, from a row that names an event and from its batch `b`. */
export function placeColumns(event: string): string {
  return `${event}.event_id, ${event}.batch_id, b.object_key,
    coalesce(b.object_offset, 0) + ${event}.frame_offset as frame_offset, ${event}.frame_length, ${event}.record_offset,
    ${event}.received_at`;
}

export function locationOf(row: LocationRow): EventLocation {
  return {
    eventId: row.event_id,
    batchId: row.batch_id,
    objectKey: row.object_key,
    frameOffset: row.frame_offset,
    frameLength: row.frame_length,
    recordOffset: row.record_offset,
    receivedAtMs: row.received_at,
    isOriginBound: row.is_origin_bound,
  };
}

/** A kept occurrence: its roles, and the place of its bytes. */
interface SampleLocation extends EventLocation {
  severity: number;
  roles: SampleRole[];
}

/** The kept occurrences of an incident. */
export interface IncidentSamples {
  /** The occurrences whose raw events still exist. */
  kept: SampleLocation[];
  /** The occurrences whose retention has ended (docs/contract/incidents.md 8). */
  lost: Pick<SampleLocation, 'eventId' | 'roles'>[];
}

/** The kept occurrences of incidents, by incident; one without any is missing. */
export async function findSampleLocations(
  database: Queryable,
  incidentIds: readonly string[],
): Promise<Map<string, IncidentSamples>> {
  const rows = await database.query<
    Omit<LocationRow, 'object_key'> & {
      incident_id: string;
      object_key: string | null;
      severity: number;
      roles: SampleRole[];
    }
  >(
    sql('bundle-samples')`select s.incident_id, ${placeColumns('s')}, s.is_origin_bound, s.severity, s.roles
        from incident_samples s left join batches b using (batch_id)
        where s.incident_id = any ($1::uuid[]) order by s.effective_at, s.event_id`,
    [incidentIds],
  );
  const found = new Map<string, IncidentSamples>();
  for (const { incident_id: incidentId, object_key: objectKey, ...row } of rows) {
    const { severity, roles } = row;
    const samples = found.get(incidentId) ?? { kept: [], lost: [] };
    found.set(incidentId, samples);
    if (objectKey === null) samples.lost.push({ eventId: row.event_id, roles });
    else samples.kept.push({ ...locationOf({ ...row, object_key: objectKey }), severity, roles });
  }
  return found;
}

/** The values of the primary event with which its context is found. */
interface ContextKeys {
  projectId: string;
  incidentId: string;
  serviceId: string;
  environment: string;
  /** It is the failure of something that the service watches. */
  isOfJob: boolean;
  atMs: number;
  traceId: string | null;
  requestId: string | null;
  sessionId: string | null;
  /** Pages may report the same failure. */
  hasDigest: boolean;
}

/** An event around the primary one. */
interface ContextLocation extends EventLocation {
  relation: CorrelatedEvidence['relation'];
  /** It is an occurrence of another incident. */
  isSignal: boolean;
}

/**
 * Events that share an id with each of the primary ones, or its moment where neither carries an id; nearest first. Types
 * that the project never sent are not looked for.
 * @returns in the order of the keys
 */
export async function findContextLocations(
  database: Queryable,
  keys: readonly ContextKeys[],
): Promise<ContextLocation[][]> {
  const found: ContextLocation[][] = keys.map(() => []);
  const seen = keys.map(() => new Set<string>());
  for (const { relation, beforeMs, afterMs, types, isOfJobs = false } of CONTEXT_LOOKUPS) {
    const asked = keys.flatMap((each, n) => {
      const value = isOfJobs && !each.isOfJob ? null : valuesOf(each)[relation];
      if (value === null) return [];
      return [
        {
          n,
          project_id: each.projectId,
          value,
          environment: each.environment,
          earliest: new Date(each.atMs - beforeMs).toISOString(),
          latest: new Date(each.atMs + afterMs).toISOString(),
          moment: new Date(each.atMs).toISOString(),
          incident_id: each.incidentId,
        },
      ];
    });
    if (asked.length === 0) continue;
    const rows = await database.query<LocationRow & { n: number; is_signal: boolean }>(
      { name: `bundle-context-${relation}`, text: contextText(CONDITIONS[relation]) },
      [
        types.map(eventTypeCode),
        CONTEXT_CANDIDATES_MAX,
        notedKinds(types),
        ...columnLiterals(CONTEXT_COLUMNS, asked),
      ],
    );
    for (const row of rows) {
      if (seen[row.n]?.has(row.event_id) !== false) continue;
      seen[row.n]?.add(row.event_id);
      found[row.n]?.push({ ...locationOf(row), relation, isSignal: row.is_signal });
    }
  }
  return found;
}

const CONTEXT_COLUMNS = [
  ['n', 'integer'],
  ['project_id', 'uuid'],
  ['value', 'text'],
  ['environment', 'text'],
  ['earliest', 'timestamptz'],
  ['latest', 'timestamptz'],
  ['moment', 'timestamptz'],
  ['incident_id', 'uuid'],
] as const;

/** Returns the value with which each relation compares; null if the primary event has none. */
function valuesOf(keys: ContextKeys): Record<CorrelatedEvidence['relation'], string | null> {
  return {
    trace: hashOrNull(keys.traceId),
    request: hashOrNull(keys.requestId),
    session: hashOrNull(keys.sessionId),
    joined: keys.hasDigest ? keys.incidentId : null,
    time: keys.traceId === null && keys.requestId === null ? keys.serviceId : null,
  };
}

const CONDITIONS: Readonly<Record<CorrelatedEvidence['relation'], string>> = {
  trace: `e.project_id = k.project_id and e.trace_hash = any (${anyHour('k.value::bigint')})`,
  request: `e.project_id = k.project_id and e.request_hash = any (${anyHour('k.value::bigint')})`,
  session: `e.project_id = k.project_id and e.session_hash = any (${anyHour('k.value::bigint')})`,
  joined: 'e.project_id = k.project_id and e.incident_id = k.value::uuid and not e.is_counted',
  time: `e.project_id = k.project_id and e.service_id = k.value::uuid and e.event_type in (3, 7) and e.trace_hash is null
      and e.request_hash is null`,
};

function hashOrNull(id: string | null): string | null {
  return id === null ? null : String(identifierHash(id));
}

// The look-back by receive time lets PostgreSQL skip the partitions of older days. An event is received at most ten
// minutes before the time it is believed to have (docs/contract/incidents.md 5.2).
function contextText(condition: string): string {
  return `
    select k.n, found.* from ${unnestColumns(CONTEXT_COLUMNS, 4, 'k')}
    cross join lateral (
      select ${placeColumns('e')},
        false as is_origin_bound, e.is_counted as is_signal,
        abs(extract(epoch from e.occurred_at - k.moment)) as distance
      from events e
      join batches b on b.batch_id = e.batch_id
      join services s on s.service_id = e.service_id
      where ${condition} and s.environment = k.environment and e.event_type = any ($1::smallint[])
        and e.occurred_at between k.earliest and k.latest and e.received_at >= k.earliest - interval '10 min'
        and (e.incident_id is distinct from k.incident_id or not e.is_counted)
      order by distance, e.event_id limit $2
    ) found
    where $3::integer = 0
      or exists (select from context_kinds s where s.project_id = k.project_id and s.offers & $3::integer <> 0)
    order by k.n, found.distance, found.event_id`;
}

/** A deployment as a bundle may name it. */
export interface BundleDeployment {
  version: string | null;
  commitSha: string | null;
  branch: string | null;
  deployedAtMs: number;
  receivedAtMs: number;
}

/** Deployments of a service that a bundle looks at, whatever their moments are. */
const DEPLOYMENTS_MAX = 20;

/** Returns those of the deployments for the moments of several incidents that belong to the moments of one. */
export function deploymentsAt(
  found: readonly BundleDeployment[],
  momentsMs: readonly number[],
): BundleDeployment[] {
  const wanted = new Set(found.slice(0, DEPLOYMENTS_MAX));
  for (const momentMs of momentsMs) {
    const current = found.find(({ deployedAtMs }) => deployedAtMs <= momentMs);
    if (current !== undefined) wanted.add(current);
  }
  return found.filter((each) => wanted.has(each));
}

/** A service as deployments name it, with the moments for which its deployment is requested. */
export interface DeployedService {
  name: string;
  environment: string;
  momentsMs: ReadonlySet<number>;
}

/** For each service its 20 newest deployments and the newest at or before each of its moments, newest first. */
export async function findBundleDeployments(
  database: Queryable,
  projectId: string,
  services: readonly DeployedService[],
): Promise<BundleDeployment[][]> {
  const found: BundleDeployment[][] = services.map(() => []);
  if (services.length === 0) return found;
  const rows = await database.query<{
    n: number;
    version: string | null;
    commit_sha: string | null;
    branch: string | null;
    deployed_at: number;
    received_at: number;
  }>(
    {
      name: 'bundle-deployments',
      // The planner knows the length of arrays, and would plan again for each.
      text: `
        select s.n, found.version, found.commit_sha, found.branch, found.deployed_at, found.received_at
        from json_to_recordset($2::json) as s (n integer, name text, environment text, moments timestamptz[])
        cross join lateral (
          (select * from deployments where project_id = $1 and service_name = s.name and environment = s.environment
            order by deployed_at desc, deployment_id desc limit ${DEPLOYMENTS_MAX})
          union
          select d.* from unnest(s.moments) as t (moment)
          cross join lateral (
            select * from deployments
            where project_id = $1 and service_name = s.name and environment = s.environment
              and deployed_at <= t.moment
            order by deployed_at desc, deployment_id desc limit 1
          ) d
        ) found
        order by s.n, found.deployed_at desc, found.deployment_id desc`,
    },
    [
      projectId,
      JSON.stringify(
        services.map(({ name, environment, momentsMs }, n) => ({
          n,
          name,
          environment,
          moments: Array.from(momentsMs, (momentMs) => new Date(momentMs).toISOString()),
        })),
      ),
    ],
  );
  for (const row of rows) {
    found[row.n]?.push({
      version: row.version,
      commitSha: row.commit_sha,
      branch: row.branch,
      deployedAtMs: row.deployed_at,
      receivedAtMs: row.received_at,
    });
  }
  return found;
}
