import type { Heartbeat, HeartbeatRun, HeartbeatRunStatus } from '@culprit/contract/monitor/heartbeats';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { RecordTable } from '../../workspace/access/access.queries.ts';
import { type Plan, type PlanSettings, planOverride } from '../../workspace/billing/plan.ts';
import {
  SETTINGS_COLUMNS,
  type SettingsRow,
  scheduleOf,
  settingsOf,
  settingsParameters,
} from './heartbeat-row.ts';
import type { HeartbeatSettings } from './heartbeat-settings.ts';

/** Statements over heartbeats as people see and change them, always within one project. */

/** The table in which the binder finds a heartbeat that a request names. */
export const HEARTBEAT_RECORDS: RecordTable = {
  from: 'heartbeats h',
  projectId: 'h.project_id',
  recordId: 'h.heartbeat_id',
};

/** The project whose heartbeats are read, and the address at which they are pinged. */
export interface HeartbeatScope {
  projectId: string;
  baseUrl: string;
  /** True if the address that the job requests is shown. */
  mayChange: boolean;
}

interface HeartbeatRow extends SettingsRow {
  heartbeat_id: string;
  project_id: string;
  slug: string;
  environment: string;
  managed_by: Heartbeat['managed_by'];
  ping_key: string;
  status: Exclude<Heartbeat['status'], 'paused'>;
  consecutive_failures: number;
  last_check_in_at: number | null;
  last_status: HeartbeatRunStatus | null;
  last_duration_ms: number | null;
  expected_at: number;
  linked_incident_id: string | null;
  linked_incident_status: Heartbeat['linked_incident_status'];
  created_at: number;
  updated_at: number;
}

const COLUMNS = `h.heartbeat_id, h.project_id, h.slug, h.environment, h.name, h.service_name, h.schedule_type,
  h.schedule_value, h.schedule_unit, h.timezone, h.margin_minutes, h.max_runtime_minutes, h.failure_threshold,
  h.recovery_threshold, h.is_enabled, h.managed_by, h.ping_key, h.status, h.consecutive_failures, h.last_check_in_at,
  h.last_status, h.last_duration_ms, h.expected_at, i.incident_id as linked_incident_id,
  i.status as linked_incident_status, h.created_at, h.updated_at`;

const FROM = `heartbeats h left join incidents i on i.incident_id = h.incident_id and i.project_id = h.project_id`;

function recordOf(row: HeartbeatRow, { baseUrl, mayChange }: HeartbeatScope): Heartbeat {
  return {
    heartbeat_id: row.heartbeat_id,
    project_id: prefixedId('proj', row.project_id),
    slug: row.slug,
    name: row.name,
    environment: row.environment,
    service_name: row.service_name,
    schedule: scheduleOf(row),
    timezone: row.timezone,
    margin_minutes: row.margin_minutes,
    max_runtime_minutes: row.max_runtime_minutes,
    failure_threshold: row.failure_threshold,
    recovery_threshold: row.recovery_threshold,
    enabled: row.is_enabled,
    managed_by: row.managed_by,
    ping_url: mayChange ? `${baseUrl}/v1/heartbeats/${row.ping_key}` : null,
    status: row.is_enabled ? row.status : 'paused',
    consecutive_failures: row.consecutive_failures,
    last_check_in_at: timeOrNull(row.last_check_in_at),
    last_status: row.last_status,
    last_duration_ms: row.last_duration_ms,
    next_expected_at: row.is_enabled ? formatTimestamp(row.expected_at) : null,
    linked_incident_id: row.linked_incident_id === null ? null : prefixedId('inc', row.linked_incident_id),
    linked_incident_status: row.linked_incident_status,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : formatTimestamp(timeMs);
}

/** A heartbeat of the project; null when it has none with this id. */
export async function findHeartbeat(
  database: Queryable,
  scope: HeartbeatScope,
  heartbeatId: string,
): Promise<Heartbeat | null> {
  const [row] = await database.query<HeartbeatRow>(
    sql('heartbeat-find')`select ${COLUMNS} from ${FROM} where h.project_id = $1 and h.heartbeat_id = $2`,
    [scope.projectId, heartbeatId],
  );
  return row === undefined ? null : recordOf(row, scope);
}

/** A page of the project's heartbeats, newest first. */
export async function listHeartbeatRows(
  database: Queryable,
  scope: HeartbeatScope,
  page: TimePage,
): Promise<Heartbeat[]> {
  const rows = await database.query<HeartbeatRow>(
    sql('heartbeats-list')`select ${COLUMNS} from ${FROM}
        where h.project_id = $1 and ($2::timestamptz is null or (h.created_at, h.heartbeat_id) < ($2, $3::uuid))
        order by h.created_at desc, h.heartbeat_id desc limit $4`,
    [scope.projectId, ...pageParameters(page)],
  );
  return rows.map((row) => recordOf(row, scope));
}

/** Returns how many heartbeats a project has, and how many of them check-ins still manage. */
export async function countHeartbeats(
  transaction: Transaction,
  projectId: string,
): Promise<{ all: number; ofCheckIns: number }> {
  const [row] = await transaction.query<{ heartbeats: number; of_check_ins: number }>(
    sql(
      'heartbeats-count',
    )`select count(*) as heartbeats, count(*) filter (where managed_by = 'check_in') as of_check_ins
        from heartbeats where project_id = $1`,
    [projectId],
  );
  return { all: row?.heartbeats ?? 0, ofCheckIns: row?.of_check_ins ?? 0 };
}

/** A heartbeat that will be created. */
interface NewHeartbeat {
  heartbeatId: string;
  projectId: string;
  slug: string;
  environment: string;
  managedBy: Heartbeat['managed_by'];
  pingKey: string;
  settings: HeartbeatSettings;
  nowMs: number;
  expectedAtMs: number;
}

/** Inserts a heartbeat; false when slug and environment have one. The caller holds the project. */
export async function insertHeartbeat(transaction: Transaction, made: NewHeartbeat): Promise<boolean> {
  const rows = await transaction.query(
    sql(
      'heartbeat-insert',
    )`insert into heartbeats (heartbeat_id, project_id, slug, environment, managed_by, ping_key, slot_opened_at,
          expected_at, ${SETTINGS_COLUMNS}, judge_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
          $8::timestamptz + make_interval(mins => $15))
        on conflict (project_id, slug, environment) do nothing returning 1`,
    [
      made.heartbeatId,
      made.projectId,
      made.slug,
      made.environment,
      made.managedBy,
      made.pingKey,
      new Date(made.nowMs),
      new Date(made.expectedAtMs),
      ...settingsParameters(made.settings),
    ],
  );
  return rows.length > 0;
}

/** Locks a heartbeat of the project and reads what is set; null when it is gone. */
export const lockSettings = inTransaction.one<
  [projectId: string, heartbeatId: string],
  SettingsRow & { managed_by: Heartbeat['managed_by']; now: number },
  { settings: HeartbeatSettings; managedBy: Heartbeat['managed_by']; nowMs: number }
>(
  'heartbeat-lock',
  `select ${SETTINGS_COLUMNS}, managed_by, culprit_now() as now from heartbeats
    where project_id = $1 and heartbeat_id = $2 for update`,
  (row) => ({ settings: settingsOf(row), managedBy: row.managed_by, nowMs: row.now }),
);

/**
 * Writes changed settings of a locked heartbeat.
 * @param moved when it is expected now; null: as before. A pause and its end drop what was seen so far.
 */
export async function updateSettings(
  transaction: Transaction,
  heartbeat: { projectId: string; heartbeatId: string; managedBy: Heartbeat['managed_by'] },
  settings: HeartbeatSettings,
  moved: { nowMs: number; expectedAtMs: number } | null,
): Promise<void> {
  await transaction.query(
    sql(
      'heartbeat-update',
    )`update heartbeats set (${SETTINGS_COLUMNS}) = ($4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14),
          managed_by = $3,
          status = case when is_enabled and not $14 then 'unknown' else status end,
          consecutive_failures = case when is_enabled and not $14 then 0 else consecutive_failures end,
          consecutive_successes = case when is_enabled and not $14 then 0 else consecutive_successes end,
          slot_opened_at = coalesce($15, slot_opened_at), expected_at = coalesce($16, expected_at),
          judge_at = least(coalesce($16, expected_at) + make_interval(mins => $10), (select min(r.timeout_at)
            from heartbeat_runs r where r.heartbeat_id = heartbeats.heartbeat_id and r.status = 'in_progress')),
          updated_at = culprit_now()
        where project_id = $1 and heartbeat_id = $2`,
    [
      heartbeat.projectId,
      heartbeat.heartbeatId,
      heartbeat.managedBy,
      ...settingsParameters(settings),
      moved === null ? null : new Date(moved.nowMs),
      moved === null ? null : new Date(moved.expectedAtMs),
    ],
  );
}

/** Replaces the key of the address that the job requests; false when the heartbeat is gone. */
export async function replacePingKey(
  database: Queryable,
  heartbeat: { projectId: string; heartbeatId: string },
  pingKey: string,
): Promise<boolean> {
  const rows = await database.query(
    sql('heartbeat-key-replace')`update heartbeats set ping_key = $3, updated_at = culprit_now()
        where project_id = $1 and heartbeat_id = $2 returning 1`,
    [heartbeat.projectId, heartbeat.heartbeatId, pingKey],
  );
  return rows.length > 0;
}

/** Deletes a heartbeat with its runs; false when it was gone. */
export const deleteHeartbeatRow = statement.exists<[projectId: string, heartbeatId: string]>(
  'heartbeat-delete',
  'delete from heartbeats where project_id = $1 and heartbeat_id = $2 returning 1',
);

/** The plan under which a project is. */
export async function readProjectPlan(
  transaction: Transaction,
  projectId: string,
  plans: PlanSettings,
): Promise<Plan> {
  const configured = planOverride(plans);
  if (configured !== null) return configured;
  const [row] = await transaction.query<{ plan: Plan }>(
    sql('heartbeat-plan')`select effective_plan(o, culprit_now()) as plan
        from projects p join organizations o using (organization_id) where p.project_id = $1`,
    [projectId],
  );
  return row?.plan ?? plans.defaultPlan;
}

interface RunRow {
  check_in_id: string;
  status: HeartbeatRunStatus;
  started_at: number;
  ended_at: number | null;
  duration_ms: number | null;
  environment: string;
  release: string | null;
  trace_id: string | null;
  output: string | null;
}

/** A page of a heartbeat's runs, newest first. */
export async function listRunRows(
  database: Queryable,
  heartbeatId: string,
  page: TimePage,
): Promise<HeartbeatRun[]> {
  const rows = await database.query<RunRow>(
    sql(
      'heartbeat-runs-list',
    )`select check_in_id, status, started_at, ended_at, duration_ms, environment, release, trace_id, output
        from heartbeat_runs
        where heartbeat_id = $1 and ($2::timestamptz is null or (started_at, check_in_id) < ($2, $3::uuid))
        order by started_at desc, check_in_id desc limit $4`,
    [heartbeatId, ...pageParameters(page)],
  );
  return rows.map((row) => ({
    ...row,
    started_at: formatTimestamp(row.started_at),
    ended_at: timeOrNull(row.ended_at),
  }));
}
