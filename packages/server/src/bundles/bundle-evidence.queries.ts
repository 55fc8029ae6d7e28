import type { EventType } from '../events/event.ts';
import { eventTypeCode } from '../events/event-codes.ts';
import { identifierHash } from '../events/identifier-hash.ts';
import type { SampleRole } from '../events/sample-role.ts';
import type { Queryable } from '../platform/db/database.ts';

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
  firstSeenAtMs: number;
  lastSeenAtMs: number;
  occurrenceCount: number;
  affectedUsers: number;
  distinctRequests: number;
  occurrencesWithoutRequestId: number;
  occurrencesWithRequestBlock: number;
  suppressedCount: number;
  /** Its first occurrence was sent to see whether capture works. */
  isVerification: boolean;
}

export async function findBundleIncident(
  database: Queryable,
  incidentId: string,
): Promise<BundleIncident | null> {
  const [row] = await database.query<{
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
    first_seen_at: number;
    last_seen_at: number;
    occurrence_count: number;
    affected_users: number;
    distinct_requests: number;
    occurrences_without_request_id: number;
    occurrences_with_request_block: number;
    suppressed_count: number;
    is_verification: boolean;
  }>(
    {
      name: 'bundle-incident',
      text: `select i.project_id, p.slug, i.service_id, i.service_name, i.environment, i.title, i.severity, i.status,
          encode(i.fingerprint, 'hex') as fingerprint, i.fingerprint_kind, i.first_seen_at, i.last_seen_at,
          i.occurrence_count, i.affected_users, i.distinct_requests, i.occurrences_without_request_id,
          i.occurrences_with_request_block, i.suppressed_count, i.is_verification
        from incidents i join projects p on p.project_id = i.project_id and p.deleted_at is null
        where i.incident_id = $1`,
    },
    [incidentId],
  );
  if (row === undefined) return null;
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
    firstSeenAtMs: row.first_seen_at,
    lastSeenAtMs: row.last_seen_at,
    occurrenceCount: row.occurrence_count,
    affectedUsers: row.affected_users,
    distinctRequests: row.distinct_requests,
    occurrencesWithoutRequestId: row.occurrences_without_request_id,
    occurrencesWithRequestBlock: row.occurrences_with_request_block,
    suppressedCount: row.suppressed_count,
    isVerification: row.is_verification,
  };
}

/** Where the bytes of an event lie. */
export interface EventPlace {
  eventId: string;
  batchId: string;
  objectKey: string;
  frameOffset: number;
  frameLength: number;
  recordOffset: number;
  receivedAtMs: number;
  isOriginBound: boolean;
}

export interface PlaceRow {
  event_id: string;
  batch_id: string;
  object_key: string;
  frame_offset: number;
  frame_length: number;
  record_offset: number;
  received_at: number;
  is_origin_bound: boolean;
}

/** The columns of `PlaceRow` but the last, from a row that names an event and from its batch `b`. */
export function placeColumns(event: string): string {
  return `${event}.event_id, ${event}.batch_id, b.object_key,
    coalesce(b.object_offset, 0) + ${event}.frame_offset as frame_offset, ${event}.frame_length, ${event}.record_offset,
    ${event}.received_at`;
}

export function placeOf(row: PlaceRow): EventPlace {
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

/** A kept occurrence: what it stands for, and where its bytes lie. */
export interface SamplePlace extends EventPlace {
  severity: number;
  roles: SampleRole[];
}

/**
 * The kept occurrences of an incident whose raw events are still there, and those whose retention is over
 * (incidents.md 8).
 */
export async function findSamplePlaces(
  database: Queryable,
  incidentId: string,
): Promise<{ kept: SamplePlace[]; lost: Pick<SamplePlace, 'eventId' | 'roles'>[] }> {
  const rows = await database.query<
    Omit<PlaceRow, 'object_key'> & { object_key: string | null; severity: number; roles: SampleRole[] }
  >(
    {
      name: 'bundle-samples',
      text: `select ${placeColumns('s')}, s.is_origin_bound, s.severity, s.roles
        from incident_samples s left join batches b using (batch_id)
        where s.incident_id = $1 order by s.effective_at, s.event_id`,
    },
    [incidentId],
  );
  const kept: SamplePlace[] = [];
  const lost: Pick<SamplePlace, 'eventId' | 'roles'>[] = [];
  for (const { object_key: objectKey, ...row } of rows) {
    const { severity, roles } = row;
    if (objectKey === null) lost.push({ eventId: row.event_id, roles });
    else kept.push({ ...placeOf({ ...row, object_key: objectKey }), severity, roles });
  }
  return { kept, lost };
}

/** What the primary event offers to find its context by. */
export interface ContextKeys {
  projectId: string;
  incidentId: string;
  serviceId: string;
  environment: string;
  atMs: number;
  traceId: string | null;
  requestId: string | null;
  sessionId: string | null;
}

export type ContextRelation = 'trace' | 'request' | 'session' | 'time';

const CONTEXT_CANDIDATES_MAX = 300;
const DAY_MS = 24 * 3_600_000;

const SERVER_TYPES: readonly EventType[] = ['log_event', 'request_event', 'probe_event'];
const BROWSER_TYPES: readonly EventType[] = ['frontend_breadcrumb', 'frontend_exception'];

/** Windows around the primary event, by relation (incidents.md 3.3). */
const WINDOWS: Record<ContextRelation, { beforeMs: number; afterMs: number }> = {
  trace: { beforeMs: DAY_MS, afterMs: DAY_MS },
  request: { beforeMs: DAY_MS, afterMs: DAY_MS },
  session: { beforeMs: 5 * 60_000, afterMs: 30_000 },
  time: { beforeMs: 30_000, afterMs: 5_000 },
};

/** An event around the primary one. */
export interface ContextPlace extends EventPlace {
  relation: ContextRelation;
  /** It is an occurrence of another incident. */
  isSignal: boolean;
}

/** Events that share an id with the primary one, or its moment where neither carries an id; nearest first. */
export async function findContextPlaces(database: Queryable, keys: ContextKeys): Promise<ContextPlace[]> {
  const found: ContextPlace[] = [];
  const seen = new Set<string>();
  const lookUps: [ContextRelation, string | null, string, readonly EventType[]][] = [
    [
      'trace',
      hashOrNull(keys.traceId),
      'e.project_id = $1 and e.trace_hash = $2',
      [...SERVER_TYPES, ...BROWSER_TYPES],
    ],
    ['request', hashOrNull(keys.requestId), 'e.project_id = $1 and e.request_hash = $2', SERVER_TYPES],
    [
      'session',
      hashOrNull(keys.sessionId),
      'e.project_id = $1 and e.session_hash = $2',
      [...BROWSER_TYPES, 'request_event'],
    ],
  ];
  if (keys.traceId === null && keys.requestId === null) {
    const loose = `e.project_id = $1 and e.service_id = $2::uuid and e.event_type in (3, 7) and e.trace_hash is null
      and e.request_hash is null`;
    lookUps.push(['time', keys.serviceId, loose, ['log_event', 'probe_event']]);
  }
  for (const [relation, value, condition, types] of lookUps) {
    if (value === null) continue;
    const { beforeMs, afterMs } = WINDOWS[relation];
    const rows = await database.query<PlaceRow & { is_signal: boolean }>(
      { name: `bundle-context-${relation}`, text: contextText(condition) },
      [
        keys.projectId,
        value,
        keys.environment,
        types.map(eventTypeCode),
        new Date(keys.atMs - beforeMs),
        new Date(keys.atMs + afterMs),
        new Date(keys.atMs),
        keys.incidentId,
        CONTEXT_CANDIDATES_MAX,
      ],
    );
    for (const row of rows) {
      if (seen.has(row.event_id)) continue;
      seen.add(row.event_id);
      found.push({ ...placeOf(row), relation, isSignal: row.is_signal });
    }
  }
  return found;
}

function hashOrNull(id: string | null): string | null {
  return id === null ? null : String(identifierHash(id));
}

// The look-back by receive time lets PostgreSQL skip the partitions of older days. An event is received at most ten
// minutes before the time it is believed to have (incidents.md 5.2).
function contextText(condition: string): string {
  return `
    select ${placeColumns('e')},
      false as is_origin_bound, e.is_counted as is_signal
    from events e
    join batches b on b.batch_id = e.batch_id
    join services s on s.service_id = e.service_id
    where ${condition} and s.environment = $3 and e.event_type = any ($4::smallint[])
      and e.occurred_at between $5 and $6 and e.received_at >= $5::timestamptz - interval '10 min'
      and (e.incident_id is distinct from $8::uuid or not e.is_counted)
    order by abs(extract(epoch from e.occurred_at - $7::timestamptz)), e.event_id limit $9`;
}

/** The 20 newest deployments of a service and the newest at or before each of the moments, newest first. */
export async function findBundleDeployments(
  database: Queryable,
  service: { projectId: string; name: string; environment: string },
  momentsMs: readonly number[],
) {
  const rows = await database.query<{
    version: string | null;
    commit_sha: string | null;
    branch: string | null;
    deployed_at: number;
    received_at: number;
  }>(
    {
      name: 'bundle-deployments',
      text: `
        select version, commit_sha, branch, deployed_at, received_at from (
          (select * from deployments where project_id = $1 and service_name = $2 and environment = $3
            order by deployed_at desc, deployment_id desc limit 20)
          union
          select d.* from unnest($4::timestamptz[]) as t (moment)
          cross join lateral (
            select * from deployments
            where project_id = $1 and service_name = $2 and environment = $3 and deployed_at <= t.moment
            order by deployed_at desc, deployment_id desc limit 1
          ) d
        ) found order by deployed_at desc, deployment_id desc`,
    },
    [service.projectId, service.name, service.environment, momentsMs.map((momentMs) => new Date(momentMs))],
  );
  return rows.map((row) => ({
    version: row.version,
    commitSha: row.commit_sha,
    branch: row.branch,
    deployedAtMs: row.deployed_at,
    receivedAtMs: row.received_at,
  }));
}
