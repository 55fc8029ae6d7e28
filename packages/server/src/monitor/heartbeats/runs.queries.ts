import type { HeartbeatRunStatus } from '@culprit/contract/monitor/heartbeats';
import type { IncidentStatus } from '@culprit/evidence/incidents/incident-state';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, statement } from '../../platform/db/statement.ts';
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
    {
      name: 'heartbeat-project-hold',
      text: 'select slug from projects where project_id = $1 and deleted_at is null for key share',
    },
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
    {
      name: 'heartbeat-hold',
      text: `select ${SETTINGS_COLUMNS}, slug, environment, managed_by, status, consecutive_failures, consecutive_successes,
          is_reported, exists (select from batches b where b.batch_id = h.reported_batch_id and b.processed_at is null
            and not exists (select from batch_parts p where p.batch_id = b.batch_id)) as is_report_waiting,
          slot_opened_at, expected_at, last_check_in_at, last_status, last_duration_ms, minute_began_at,
          minute_check_ins, reported_batch_id, incident_id, incident_environment, incident_service,
          culprit_now() as now
        from heartbeats h where project_id = $1 and heartbeat_id = $2 for update`,
    },
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
    {
      name: 'heartbeat-save',
      text: `update heartbeats h set status = $3, consecutive_failures = $4, consecutive_successes = $5,
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
    },
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

/** A stored run. */
export interface StoredRun {
  checkInId: string;
  status: HeartbeatRunStatus;
  startedAtMs: number;
  traceId: string | null;
}

interface RunRow {
  check_in_id: string;
  status: HeartbeatRunStatus;
  started_at: number;
  trace_id: string | null;
}

function runOf(row: RunRow | undefined): StoredRun | null {
  if (row === undefined) return null;
  const { check_in_id: checkInId, status, started_at: startedAtMs, trace_id: traceId } = row;
  return { checkInId, status, startedAtMs, traceId };
}

/** The run with this id; null for none. The caller holds the heartbeat. */
export async function findRun(
  transaction: Transaction,
  { projectId, heartbeatId }: LockedHeartbeat,
  checkInId: string,
): Promise<StoredRun | null> {
  const [row] = await transaction.query<RunRow>(
    {
      name: 'heartbeat-run-find',
      text: `select check_in_id, status, started_at, trace_id from heartbeat_runs
        where project_id = $1 and heartbeat_id = $2 and check_in_id = $3`,
    },
    [projectId, heartbeatId, checkInId],
  );
  return runOf(row);
}

/** The newest run without an end; null for none. */
export async function findOpenRun(
  transaction: Transaction,
  { heartbeatId }: LockedHeartbeat,
): Promise<StoredRun | null> {
  const [row] = await transaction.query<RunRow>(
    {
      name: 'heartbeat-run-open',
      text: `select check_in_id, status, started_at, trace_id from heartbeat_runs
        where heartbeat_id = $1 and status = 'in_progress' order by started_at desc limit 1`,
    },
    [heartbeatId],
  );
  return runOf(row);
}

/** The run that has been without an end for too long; null for none. */
export async function findLateRun(
  transaction: Transaction,
  { heartbeatId, nowMs }: LockedHeartbeat,
): Promise<StoredRun | null> {
  const [row] = await transaction.query<RunRow>(
    {
      name: 'heartbeat-run-late',
      text: `select check_in_id, status, started_at, trace_id from heartbeat_runs
        where heartbeat_id = $1 and status = 'in_progress' and timeout_at <= $2 order by timeout_at limit 1`,
    },
    [heartbeatId, new Date(nowMs)],
  );
  return runOf(row);
}

/** A run that has ended, or was missed. */
export interface EndedRun {
  status: HeartbeatRunStatus;
  startedAtMs: number;
  durationMs: number | null;
  release: string | null;
}

const RUNS_SHOWN = 10;

/** The latest runs of a heartbeat besides this one, newest first. */
export async function findRunsBefore(
  transaction: Transaction,
  { projectId, heartbeatId }: LockedHeartbeat,
  checkInId: string,
): Promise<EndedRun[]> {
  const rows = await transaction.query<{
    status: HeartbeatRunStatus;
    started_at: number;
    duration_ms: number | null;
    release: string | null;
  }>(
    {
      name: 'heartbeat-runs-before',
      text: `select status, started_at, duration_ms, release from heartbeat_runs
        where project_id = $1 and heartbeat_id = $2 and check_in_id <> $3 order by started_at desc limit $4`,
    },
    [projectId, heartbeatId, checkInId, RUNS_SHOWN],
  );
  return rows.map(({ status, started_at: startedAtMs, duration_ms: durationMs, release }) => ({
    status,
    startedAtMs,
    durationMs,
    release,
  }));
}

/** A run to store. */
export interface RunChange {
  checkInId: string;
  status: HeartbeatRunStatus;
  startedAtMs: number;
  endedAtMs: number | null;
  timeoutAtMs: number | null;
  durationMs: number | null;
  release: string | null;
  traceId: string | null;
  output: string | null;
}

/** Stores a run, or its end. What the end does not name stays as the begin said it. */
export async function saveRun(
  transaction: Transaction,
  { projectId, heartbeatId, environment }: LockedHeartbeat,
  run: RunChange,
): Promise<void> {
  await transaction.query(
    {
      name: 'heartbeat-run-save',
      text: `insert into heartbeat_runs as r (project_id, heartbeat_id, check_in_id, status, started_at, ended_at,
          timeout_at, duration_ms, environment, release, trace_id, output)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        on conflict (project_id, heartbeat_id, check_in_id) do update set
          -- An end behind the time-out is kept and does not undo it.
          status = case when r.status = 'timeout' then r.status else excluded.status end,
          ended_at = excluded.ended_at, duration_ms = excluded.duration_ms,
          release = coalesce(excluded.release, r.release), trace_id = coalesce(excluded.trace_id, r.trace_id),
          output = coalesce(excluded.output, r.output)`,
    },
    [
      projectId,
      heartbeatId,
      run.checkInId,
      run.status,
      new Date(run.startedAtMs),
      run.endedAtMs === null ? null : new Date(run.endedAtMs),
      run.timeoutAtMs === null ? null : new Date(run.timeoutAtMs),
      run.durationMs,
      environment,
      run.release,
      run.traceId,
      run.output,
    ],
  );
}

/** The heartbeat with this ping key in a live project; null for none. */
export const findByPingKey = statement.one<
  [pingKey: string],
  { project_id: string; heartbeat_id: string },
  { projectId: string; heartbeatId: string }
>(
  'heartbeat-by-key',
  `select h.project_id, h.heartbeat_id from heartbeats h join projects p using (project_id)
    where h.ping_key = $1 and p.deleted_at is null`,
  (row) => ({ projectId: row.project_id, heartbeatId: row.heartbeat_id }),
);

/** The heartbeat with this slug and environment; null for none. */
export async function findBySlug(
  database: Queryable,
  projectId: string,
  slug: string,
  environment: string,
): Promise<{ projectId: string; heartbeatId: string } | null> {
  const [row] = await database.query<{ heartbeat_id: string }>(
    {
      name: 'heartbeat-by-slug',
      text: 'select heartbeat_id from heartbeats where project_id = $1 and slug = $2 and environment = $3',
    },
    [projectId, slug, environment],
  );
  return row === undefined ? null : { projectId, heartbeatId: row.heartbeat_id };
}

/** Returns some heartbeats that should be judged now, the longest overdue first. */
export const findDue = statement.many<
  [limit: number],
  { project_id: string; heartbeat_id: string },
  { projectId: string; heartbeatId: string }
>(
  'heartbeats-due',
  `select project_id, heartbeat_id from heartbeats
    where is_enabled and judge_at <= (select culprit_now()) order by judge_at limit $1`,
  (row) => ({ projectId: row.project_id, heartbeatId: row.heartbeat_id }),
);

/** The time for which the service can be silent before its silence counts as its own outage. */
const SILENCE_SECONDS_MAX = 60;

/**
 * Writes that this role is there, and when it was not before. The length is measured by the clock of the machine, so that
 * a clock of the service that was moved is no outage. Without a row, after a crash or a restore, all time before is one.
 */
export async function writeWatch(database: Database, role: 'api' | 'worker'): Promise<void> {
  await database.query(
    {
      name: 'heartbeat-watch-write',
      text: `insert into heartbeat_watch as w (role, seen_at, gap_began_at, gap_ended_at)
          values ($1, clock_timestamp(), '-infinity', culprit_now())
        on conflict (role) do update set seen_at = excluded.seen_at,
          gap_began_at = case when excluded.seen_at - w.seen_at > make_interval(secs => $2)
            then culprit_now() - (excluded.seen_at - w.seen_at) else w.gap_began_at end,
          gap_ended_at = case when excluded.seen_at - w.seen_at > make_interval(secs => $2)
            then culprit_now() else w.gap_ended_at end`,
    },
    [role, SILENCE_SECONDS_MAX],
  );
}

/** Returns true if the service was away in some part of this time, or is while nothing was received for too long. */
export async function wasAway(transaction: Transaction, fromMs: number, toMs: number): Promise<boolean> {
  const rows = await transaction.query(
    {
      name: 'heartbeat-watch-read',
      text: `select from heartbeat_watch where (gap_began_at <= $2 and gap_ended_at >= $1)
        or seen_at < clock_timestamp() - make_interval(secs => $3)`,
    },
    [new Date(fromMs), new Date(toMs), SILENCE_SECONDS_MAX],
  );
  return rows.length > 0;
}

/** Which of these incidents a failure will be counted in that is not processed yet. */
export const findIncidentsAwaitedByHeartbeats = inTransaction.many<
  [projectId: string, incidentIds: readonly string[]],
  { incident_id: string },
  string
>(
  'heartbeat-incidents-awaited',
  `select distinct h.incident_id from heartbeats h join batches b on b.batch_id = h.reported_batch_id
    where h.project_id = $1 and h.incident_id = any ($2::uuid[]) and b.processed_at is null
      and not exists (select from batch_parts p where p.batch_id = b.batch_id)`,
  (row) => row.incident_id,
);

/** Locks some recoveries whose failures are processed, or never will be. */
export const claimDueHeartbeatRecoveries = inTransaction.many<
  [limit: number],
  { project_id: string; incident_id: string | null },
  { projectId: string; incidentId: string | null }
>(
  'heartbeat-recoveries-take',
  `with due as materialized (
      select h.heartbeat_id from heartbeats h
      left join batches b on b.batch_id = h.awaited_batch_id
      where h.awaited_batch_id is not null and (b.batch_id is null or b.processed_at is not null
        or exists (select from batch_parts p where p.batch_id = b.batch_id))
      order by h.heartbeat_id limit $1 for update of h skip locked
    )
    update heartbeats h set awaited_batch_id = null from due where h.heartbeat_id = due.heartbeat_id
    returning h.project_id, h.incident_id`,
  (row) => ({ projectId: row.project_id, incidentId: row.incident_id }),
);
