import type { HeartbeatRunStatus } from '@culprit/contract/monitor/heartbeats';
import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import type { LockedHeartbeat } from './locked-heartbeat.queries.ts';

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
    sql('heartbeat-run-find')`select check_in_id, status, started_at, trace_id from heartbeat_runs
        where project_id = $1 and heartbeat_id = $2 and check_in_id = $3`,
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
    sql('heartbeat-run-open')`select check_in_id, status, started_at, trace_id from heartbeat_runs
        where heartbeat_id = $1 and status = 'in_progress' order by started_at desc limit 1`,
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
    sql('heartbeat-run-late')`select check_in_id, status, started_at, trace_id from heartbeat_runs
        where heartbeat_id = $1 and status = 'in_progress' and timeout_at <= $2 order by timeout_at limit 1`,
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
  return await transaction.query<EndedRun>(
    sql(
      'heartbeat-runs-before',
    )`select status, started_at as "startedAtMs", duration_ms as "durationMs", release from heartbeat_runs
        where project_id = $1 and heartbeat_id = $2 and check_in_id <> $3 order by started_at desc limit $4`,
    [projectId, heartbeatId, checkInId, RUNS_SHOWN],
  );
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
    sql(
      'heartbeat-run-save',
    )`insert into heartbeat_runs as r (project_id, heartbeat_id, check_in_id, status, started_at, ended_at,
          timeout_at, duration_ms, environment, release, trace_id, output)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        on conflict (project_id, heartbeat_id, check_in_id) do update set
          -- An end behind the time-out is kept and does not undo it.
          status = case when r.status = 'timeout' then r.status else excluded.status end,
          ended_at = excluded.ended_at, duration_ms = excluded.duration_ms,
          release = coalesce(excluded.release, r.release), trace_id = coalesce(excluded.trace_id, r.trace_id),
          output = coalesce(excluded.output, r.output)`,
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
    returning h.project_id as "projectId", h.incident_id as "incidentId"`,
);
