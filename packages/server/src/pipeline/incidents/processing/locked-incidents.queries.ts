import type { GroupingKey } from '@culprit/evidence/events/fingerprint/fingerprint';
import type { IncidentState } from '@culprit/evidence/incidents/incident-state';
import type { WakeMarks } from '@culprit/evidence/incidents/snooze';
import { binaryArray } from '../../../platform/db/binary-array.ts';
import { columnLiterals, unnestColumns } from '../../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';

/** Statements over the moving part of incidents: find, make, lock, write. */

/** The marks of a snooze, of `incidents`. */
const WAKE_COLUMNS = `snoozed_until, coalesce(snoozed_count, 0) as snoozed_count, wake_at_count, wake_at_users,
  wake_after_deploy_at, wake_at_hourly`;

/** An incident as the processing transaction holds it. */
export interface LockedIncident {
  incidentId: string;
  serviceId: string;
  fingerprint: string;
  state: IncidentState;
  spikeDetectedAtMs: number | null;
  spikeLastTrueAtMs: number | null;
  affectedUsers: number;
  distinctRequests: number;
  occurrencesWithoutRequestId: number;
  occurrencesWithRequestBlock: number;
  suppressedCount: number;
  /** Joined `signalSource` of its signals. */
  sources: number;
  /** The time when its severity was last raised, or an escalation woke it. */
  escalatedAtMs: number | null;
  /** Versions of the first and the newest of its signals that name a release. */
  firstRelease: string | null;
  lastRelease: string | null;
  /** The release of its latest regression. */
  regressedInRelease: string | null;
  /** Null: it is awake. */
  snooze: WakeMarks | null;
  /** True if the update ends its snooze; that of an incident which is resolved ends in any case. */
  isWoken: boolean;
  /** It is one of the sample data. */
  isSample: boolean;
}

/** A grouping key of a service. */
export interface IncidentKey extends Pick<GroupingKey, 'version' | 'value'> {
  serviceId: string;
  /** True if a browser can have sent the event: keys that browsers connected to others hold for them alone. */
  isBrowser: boolean;
}

/** The ids of the incidents that exist for the keys, without a lock, by `incidentKey`. */
export async function findKnownIncidents(
  database: Queryable,
  keys: readonly IncidentKey[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const rows = await database.query<{ n: number; incident_id: string }>(FIND_INCIDENTS, [
    binaryArray(
      'uuid',
      keys.map((key) => key.serviceId),
    ),
    binaryArray(
      'text',
      keys.map((key) => key.version),
    ),
    binaryArray(
      'text',
      keys.map((key) => key.value),
    ),
    binaryArray(
      'boolean',
      keys.map((key) => key.isBrowser),
    ),
  ]);
  const known = new Map<string, string>();
  for (const { n, incident_id } of rows) {
    const key = keys[n - 1];
    if (key !== undefined) known.set(incidentKey(key), incident_id);
  }
  return known;
}

const FIND_INCIDENTS = sql('incidents-by-key')`
    select k.n::integer as n, coalesce(a.incident_id, i.incident_id) as incident_id
    from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[]) with ordinality
      as k (service_id, version, fingerprint, is_browser, n)
    left join (incident_aliases a join incidents ai on ai.incident_id = a.incident_id)
      on a.service_id = k.service_id and a.fingerprint_version = k.version
      and a.fingerprint = decode(k.fingerprint, 'hex') and (not a.is_browser or k.is_browser)
    left join incidents i on i.service_id = k.service_id and i.fingerprint_version = k.version
      and i.fingerprint = decode(k.fingerprint, 'hex')
    where coalesce(a.incident_id, i.incident_id) is not null`;

/** Returns one text for a key, which distinguishes it from every other. */
export function incidentKey({ serviceId, value, isBrowser }: IncidentKey): string {
  return `${serviceId} ${value} ${isBrowser}`;
}

interface HeldRow extends WakeRow {
  incident_id: string;
  service_id: string;
  fingerprint: string;
  status: IncidentState['status'];
  severity: number;
  first_seen_at: number;
  last_seen_at: number;
  occurrence_count: number;
  resolved_at: number | null;
  resolved_by_user_id: string | null;
  regressed_at: number | null;
  status_changed_at: number;
  newest_received_at: number;
  spike_detected_at: number | null;
  spike_last_true_at: number | null;
  affected_users: number;
  distinct_requests: number;
  occurrences_without_request_id: number;
  occurrences_with_request_block: number;
  suppressed_count: number;
  sources: number;
  escalated_at: number | null;
  first_release: string | null;
  last_release: string | null;
  regressed_in_release: string | null;
  is_sample: boolean;
}

/** A row of `WAKE_COLUMNS`. */
interface WakeRow {
  snoozed_until: number | null;
  snoozed_count: number;
  wake_at_count: number | null;
  wake_at_users: number | null;
  wake_after_deploy_at: number | null;
  wake_at_hourly: number | null;
}

/** Locks incidents in the order of their ids and reads them. */
export async function lockIncidents(
  transaction: Transaction,
  incidentIds: readonly string[],
): Promise<LockedIncident[]> {
  if (incidentIds.length === 0) return [];
  const rows = await transaction.query<HeldRow>(
    sql(
      'incidents-lock',
    )`select incident_id, service_id, encode(fingerprint, 'hex') as fingerprint, status, severity,
          first_seen_at, last_seen_at, occurrence_count, resolved_at, resolved_by_user_id, regressed_at,
          status_changed_at, newest_received_at, spike_detected_at, spike_last_true_at, affected_users,
          distinct_requests, occurrences_without_request_id, occurrences_with_request_block, suppressed_count,
          sources, escalated_at, first_release, last_release,
          regressed_in_release, sample_id is not null as is_sample, ${WAKE_COLUMNS}
        from incidents where incident_id = any ($1::uuid[]) order by incident_id for update`,
    [binaryArray('uuid', incidentIds)],
  );
  return rows.map((row) => ({
    incidentId: row.incident_id,
    serviceId: row.service_id,
    fingerprint: row.fingerprint,
    state: {
      status: row.status,
      severity: row.severity,
      firstSeenAtMs: row.first_seen_at,
      lastSeenAtMs: row.last_seen_at,
      occurrenceCount: row.occurrence_count,
      resolvedAtMs: row.resolved_at,
      resolvedByUserId: row.resolved_by_user_id,
      regressedAtMs: row.regressed_at,
      statusChangedAtMs: row.status_changed_at,
      newestReceivedAtMs: row.newest_received_at,
    },
    spikeDetectedAtMs: row.spike_detected_at,
    spikeLastTrueAtMs: row.spike_last_true_at,
    affectedUsers: row.affected_users,
    distinctRequests: row.distinct_requests,
    occurrencesWithoutRequestId: row.occurrences_without_request_id,
    occurrencesWithRequestBlock: row.occurrences_with_request_block,
    suppressedCount: row.suppressed_count,
    sources: row.sources,
    escalatedAtMs: row.escalated_at,
    firstRelease: row.first_release,
    lastRelease: row.last_release,
    regressedInRelease: row.regressed_in_release,
    snooze: wakeMarksOf(row),
    isWoken: false,
    isSample: row.is_sample,
  }));
}

function wakeMarksOf(row: WakeRow): WakeMarks | null {
  if (row.snoozed_until === null) return null;
  return {
    untilMs: row.snoozed_until,
    countAtStart: row.snoozed_count,
    atCount: row.wake_at_count,
    atUsers: row.wake_at_users,
    afterDeployMs: row.wake_after_deploy_at,
    atHourly: row.wake_at_hourly,
  };
}

/** The fixed part of a new incident. */
export interface NewIncident {
  incidentId: string;
  serviceId: string;
  serviceName: string;
  environment: string;
  fingerprintVersion: string;
  fingerprint: string;
  fingerprintKind: string;
  title: string;
  state: IncidentState;
  matchedFields: readonly string[];
  readers: readonly string[];
  rule: string;
  reasonKind: string;
  reasonDescription: string;
  reasonEventType: string;
  reasonMatchedPolicy: string;
  isVerification: boolean;
  /** Its key is of frames that source maps know. */
  hasMappedKey: boolean;
  sources: number;
  isBrowserNoise: boolean;
  /** The release of its first signal, where that names a recorded one. */
  firstRelease: string | null;
  /** The sample data to which it belongs. */
  sampleId: string | null;
}

/**
 * Makes incidents unless another transaction made them first; returns the ids that are ours. One whose key was snoozed
 * when retention removed its incident is born snoozed, with the conditions that were left.
 */
export async function insertIncidents(
  transaction: Transaction,
  projectId: string,
  incidents: readonly NewIncident[],
): Promise<Map<string, WakeMarks | null>> {
  if (incidents.length === 0) return new Map();
  const rows = await transaction.query<WakeRow & { incident_id: string }>(INSERT_INCIDENTS, [
    projectId,
    JSON.stringify(
      incidents.map((each) => ({
        incident_id: each.incidentId,
        service_id: each.serviceId,
        service_name: each.serviceName,
        environment: each.environment,
        fingerprint_version: each.fingerprintVersion,
        fingerprint: each.fingerprint,
        fingerprint_kind: each.fingerprintKind,
        title: each.title,
        severity: each.state.severity,
        seen_at: new Date(each.state.firstSeenAtMs).toISOString(),
        status_changed_at: new Date(each.state.statusChangedAtMs).toISOString(),
        newest_received_at: new Date(each.state.newestReceivedAtMs).toISOString(),
        matched_fields: each.matchedFields,
        readers: each.readers,
        rule: each.rule,
        reason_kind: each.reasonKind,
        reason_description: each.reasonDescription,
        reason_event_type: each.reasonEventType,
        reason_matched_policy: each.reasonMatchedPolicy,
        is_verification: each.isVerification,
        has_mapped_key: each.hasMappedKey,
        sources: each.sources,
        is_browser_noise: each.isBrowserNoise,
        first_release: each.firstRelease,
        sample_id: each.sampleId,
      })),
    ),
  ]);
  return new Map(rows.map((row) => [row.incident_id, wakeMarksOf(row)]));
}

const INSERT_INCIDENTS = sql('incidents-insert')`
    with given as (
      select * from json_to_recordset($2::json) as n (incident_id uuid, service_id uuid, service_name text,
        environment text, fingerprint_version text, fingerprint text, fingerprint_kind text, title text, severity smallint,
        seen_at timestamptz, status_changed_at timestamptz, newest_received_at timestamptz, matched_fields text[],
        readers text[], rule text, reason_kind text, reason_description text, reason_event_type text,
        reason_matched_policy text, is_verification boolean, has_mapped_key boolean,
        sources smallint, is_browser_noise boolean, first_release text, sample_id uuid)
    ), remembered as (
      delete from snooze_memories m using given n
      where m.project_id = $1 and m.service_name = n.service_name and m.environment = n.environment
        and m.fingerprint_version = n.fingerprint_version and m.fingerprint = decode(n.fingerprint, 'hex')
        and m.snoozed_until > (select culprit_now())
      returning n.incident_id, m.*
    ), counted as (
      -- Held until the transaction ends: numbers of a project are given by one transaction at a time.
      insert into incident_numbers as c (project_id, last_number) select $1, count(*) from given
      on conflict (project_id) do update set last_number = c.last_number + excluded.last_number
      returning last_number
    ), made as (
      insert into incidents (incident_id, project_id, number, service_id, service_name, environment, fingerprint_version,
        fingerprint, fingerprint_kind, title, severity, status, first_seen_at, last_seen_at, occurrence_count,
        status_changed_at, newest_received_at, matched_fields, readers, rule, reason_kind, reason_description,
        reason_event_type, reason_matched_policy, is_verification, has_mapped_key, sources, is_browser_noise, first_release, last_release,
        sample_id, snoozed_until,
        snoozed_count, wake_at_count, wake_at_users, wake_after_deploy_at, wake_at_hourly)
      select n.incident_id, $1,
        (select last_number from counted) + 1 - row_number() over (order by seen_at desc, n.incident_id desc),
        service_id, n.service_name, n.environment, n.fingerprint_version,
        decode(n.fingerprint, 'hex'), fingerprint_kind, title, severity, 'open', seen_at, seen_at, 1, status_changed_at,
        newest_received_at, matched_fields, readers, rule, reason_kind, reason_description, reason_event_type,
        reason_matched_policy, is_verification, has_mapped_key, sources, is_browser_noise, first_release, first_release,
        n.sample_id, m.snoozed_until,
        case when m.snoozed_until is not null then 0 end, m.occurrences_left, m.users_left, m.wake_after_deploy_at,
        m.wake_at_hourly
      from given n left join remembered m using (incident_id)
      order by service_id, n.fingerprint
      on conflict (service_id, fingerprint_version, fingerprint) do nothing
      returning incident_id, ${WAKE_COLUMNS}
    ), told as (
      insert into incident_triage (incident_id, project_id, snoozed_at, snoozed_by_user_id, snooze_reason)
      select incident_id, $1, culprit_now(), m.snoozed_by_user_id, m.snooze_reason
      from made join remembered m using (incident_id)
    )
    select * from made`;

/** Writes the moving part of held incidents. */
export function updateIncidents(transaction: Transaction, incidents: readonly LockedIncident[]): void {
  if (incidents.length === 0) return;
  transaction.send(
    UPDATE_INCIDENTS,
    columnLiterals(
      MOVING_COLUMNS,
      incidents.map(({ state, ...each }) => ({
        incident_id: each.incidentId,
        status: state.status,
        severity: state.severity,
        first_seen_at: state.firstSeenAtMs,
        last_seen_at: state.lastSeenAtMs,
        occurrence_count: state.occurrenceCount,
        resolved_at: state.resolvedAtMs,
        resolved_by_user_id: state.resolvedByUserId,
        regressed_at: state.regressedAtMs,
        status_changed_at: state.statusChangedAtMs,
        newest_received_at: state.newestReceivedAtMs,
        spike_detected_at: each.spikeDetectedAtMs,
        spike_last_true_at: each.spikeLastTrueAtMs,
        affected_users: each.affectedUsers,
        distinct_requests: each.distinctRequests,
        occurrences_without_request_id: each.occurrencesWithoutRequestId,
        occurrences_with_request_block: each.occurrencesWithRequestBlock,
        suppressed_count: each.suppressedCount,
        sources: each.sources,
        escalated_at: each.escalatedAtMs,
        is_woken: each.isWoken,
        first_release: each.firstRelease,
        last_release: each.lastRelease,
        regressed_in_release: each.regressedInRelease,
      })),
    ),
  );
}

const MOVING_COLUMNS = [
  ['incident_id', 'uuid'],
  ['status', 'text'],
  ['severity', 'smallint'],
  ['first_seen_at', 'timestamptz'],
  ['last_seen_at', 'timestamptz'],
  ['occurrence_count', 'bigint'],
  ['resolved_at', 'timestamptz'],
  ['resolved_by_user_id', 'uuid'],
  ['regressed_at', 'timestamptz'],
  ['status_changed_at', 'timestamptz'],
  ['newest_received_at', 'timestamptz'],
  ['spike_detected_at', 'timestamptz'],
  ['spike_last_true_at', 'timestamptz'],
  ['affected_users', 'integer'],
  ['distinct_requests', 'integer'],
  ['occurrences_without_request_id', 'bigint'],
  ['occurrences_with_request_block', 'bigint'],
  ['suppressed_count', 'bigint'],
  ['sources', 'smallint'],
  ['escalated_at', 'timestamptz'],
  ['is_woken', 'boolean'],
  ['first_release', 'text'],
  ['last_release', 'text'],
  ['regressed_in_release', 'text'],
] as const;

const UPDATE_INCIDENTS = sql('incidents-update')`
    update incidents i set
      status = u.status, severity = u.severity, first_seen_at = u.first_seen_at, last_seen_at = u.last_seen_at,
      occurrence_count = u.occurrence_count, resolved_at = u.resolved_at,
      resolved_by_user_id = u.resolved_by_user_id, regressed_at = u.regressed_at,
      status_changed_at = u.status_changed_at, newest_received_at = u.newest_received_at,
      spike_detected_at = u.spike_detected_at, spike_last_true_at = u.spike_last_true_at,
      affected_users = u.affected_users, distinct_requests = u.distinct_requests,
      occurrences_without_request_id = u.occurrences_without_request_id,
      occurrences_with_request_block = u.occurrences_with_request_block, suppressed_count = u.suppressed_count,
      sources = u.sources, escalated_at = u.escalated_at, first_release = u.first_release,
      last_release = u.last_release, regressed_in_release = u.regressed_in_release,
      snoozed_until = case when u.is_woken or u.status = 'resolved' then null else i.snoozed_until end
    from ${unnestColumns(MOVING_COLUMNS, 1, 'u')}
    where i.incident_id = u.incident_id`;
