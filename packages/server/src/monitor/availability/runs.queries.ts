import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import type { IncidentStatus } from '@culprit/evidence/incidents/incident-state';
import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import { newUuid } from '../../platform/ids.ts';
import type { CheckOutcome } from './check-outcome.ts';
import type { CheckState, Thresholds } from './check-state.ts';
import type { ClaimedRun } from './claims.queries.ts';

/** Statements that write down what came of a run. */

/** A check as the recording transaction holds it. */
export interface LockedCheck extends Thresholds {
  state: CheckState;
  name: string;
  environment: string;
  serviceName: string | null;
  intervalSeconds: number;
  openFailure: { startedAtMs: number; intervalSeconds: number } | null;
  reportedBatchId: string | null;
  /** Its latest failure is not processed yet, so its incident may still be to come. */
  isReportWaiting: boolean;
  /** The incident of the last reported failure. Status null: the incident does not exist, or no longer. */
  incident: {
    incidentId: string;
    environment: string;
    service: string;
    status: IncidentStatus | null;
  } | null;
  nowMs: number;
}

/**
 * Locks the check of a run in a live project; null when the run no longer counts: another process claimed the check, or
 * its evidence was dropped, or it was deleted.
 */
export async function lockCheck(transaction: Transaction, run: ClaimedRun): Promise<LockedCheck | null> {
  const projects = await transaction.query(
    sql(
      'availability-project-hold',
    )`select 1 from projects where project_id = $1 and deleted_at is null for key share`,
    [run.projectId],
  );
  if (projects.length === 0) return null;
  const [row] = await transaction.query<{
    name: string;
    environment: string;
    service_name: string | null;
    interval_seconds: number;
    failure_threshold: number;
    recovery_threshold: number;
    status: CheckState['status'];
    consecutive_failures: number;
    consecutive_successes: number;
    is_reported: boolean;
    is_report_waiting: boolean;
    failed_at: number | null;
    failed_interval_seconds: number | null;
    reported_batch_id: string | null;
    incident_id: string | null;
    incident_environment: string | null;
    incident_service: string | null;
    now: number;
  }>(
    sql(
      'availability-hold',
    )`select c.name, c.environment, c.service_name, c.interval_seconds, c.failure_threshold,
          c.recovery_threshold, c.status, c.consecutive_failures, c.consecutive_successes, c.is_reported,
          exists (select from batches b where b.batch_id = c.reported_batch_id and b.processed_at is null
            and not exists (select from batch_parts p where p.batch_id = b.batch_id)) as is_report_waiting, c.failed_at,
          c.failed_interval_seconds, c.reported_batch_id, c.incident_id, c.incident_environment, c.incident_service,
          culprit_now() as now
        from availability_checks c where c.check_id = $1 and c.claim_number = $2 for update`,
    [run.checkId, run.claimNumber],
  );
  if (row === undefined) return null;
  const { failed_at: startedAtMs, failed_interval_seconds: intervalSeconds } = row;
  return {
    state: {
      status: row.status,
      consecutiveFailures: row.consecutive_failures,
      consecutiveSuccesses: row.consecutive_successes,
      isReported: row.is_reported,
    },
    name: row.name,
    environment: row.environment,
    serviceName: row.service_name,
    intervalSeconds: row.interval_seconds,
    failureThreshold: row.failure_threshold,
    recoveryThreshold: row.recovery_threshold,
    openFailure: startedAtMs === null || intervalSeconds === null ? null : { startedAtMs, intervalSeconds },
    reportedBatchId: row.reported_batch_id,
    isReportWaiting: row.is_report_waiting,
    incident:
      row.incident_id === null
        ? null
        : {
            incidentId: row.incident_id,
            environment: row.incident_environment ?? row.environment,
            service: row.incident_service ?? '',
            status: await lockIncidentStatus(transaction, run.projectId, row.incident_id),
          },
    nowMs: row.now,
  };
}

/**
 * Returns the status of an incident, which is not deleted before the transaction ends; null when it does not exist. A
 * failure that is reported under its id must not find it deleted (see `findAwaitedIncidents`).
 */
export async function lockIncidentStatus(
  transaction: Transaction,
  projectId: string,
  incidentId: string,
): Promise<IncidentStatus | null> {
  const [row] = await transaction.query<{ status: IncidentStatus }>(
    sql(
      'availability-incident-hold',
    )`select status from incidents where incident_id = $1 and project_id = $2 for key share`,
    [incidentId, projectId],
  );
  return row?.status ?? null;
}

/** Which of these incidents a failure will be counted in that is not processed yet. */
export const findAwaitedIncidents = inTransaction.many<
  [projectId: string, incidentIds: readonly string[]],
  { incident_id: string },
  string
>(
  'availability-incidents-awaited',
  `select distinct c.incident_id from availability_checks c join batches b on b.batch_id = c.reported_batch_id
    where c.project_id = $1 and c.incident_id = any ($2::uuid[]) and b.processed_at is null
      and not exists (select from batch_parts p where p.batch_id = b.batch_id)`,
  (row) => row.incident_id,
);

/** Writes a run down under its slot; false when the slot has one. */
export async function insertResult(
  transaction: Transaction,
  run: ClaimedRun,
  outcome: CheckOutcome,
): Promise<boolean> {
  const rows = await transaction.query(
    sql(
      'availability-result-insert',
    )`insert into availability_results (result_id, check_id, project_id, slot_at, started_at, completed_at,
          duration_ms, status, http_status, error_kind, checked_host, final_url, redirect_count)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        on conflict (check_id, slot_at) do nothing returning 1`,
    [
      newUuid(),
      run.checkId,
      run.projectId,
      new Date(run.slotAtMs),
      new Date(run.startedAtMs),
      new Date(run.startedAtMs + outcome.durationMs),
      outcome.durationMs,
      outcome.status,
      outcome.httpStatus,
      outcome.errorKind,
      new URL(run.target.url).host,
      outcome.finalUrl,
      outcome.redirectCount,
    ],
  );
  return rows.length > 0;
}

/** The changes that a run makes to its check's row; absent parts stay unchanged. */
interface CheckAdvance {
  state: CheckState;
  /** Null: the run was no failure. */
  openFailure: LockedCheck['openFailure'];
  report: { incidentId: string; environment: string; service: string; batchId: string } | null;
  /** The batch behind which the recovery has to resolve the incident; null for none. */
  awaitedBatchId: string | null;
}

/**
 * Ends a claim: the check is due at the next point of its grid.
 * @param advance null for a run that said nothing
 * @returns milliseconds until then
 */
export async function finishRun(
  transaction: Transaction,
  run: ClaimedRun,
  outcome: CheckOutcome,
  advance: CheckAdvance | null,
): Promise<number> {
  if (advance !== null) await writeAdvance(transaction, run.checkId, advance);
  const [row] = await transaction.query<{ wait_ms: number }>(
    sql('availability-run-finish')`with moment as (select greatest(culprit_now(), $2::timestamptz) as now)
        update availability_checks c set
          leased_until = null,
          next_check_at = grid_at + (floor(extract(epoch from now - grid_at) / interval_seconds) + 1)::float8
            * make_interval(secs => interval_seconds),
          last_checked_at = $3, last_result_status = $4, last_result_http_status = $5, last_result_error_kind = $6,
          last_result_duration_ms = $7
        from moment where check_id = $1
        returning extract(epoch from next_check_at - culprit_now())::float8 * 1000 as wait_ms`,
    [
      run.checkId,
      new Date(run.slotAtMs),
      new Date(run.startedAtMs),
      outcome.status,
      outcome.httpStatus,
      outcome.errorKind,
      outcome.durationMs,
    ],
  );
  return Math.max(0, row?.wait_ms ?? 0);
}

async function writeAdvance(transaction: Transaction, checkId: string, advance: CheckAdvance): Promise<void> {
  const { state, openFailure, report } = advance;
  await transaction.query(
    sql('availability-run-advance')`update availability_checks set
          status = $2, consecutive_failures = $3, consecutive_successes = $4, is_reported = $5, failed_at = $6,
          failed_interval_seconds = $7, incident_id = coalesce($8, incident_id),
          incident_environment = coalesce($9, incident_environment),
          incident_service = coalesce($10, incident_service),
          reported_batch_id = coalesce($11, reported_batch_id),
          -- A failure that is reported again cancels the recovery that was waiting.
          awaited_batch_id = case when $11::uuid is null then coalesce($12, awaited_batch_id) end
        where check_id = $1`,
    [
      checkId,
      state.status,
      state.consecutiveFailures,
      state.consecutiveSuccesses,
      state.isReported,
      openFailure === null ? null : new Date(openFailure.startedAtMs),
      openFailure?.intervalSeconds ?? null,
      report?.incidentId ?? null,
      report?.environment ?? null,
      report?.service ?? null,
      report?.batchId ?? null,
      advance.awaitedBatchId,
    ],
  );
}

/** The incident that a check has under this service and environment; null for none. */
export async function findIncidentOfCheck(
  transaction: Transaction,
  key: { projectId: string; environment: string; service: string; fingerprint: string },
): Promise<string | null> {
  const [row] = await transaction.query<{ incident_id: string }>(
    sql('availability-incident-find')`select i.incident_id from services s
        join incidents i on i.service_id = s.service_id and i.fingerprint_version = '${FINGERPRINT_VERSION}'
          and i.fingerprint = decode($4, 'hex')
        where s.project_id = $1 and s.name = $2 and s.environment = $3`,
    [key.projectId, key.service, key.environment, key.fingerprint],
  );
  return row?.incident_id ?? null;
}

/** A recovery whose incident waits for a batch that is processed now. */
interface DueRecovery {
  projectId: string;
  checkId: string;
  incidentId: string | null;
}

/** Locks some recoveries whose failures are processed, or never will be. */
export const claimDueRecoveries = inTransaction.many<[limit: number], DueRecovery>(
  'availability-recoveries-take',
  `with due as materialized (
      select c.check_id from availability_checks c
      left join batches b on b.batch_id = c.awaited_batch_id
      where c.awaited_batch_id is not null and (b.batch_id is null or b.processed_at is not null
        or exists (select from batch_parts p where p.batch_id = b.batch_id))
      order by c.check_id limit $1 for update of c skip locked
    )
    update availability_checks c set awaited_batch_id = null from due where c.check_id = due.check_id
    returning c.project_id as "projectId", c.check_id as "checkId", c.incident_id as "incidentId"`,
);
