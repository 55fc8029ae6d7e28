import type {
  AvailabilityCheck,
  CheckErrorKind,
  CheckMethod,
  CheckResultStatus,
  PausedReason,
} from '@culprit/contract/monitor/availability-checks';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { prefixedId } from '../../platform/ids.ts';
import { WAKE_CHANNEL } from '../../platform/jobs/wake-listener.ts';
import type { RecordTable } from '../../workspace/access/access.queries.ts';
import type { Plan } from '../../workspace/billing/plan.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';
import { AVAILABILITY_WAKE } from './availability.jobs.ts';
import { errorMessage } from './check-outcome.ts';
import type { CheckScope } from './check-scope.ts';
import type { CheckSettings } from './check-settings.ts';

/** The table in which the binder finds a check that a request names. */
export const CHECK_RECORDS: RecordTable = {
  from: 'availability_checks c',
  projectId: 'c.project_id',
  recordId: 'c.check_id',
};

/** Statements over checks as people see and change them, always within one project. */

/** The columns that people set. */
interface CheckSettingsRow {
  name: string;
  url: string;
  method: CheckMethod;
  expected_status_min: number;
  expected_status_max: number;
  timeout_ms: number;
  interval_seconds: number;
  failure_threshold: number;
  recovery_threshold: number;
  environment: string;
  service_name: string | null;
  is_enabled: boolean;
}

interface CheckRow extends CheckSettingsRow {
  check_id: string;
  project_id: string;
  status: Exclude<AvailabilityCheck['status'], 'paused'>;
  pause: PausedReason | null;
  consecutive_failures: number;
  consecutive_successes: number;
  linked_incident_id: string | null;
  linked_incident_status: AvailabilityCheck['linked_incident_status'];
  last_checked_at: number | null;
  next_check_at: number;
  last_result_status: CheckResultStatus | null;
  last_result_http_status: number | null;
  last_result_error_kind: CheckErrorKind | null;
  last_result_duration_ms: number | null;
  created_at: number;
  updated_at: number;
}

const COLUMNS = `c.check_id, c.project_id, c.name, c.url, c.method, c.expected_status_min, c.expected_status_max,
  c.timeout_ms, c.interval_seconds, c.failure_threshold, c.recovery_threshold, c.environment, c.service_name,
  c.is_enabled, c.status, c.consecutive_failures, c.consecutive_successes, c.last_checked_at, c.next_check_at,
  c.last_result_status, c.last_result_http_status, c.last_result_error_kind, c.last_result_duration_ms, c.created_at,
  c.updated_at, availability_pause(c, $2, $3) as pause, i.incident_id as linked_incident_id,
  i.status as linked_incident_status`;

/** The incident is there once its first failure is processed, until its retention ends. */
const FROM = `availability_checks c
  left join incidents i on i.incident_id = c.incident_id and i.project_id = c.project_id`;

function recordOf(row: CheckRow, plan: Plan): AvailabilityCheck {
  return {
    check_id: row.check_id,
    project_id: prefixedId('proj', row.project_id),
    name: row.name,
    url: row.url,
    method: row.method,
    expected_status_min: row.expected_status_min,
    expected_status_max: row.expected_status_max,
    timeout_ms: row.timeout_ms,
    interval_seconds: row.interval_seconds,
    failure_threshold: row.failure_threshold,
    recovery_threshold: row.recovery_threshold,
    environment: row.environment,
    service_name: row.service_name,
    enabled: row.is_enabled,
    status: row.pause === null ? row.status : 'paused',
    paused_reason: row.pause,
    organization_plan: plan,
    consecutive_failures: row.consecutive_failures,
    consecutive_successes: row.consecutive_successes,
    linked_incident_id: row.linked_incident_id === null ? null : prefixedId('inc', row.linked_incident_id),
    linked_incident_status: row.linked_incident_status,
    last_checked_at: timeOrNull(row.last_checked_at),
    next_check_at: row.pause === null ? formatTimestamp(row.next_check_at) : null,
    last_result_status: row.last_result_status,
    last_result_http_status: row.last_result_http_status,
    last_result_error_kind: row.last_result_error_kind,
    last_result_error_message: errorMessage(row.last_result_error_kind),
    last_result_duration_ms: row.last_result_duration_ms,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : formatTimestamp(timeMs);
}

function scopeParameters({ projectId, allowance }: CheckScope): [string, number, number] {
  return [projectId, allowance.checksMax, allowance.intervalSecondsMin];
}

/** A check of the project; null when it has none with this id. */
export async function findCheck(
  database: Queryable,
  scope: CheckScope,
  checkId: string,
): Promise<AvailabilityCheck | null> {
  const [row] = await database.query<CheckRow>(
    sql(
      'availability-check-find',
    )`select ${COLUMNS} from ${FROM} where c.project_id = $1 and c.check_id = $4`,
    [...scopeParameters(scope), checkId],
  );
  return row === undefined ? null : recordOf(row, scope.plan);
}

/** A page of the project's checks, newest first. */
export async function listCheckRows(
  database: Queryable,
  scope: CheckScope,
  page: TimePage,
): Promise<AvailabilityCheck[]> {
  const rows = await database.query<CheckRow>(
    sql('availability-checks-list')`select ${COLUMNS} from ${FROM}
        where c.project_id = $1 and ($4::timestamptz is null or (c.created_at, c.check_id) < ($4, $5::uuid))
        order by c.created_at desc, c.check_id desc limit $6`,
    [...scopeParameters(scope), ...pageParameters(page)],
  );
  return rows.map((row) => recordOf(row, scope.plan));
}

/**
 * Locks a live project, so that two creations count one after the other.
 * @returns how many checks it has and its default environment; null when it is gone
 */
export async function lockProjectAndCountChecks(
  transaction: Transaction,
  projectId: string,
): Promise<{ checks: number; environmentDefault: string } | null> {
  const project = await lockProject(transaction, projectId);
  if (project === null) return null;
  const [row] = await transaction.query<{ checks: number }>(
    sql(
      'availability-checks-count',
    )`select count(*) as checks from availability_checks where project_id = $1`,
    [projectId],
  );
  return { checks: row?.checks ?? 0, environmentDefault: project.environmentDefault };
}

const SETTINGS_COLUMNS = `name, url, method, expected_status_min, expected_status_max, timeout_ms, interval_seconds,
  failure_threshold, recovery_threshold, environment, service_name, is_enabled`;

function settingsParameters(settings: CheckSettings) {
  return [
    settings.name,
    settings.url,
    settings.method,
    settings.expectedStatusMin,
    settings.expectedStatusMax,
    settings.timeoutMs,
    settings.intervalSeconds,
    settings.failureThreshold,
    settings.recoveryThreshold,
    settings.environment,
    settings.serviceName,
    settings.isEnabled,
  ];
}

/** Inserts a check that is due immediately, and wakes the runners of checks. */
export async function insertCheck(
  transaction: Transaction,
  projectId: string,
  checkId: string,
  settings: CheckSettings,
): Promise<void> {
  await transaction.query(
    sql('availability-check-insert')`with moment as (select culprit_now() as now), made as (
          insert into availability_checks (project_id, check_id, ${SETTINGS_COLUMNS}, grid_at, next_check_at,
            paused_since, created_at, updated_at)
          select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, now, now,
            case when $14 then null else now end, now, now
          from moment
        )
        select pg_notify('${WAKE_CHANNEL}', '${AVAILABILITY_WAKE}')`,
    [projectId, checkId, ...settingsParameters(settings)],
  );
}

/** Locks a check of the project and reads what people set; null when it is gone. */
export const lockCheckSettings = inTransaction.one<
  [projectId: string, checkId: string],
  CheckSettingsRow,
  CheckSettings
>(
  'availability-check-lock',
  `select ${SETTINGS_COLUMNS} from availability_checks where project_id = $1 and check_id = $2
    for update`,
  (row) => ({
    name: row.name,
    url: row.url,
    method: row.method,
    expectedStatusMin: row.expected_status_min,
    expectedStatusMax: row.expected_status_max,
    timeoutMs: row.timeout_ms,
    intervalSeconds: row.interval_seconds,
    failureThreshold: row.failure_threshold,
    recoveryThreshold: row.recovery_threshold,
    environment: row.environment,
    serviceName: row.service_name,
    isEnabled: row.is_enabled,
  }),
);

/**
 * Writes changed settings of a locked check. `resetsEvidence`: its previous runs no longer count, one under way
 * included. `movesSchedule`: it continues at the next point of the grid.
 */
export async function updateCheckRow(
  transaction: Transaction,
  projectId: string,
  checkId: string,
  settings: CheckSettings,
  effect: { resetsEvidence: boolean; movesSchedule: boolean },
): Promise<void> {
  await transaction.query(
    sql('availability-check-update')`with moment as (select culprit_now() as now), changed as (
          update availability_checks c set
            name = $3, url = $4, method = $5, expected_status_min = $6, expected_status_max = $7, timeout_ms = $8,
            interval_seconds = $9, failure_threshold = $10, recovery_threshold = $11, environment = $12,
            service_name = $13, is_enabled = $14,
            status = case when $15 then 'unknown' else status end,
            consecutive_failures = case when $15 then 0 else consecutive_failures end,
            consecutive_successes = case when $15 then 0 else consecutive_successes end,
            -- The lease stays, so that no other run begins while the one that lost its claim is still running.
            claim_number = case when $15 then claim_number + 1 else claim_number end,
            next_check_at = case when $16 and last_checked_at is not null then
              grid_at + (floor(extract(epoch from now - grid_at) / $9::integer) + 1)::float8 * make_interval(secs => $9::integer)
              else next_check_at end,
            paused_since = case when $14 then paused_since else coalesce(paused_since, now) end,
            updated_at = now
          from moment where project_id = $1 and check_id = $2
        )
        select pg_notify('${WAKE_CHANNEL}', '${AVAILABILITY_WAKE}')`,
    [projectId, checkId, ...settingsParameters(settings), effect.resetsEvidence, effect.movesSchedule],
  );
}

/** Deletes a check with its results and days; false when it was gone. */
export const deleteCheckRow = statement.exists<[projectId: string, checkId: string]>(
  'availability-check-delete',
  'delete from availability_checks where project_id = $1 and check_id = $2 returning 1',
);
