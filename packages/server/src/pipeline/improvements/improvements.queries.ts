import type {
  Improvement,
  ImprovementBundleFailureReason,
  ImprovementSensitivity,
  ImprovementStatus,
} from '@culprit/contract/incidents/improvements';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { RecordTable } from '../../workspace/access/access.queries.ts';
import { DETECTORS, type Detector } from './detectors.ts';
import type { ImprovementState } from './improvement-state.ts';

/** The table in which the binder finds an improvement that a request names. */
export const IMPROVEMENT_RECORDS: RecordTable = {
  from: 'improvements i',
  projectId: 'i.project_id',
  recordId: 'i.improvement_id',
  condition: `i.status <> 'candidate'`,
};

/** Statements of the read side and of what people do. Candidates are never among the records. */

/** Returns the time when an improvement of one of the projects was last detected; null when it is not among them. */
export async function findDetectedAt(
  database: Queryable,
  projectIds: readonly string[],
  improvementId: string,
): Promise<number | null> {
  const [row] = await database.query<{ last_detected_at: number }>(
    sql('improvement-detected-at')`select last_detected_at from improvements
        where improvement_id = $1 and project_id = any ($2::uuid[]) and status <> 'candidate'`,
    [improvementId, [...projectIds]],
  );
  return row?.last_detected_at ?? null;
}

interface ImprovementFilter {
  projectIds: readonly string[];
  environment: string | null;
  service: string | null;
  status: ImprovementStatus | null;
  severity: number | null;
  detectors: readonly Detector[] | null;
  page: TimePage;
}

interface ImprovementRow {
  improvement_id: string;
  project_id: string;
  project_name: string;
  project_slug: string;
  service_id: string;
  service_name: string;
  service_runtime: string | null;
  service_framework: string | null;
  environment: string;
  detector: Detector;
  status: ImprovementStatus;
  severity: number;
  confidence_percent: number;
  fingerprint: string;
  title: string;
  summary: string;
  occurrence_count: number;
  evidence: Improvement['evidence'];
  related_incident_ids: string[];
  first_detected_at: number;
  last_detected_at: number;
  resolved_at: number | null;
  snoozed_until: number | null;
  bundle_generation: number;
  bundle_created_at: number | null;
  bundle_updated_at: number | null;
  bundle_failure_reason: ImprovementBundleFailureReason | null;
}

const RECORD_COLUMNS = `
  i.improvement_id, i.project_id, p.name as project_name, p.slug as project_slug, i.service_id, i.service_name,
  s.runtime as service_runtime, s.framework as service_framework, i.environment, i.detector, i.status, i.severity,
  i.confidence_percent, encode(i.fingerprint, 'hex') as fingerprint, i.title, i.summary, i.occurrence_count, i.evidence,
  i.related_incident_ids, i.first_detected_at, i.last_detected_at, i.resolved_at, i.snoozed_until, i.bundle_generation,
  i.bundle_created_at, i.bundle_updated_at, i.bundle_failure_reason`;

/** A page of improvements, latest activity first. Each project gives its own first rows from its index. */
export async function listImprovementRows(
  database: Queryable,
  filter: ImprovementFilter,
): Promise<Improvement[]> {
  const rows = await database.query<ImprovementRow>(
    sql('improvements-list')`
        with page as (
          select i.improvement_id, i.last_detected_at
          from unnest($1::uuid[]) as v (project_id)
          cross join lateral (
            select i.improvement_id, i.last_detected_at from improvements i
            where i.project_id = v.project_id and i.status <> 'candidate'
              and ($2::text is null or i.environment = $2)
              and ($3::text is null or i.service_name = $3)
              and ($4::text is null or i.status = $4)
              and ($5::smallint is null or i.severity = $5)
              and ($6::text[] is null or i.detector = any ($6))
              and ($7::timestamptz is null or (i.last_detected_at, i.improvement_id) < ($7, $8::uuid))
            order by i.last_detected_at desc, i.improvement_id desc limit $9
          ) i
          order by i.last_detected_at desc, i.improvement_id desc limit $9
        )
        select ${RECORD_COLUMNS}
        from page join improvements i using (improvement_id) join projects p on p.project_id = i.project_id
        left join services s on s.service_id = i.service_id
        order by page.last_detected_at desc, page.improvement_id desc`,
    [
      [...filter.projectIds],
      filter.environment,
      filter.service,
      filter.status,
      filter.severity,
      filter.detectors === null ? null : [...filter.detectors],
      ...pageParameters(filter.page),
    ],
  );
  return rows.map(recordOf);
}

/** The record of an improvement; null when there is none, or it is only a candidate. */
export const findImprovementRecord = statement.one<[improvementId: string], ImprovementRow, Improvement>(
  'improvement-find',
  `select ${RECORD_COLUMNS}
    from improvements i
    join projects p on p.project_id = i.project_id and p.deleted_at is null
    left join services s on s.service_id = i.service_id
    where i.improvement_id = $1 and i.status <> 'candidate'`,
  recordOf,
);

/** The facts that a change of an improvement needs, with the row locked. */
interface ChangedImprovement extends Pick<ImprovementState, 'status' | 'resolvedAtMs' | 'snoozedUntilMs'> {
  projectId: string;
  detector: Detector;
  /** There is no document for its episode. */
  lacksBundle: boolean;
  nowMs: number;
}

/** Locks a record for a change by a person who was seen to have a place at it. */
export async function lockImprovementRecord(
  transaction: Transaction,
  improvementId: string,
): Promise<ChangedImprovement | null> {
  const [row] = await transaction.query<{
    project_id: string;
    detector: Detector;
    status: ImprovementState['status'];
    resolved_at: number | null;
    snoozed_until: number | null;
    lacks_bundle: boolean;
  }>(
    sql(
      'improvement-record-lock',
    )`select project_id, detector, status, resolved_at, snoozed_until, bundle_episode < episode as lacks_bundle
        from improvements where improvement_id = $1 and status <> 'candidate' for update`,
    [improvementId],
  );
  if (row === undefined) return null;
  // Behind the lock: nothing that was counted before is newer than this.
  const nowMs = await readImprovementClock(transaction);
  return {
    projectId: row.project_id,
    detector: row.detector,
    status: row.status,
    resolvedAtMs: row.resolved_at,
    snoozedUntilMs: row.snoozed_until,
    lacksBundle: row.lacks_bundle,
    nowMs,
  };
}

/** The database's clock, in milliseconds since the epoch. */
async function readImprovementClock(database: Queryable): Promise<number> {
  const [row] = await database.query<{ now: number }>(sql('improvements-clock')`select culprit_now() as now`);
  if (row === undefined) throw new Error('the clock did not answer');
  return row.now;
}

/**
 * Writes a change. Observations that were counted before a resolution no longer count towards a threshold
 * (docs/contract/incidents.md 6.3).
 */
export async function saveImprovementChange(
  transaction: Transaction,
  improvementId: string,
  state: Pick<ImprovementState, 'status' | 'resolvedAtMs' | 'snoozedUntilMs'>,
): Promise<void> {
  const dateOf = (timeMs: number | null) => (timeMs === null ? null : new Date(timeMs));
  await transaction.query(
    sql('improvement-change')`
        with counters as (
          delete from improvement_counters where improvement_id = $1 and $2 = 'resolved'
        ), attempts as (
          delete from improvement_attempts where improvement_id = $1 and $2 = 'resolved'
        )
        update improvements set status = $2, resolved_at = $3, snoozed_until = $4 where improvement_id = $1`,
    [improvementId, state.status, dateOf(state.resolvedAtMs), dateOf(state.snoozedUntilMs)],
  );
}

/** The saved settings of a project; null when it was deleted. */
export interface SavedSettings {
  isAutomated: boolean;
  sensitivity: ImprovementSensitivity;
}

export const findImprovementSettings = statement.one<[projectId: string], SavedSettings>(
  'improvement-settings-find',
  `select automated_improvement_bundles_enabled as "isAutomated",
      improvement_bundle_sensitivity as sensitivity
    from projects where project_id = $1 and deleted_at is null`,
);

/** Saves what is given; null leaves a value. Returns what is saved then, or null when the project is gone. */
export async function saveImprovementSettings(
  database: Queryable,
  projectId: string,
  settings: { isAutomated: boolean | null; sensitivity: ImprovementSensitivity | null },
): Promise<SavedSettings | null> {
  const [row] = await database.query<SavedSettings>(
    sql('improvement-settings-save')`update projects set
          automated_improvement_bundles_enabled = coalesce($2, automated_improvement_bundles_enabled),
          improvement_bundle_sensitivity = coalesce($3, improvement_bundle_sensitivity)
        where project_id = $1 and deleted_at is null
        returning automated_improvement_bundles_enabled as "isAutomated",
          improvement_bundle_sensitivity as sensitivity`,
    [projectId, settings.isAutomated, settings.sensitivity],
  );
  return row ?? null;
}

function recordOf(row: ImprovementRow): Improvement {
  const { kind, signalType } = DETECTORS[row.detector];
  return {
    improvement_id: row.improvement_id,
    project_id: prefixedId('proj', row.project_id),
    project_name: row.project_name,
    project_slug: row.project_slug,
    service_id: row.service_id,
    service_name: row.service_name,
    service_runtime: row.service_runtime,
    service_framework: row.service_framework,
    environment: row.environment,
    kind,
    status: row.status,
    severity: SEVERITIES[row.severity] ?? 'low',
    confidence: row.confidence_percent / 100,
    fingerprint: row.fingerprint,
    title: row.title,
    summary: row.summary,
    occurrence_count: row.occurrence_count,
    evidence: row.evidence,
    related_incident_ids: row.related_incident_ids.map((id) => prefixedId('inc', id)),
    first_detected_at: formatTimestamp(row.first_detected_at),
    last_detected_at: formatTimestamp(row.last_detected_at),
    resolved_at: timestampOrNull(row.resolved_at),
    snoozed_until: timestampOrNull(row.snoozed_until),
    bundle_generation_number: row.bundle_generation,
    bundle_created_at: timestampOrNull(row.bundle_created_at),
    bundle_updated_at: timestampOrNull(row.bundle_updated_at),
    bundle_failure_reason: signalType === null ? 'covered_by_incident_bundle' : row.bundle_failure_reason,
  };
}

function timestampOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : formatTimestamp(timeMs);
}
