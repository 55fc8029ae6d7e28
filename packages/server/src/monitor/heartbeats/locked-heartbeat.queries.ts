import type { HeartbeatRunStatus } from '@culprit/contract/monitor/heartbeats';
import type { IncidentStatus } from '@culprit/evidence/incidents/incident-state';
import type { Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import type { CheckState } from '../availability/check-state.ts';
import { lockIncidentStatus } from '../availability/runs.queries.ts';
import { SETTINGS_COLUMNS, type SettingsRow, settingsOf } from './heartbeat-row.ts';
import type { HeartbeatSettings } from './heartbeat-settings.ts';

/** Statements that write down what a job said, and what it did not say. */

/** A heartbeat as the recording transaction holds it. */
export interface LockedHeartbeat {
  heartbeatId: string;
  projectId: string;
  slug: string;
  environment: string;
  /** The service of its incidents where it names none. */
  serviceDefault: string;
  managedBy: 'check_in' | 'member';
  settings: HeartbeatSettings;
  state: CheckState;
  slotOpenedAtMs: number;
  expectedAtMs: number;
  lastCheckInAtMs: number | null;
  lastStatus: HeartbeatRunStatus | null;
  lastDurationMs: number | null;
  minuteBeganAtMs: number;
  minuteCheckIns: number;
  isReportWaiting: boolean;
  reportedBatchId: string | null;
  incident: {
    incidentId: string;
    environment: string;
    service: string;
    status: IncidentStatus | null;
  } | null;
  nowMs: number;
}

/** Locks a heartbeat of a live project; null when it is gone. */
export async function lockHeartbeat(
  transaction: Transaction,
  { projectId, heartbeatId }: { projectId: string; heartbeatId: string },
): Promise<LockedHeartbeat | null> {
  const [project] = await transaction.query<{ slug: string }>(
    sql(
      'heartbeat-project-hold',
    )`select slug from projects where project_id = $1 and deleted_at is null for key share`,
    [projectId],
  );
  if (project === undefined) return null;
  const [row] = await transaction.query<
    SettingsRow & {
      slug: string;
      environment: string;
      managed_by: LockedHeartbeat['managedBy'];
      status: CheckState['status'];
      consecutive_failures: number;
      consecutive_successes: number;
      is_reported: boolean;
      is_report_waiting: boolean;
      slot_opened_at: number;
      expected_at: number;
      last_check_in_at: number | null;
      last_status: HeartbeatRunStatus | null;
      last_duration_ms: number | null;
      minute_began_at: number;
      minute_check_ins: number;
      reported_batch_id: string | null;
      incident_id: string | null;
      incident_environment: string | null;
      incident_service: string | null;
      now: number;
    }
  >(
    sql(
      'heartbeat-hold',
    )`select ${SETTINGS_COLUMNS}, slug, environment, managed_by, status, consecutive_failures, consecutive_successes,
          is_reported, exists (select from batches b where b.batch_id = h.reported_batch_id and b.processed_at is null
            and not exists (select from batch_parts p where p.batch_id = b.batch_id)) as is_report_waiting,
          slot_opened_at, expected_at, last_check_in_at, last_status, last_duration_ms, minute_began_at,
          minute_check_ins, reported_batch_id, incident_id, incident_environment, incident_service,
          culprit_now() as now
        from heartbeats h where project_id = $1 and heartbeat_id = $2 for update`,
    [projectId, heartbeatId],
  );
  if (row === undefined) return null;
  return {
    heartbeatId,
    projectId,
    slug: row.slug,
    environment: row.environment,
    serviceDefault: project.slug,
    managedBy: row.managed_by,
    settings: settingsOf(row),
    state: {
      status: row.status,
      consecutiveFailures: row.consecutive_failures,
      consecutiveSuccesses: row.consecutive_successes,
      isReported: row.is_reported,
    },
    slotOpenedAtMs: row.slot_opened_at,
    expectedAtMs: row.expected_at,
    lastCheckInAtMs: row.last_check_in_at,
    lastStatus: row.last_status,
    lastDurationMs: row.last_duration_ms,
    minuteBeganAtMs: row.minute_began_at,
    minuteCheckIns: row.minute_check_ins,
    isReportWaiting: row.is_report_waiting,
    reportedBatchId: row.reported_batch_id,
    incident:
      row.incident_id === null
        ? null
        : {
            incidentId: row.incident_id,
            environment: row.incident_environment ?? row.environment,
            service: row.incident_service ?? '',
            status: await lockIncidentStatus(transaction, projectId, row.incident_id),
          },
    nowMs: row.now,
  };
}

/** The data that a report stores besides the state. */
interface ReportPlace {
  incidentId: string;
  environment: string;
  service: string;
  batchId: string;
}

/** Saves a locked heartbeat. It is judged next at the deadline of its slot or of its oldest run without an end. */
export async function saveHeartbeat(
  transaction: Transaction,
  after: LockedHeartbeat,
  report: ReportPlace | null,
  awaitedBatchId: string | null,
): Promise<void> {
  const { state } = after;
  await transaction.query(
    sql(
      'heartbeat-save',
    )`update heartbeats h set status = $3, consecutive_failures = $4, consecutive_successes = $5,
          is_reported = $6, slot_opened_at = $7, expected_at = $8,
          judge_at = least($8::timestamptz + make_interval(mins => margin_minutes), (select min(r.timeout_at)
            from heartbeat_runs r where r.heartbeat_id = h.heartbeat_id and r.status = 'in_progress')),
          last_check_in_at = $9, last_status = $10, last_duration_ms = $11, minute_began_at = $12,
          minute_check_ins = $13, incident_id = coalesce($14, incident_id),
          incident_environment = coalesce($15, incident_environment),
          incident_service = coalesce($16, incident_service),
          reported_batch_id = coalesce($17, reported_batch_id),
          -- A failure that is reported again cancels the recovery that was waiting.
          awaited_batch_id = case when $17::uuid is null then coalesce($18, awaited_batch_id) end
        where project_id = $1 and heartbeat_id = $2`,
    [
      after.projectId,
      after.heartbeatId,
      state.status,
      state.consecutiveFailures,
      state.consecutiveSuccesses,
      state.isReported,
      new Date(after.slotOpenedAtMs),
      new Date(after.expectedAtMs),
      after.lastCheckInAtMs === null ? null : new Date(after.lastCheckInAtMs),
      after.lastStatus,
      after.lastDurationMs,
      new Date(after.minuteBeganAtMs),
      after.minuteCheckIns,
      report?.incidentId ?? null,
      report?.environment ?? null,
      report?.service ?? null,
      report?.batchId ?? null,
      awaitedBatchId,
    ],
  );
}
