import type { ImprovementSensitivity } from '@culprit/contract/incidents/improvements';
import type { CaptureOverrides } from '@culprit/evidence/capture/capture-policy';
import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import type { Plan } from '../../workspace/billing/plan.ts';
import type { Detector } from './detectors.ts';
import type { ImprovementState } from './improvement-state.ts';

/** Statements that count and judge. Bulk rows travel as one JSON text; `json_to_recordset` types them. */

/** The facts of its project that counting needs. */
export interface ObservedProject {
  plan: Plan;
  sensitivity: ImprovementSensitivity;
  capturePreset: string;
  captureOverrides: CaptureOverrides;
  nowMs: number;
}

/**
 * Returns a live project, held until the transaction ends; null when it was deleted. Its plan is that of its
 * organization's terms.
 */
export const lockObservedProject = inTransaction.one<[projectId: string], ObservedProject>(
  'improvements-project',
  `select effective_plan(o, culprit_now()) as plan, p.improvement_bundle_sensitivity as sensitivity,
      p.capture_preset as "capturePreset", p.capture_overrides as "captureOverrides", culprit_now() as "nowMs"
    from projects p join organizations o on o.organization_id = p.organization_id
    where p.project_id = $1 and p.deleted_at is null for key share of p`,
);

/** A key to be counted. */
export interface NewCandidate {
  improvementId: string;
  serviceId: string;
  detector: Detector;
  key: string;
  /** 64 hex digits. */
  fingerprint: string;
  firstAtMs: number;
  lastAtMs: number;
  receivedAtMs: number;
}

/** Makes candidates of the keys that the project does not know. Returns how many. */
export async function insertCandidates(
  transaction: Transaction,
  projectId: string,
  candidates: readonly NewCandidate[],
): Promise<number> {
  const rows = await transaction.query(
    sql(
      'improvements-insert',
    )`insert into improvements (improvement_id, project_id, service_id, service_name, environment, detector,
          detector_key, fingerprint, status, first_detected_at, last_detected_at, last_received_at)
        select n.improvement_id, $1, n.service_id, s.name, s.environment, n.detector, n.detector_key,
          decode(n.fingerprint, 'hex'), 'candidate', n.first_at, n.last_at, n.received_at
        from json_to_recordset($2::json) as n (improvement_id uuid, service_id uuid, detector text, detector_key text,
          fingerprint text, first_at timestamptz, last_at timestamptz, received_at timestamptz)
        join services s on s.service_id = n.service_id and s.project_id = $1
        where not exists (select from improvements i
          where i.service_id = n.service_id and i.fingerprint = decode(n.fingerprint, 'hex'))
        order by n.service_id, n.fingerprint
        on conflict (service_id, fingerprint) do nothing
        returning improvement_id`,
    [
      projectId,
      JSON.stringify(
        candidates.map((each) => ({
          improvement_id: each.improvementId,
          service_id: each.serviceId,
          detector: each.detector,
          detector_key: each.key,
          fingerprint: each.fingerprint,
          first_at: new Date(each.firstAtMs).toISOString(),
          last_at: new Date(each.lastAtMs).toISOString(),
          received_at: new Date(each.receivedAtMs).toISOString(),
        })),
      ),
    ],
  );
  return rows.length;
}

/** An improvement, locked until the transaction ends. */
export interface LockedImprovement {
  improvementId: string;
  serviceId: string;
  fingerprint: string;
  state: ImprovementState;
  bundle: {
    episode: number;
    occurrenceCount: number;
    checkedAtMs: number | null;
    failureReason: string | null;
  };
}

/** Locks improvements by service and fingerprint, in one order for all. */
export async function lockImprovements(
  transaction: Transaction,
  keys: readonly { serviceId: string; fingerprint: string }[],
): Promise<LockedImprovement[]> {
  const rows = await transaction.query<{
    improvement_id: string;
    service_id: string;
    fingerprint: string;
    status: ImprovementState['status'];
    severity: number;
    confidence_percent: number;
    title: string;
    summary: string;
    evidence: Record<string, unknown>;
    occurrence_count: number;
    first_detected_at: number;
    last_detected_at: number;
    last_received_at: number;
    resolved_at: number | null;
    snoozed_until: number | null;
    episode: number;
    bundle_episode: number;
    bundle_occurrence_count: number;
    bundle_checked_at: number | null;
    bundle_failure_reason: string | null;
  }>(
    sql(
      'improvements-lock',
    )`select i.improvement_id, i.service_id, encode(i.fingerprint, 'hex') as fingerprint, i.status, i.severity,
          i.confidence_percent, i.title, i.summary, i.evidence, i.occurrence_count, i.first_detected_at,
          i.last_detected_at, i.last_received_at, i.resolved_at, i.snoozed_until, i.episode, i.bundle_episode,
          i.bundle_occurrence_count, i.bundle_checked_at, i.bundle_failure_reason
        from improvements i
        join json_to_recordset($1::json) as k (service_id uuid, fingerprint text)
          on k.service_id = i.service_id and decode(k.fingerprint, 'hex') = i.fingerprint
        order by i.improvement_id for update of i`,
    [
      JSON.stringify(
        keys.map(({ serviceId, fingerprint }) => ({ service_id: serviceId, fingerprint: fingerprint })),
      ),
    ],
  );
  return rows.map((row) => ({
    improvementId: row.improvement_id,
    serviceId: row.service_id,
    fingerprint: row.fingerprint,
    state: {
      status: row.status,
      severity: row.severity,
      confidencePercent: row.confidence_percent,
      title: row.title,
      summary: row.summary,
      evidence: row.evidence,
      occurrenceCount: row.occurrence_count,
      firstDetectedAtMs: row.first_detected_at,
      lastDetectedAtMs: row.last_detected_at,
      lastReceivedAtMs: row.last_received_at,
      resolvedAtMs: row.resolved_at,
      snoozedUntilMs: row.snoozed_until,
      episode: row.episode,
    },
    bundle: {
      episode: row.bundle_episode,
      occurrenceCount: row.bundle_occurrence_count,
      checkedAtMs: row.bundle_checked_at,
      failureReason: row.bundle_failure_reason,
    },
  }));
}

/** Writes moved improvements back, with the incidents they are about. A new episode has no failure yet. */
export async function updateImprovements(
  transaction: Transaction,
  moved: readonly { improvementId: string; state: ImprovementState; relatedIncidentIds: readonly string[] }[],
): Promise<void> {
  if (moved.length === 0) return;
  await transaction.query(
    sql('improvements-update')`update improvements i set status = m.status, severity = m.severity,
          confidence_percent = m.confidence_percent, title = m.title, summary = m.summary, evidence = m.evidence,
          related_incident_ids = m.related_incident_ids, occurrence_count = m.occurrence_count,
          first_detected_at = m.first_detected_at, last_detected_at = m.last_detected_at,
          last_received_at = m.last_received_at, resolved_at = m.resolved_at, snoozed_until = m.snoozed_until,
          episode = m.episode,
          bundle_failure_reason = case when m.episode = i.episode then i.bundle_failure_reason end
        from json_to_recordset($1::json) as m (improvement_id uuid, status text, severity smallint,
          confidence_percent smallint, title text, summary text, evidence jsonb, related_incident_ids uuid[],
          occurrence_count bigint, first_detected_at timestamptz, last_detected_at timestamptz,
          last_received_at timestamptz, resolved_at timestamptz, snoozed_until timestamptz, episode integer)
        where i.improvement_id = m.improvement_id`,
    [
      JSON.stringify(
        moved.map(({ improvementId, state, relatedIncidentIds }) => ({
          improvement_id: improvementId,
          status: state.status,
          severity: state.severity,
          confidence_percent: state.confidencePercent,
          title: state.title,
          summary: state.summary,
          evidence: state.evidence,
          related_incident_ids: relatedIncidentIds,
          occurrence_count: state.occurrenceCount,
          first_detected_at: isoOf(state.firstDetectedAtMs),
          last_detected_at: isoOf(state.lastDetectedAtMs),
          last_received_at: isoOf(state.lastReceivedAtMs),
          resolved_at: isoOf(state.resolvedAtMs),
          snoozed_until: isoOf(state.snoozedUntilMs),
          episode: state.episode,
        })),
      ),
    ],
  );
}

/** Removes the candidates beyond a number, those with the fewest and oldest observations. */
export const dropCandidates = inTransaction.run<[projectId: string, kept: number]>(
  'improvements-drop-candidates',
  // Rows that others hold are not waited for: they may wait for what is held here.
  `
    with excess as (
      select improvement_id from improvements where project_id = $1 and status = 'candidate'
      order by occurrence_count desc, last_received_at desc, improvement_id offset $2
    ), held as (
      select improvement_id from improvements join excess using (improvement_id)
      for update of improvements skip locked
    )
    delete from improvements i using held where i.improvement_id = held.improvement_id`,
);

/** Returns how many records a project has. */
export const countRecords = inTransaction.value<[projectId: string], number>(
  'improvements-count',
  `select count(*) as records from improvements where project_id = $1 and status <> 'candidate'`,
  0,
);

function isoOf(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
