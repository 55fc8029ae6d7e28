import type { HeartbeatDay } from '@culprit/contract/monitor/heartbeats';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { LockedHeartbeat } from './locked-heartbeat.queries.ts';
import type { RunChange } from './runs.queries.ts';

/** Statements over what became of the runs of a heartbeat, by day. */

/** Counts a run that has ended, in the transaction that stores its end. */
export async function addRunToDay(
  transaction: Transaction,
  { projectId, heartbeatId }: LockedHeartbeat,
  { status, startedAtMs, durationMs }: RunChange,
): Promise<void> {
  await transaction.query(
    sql(
      'heartbeat-day-run',
    )`insert into heartbeat_days as d (project_id, heartbeat_id, day, ok, failed, missed, timed_out, unknown,
          timed_ok, ok_ms)
        values ($1, $2, ($3::timestamptz at time zone 'UTC')::date, ($4 = 'ok')::integer, ($4 = 'error')::integer,
          ($4 = 'missed')::integer, ($4 = 'timeout')::integer, ($4 = 'unknown')::integer,
          ($4 = 'ok' and $5::bigint is not null)::integer, case when $4 = 'ok' then coalesce($5, 0) else 0 end)
        on conflict (project_id, heartbeat_id, day) do update set ok = d.ok + excluded.ok,
          failed = d.failed + excluded.failed, missed = d.missed + excluded.missed,
          timed_out = d.timed_out + excluded.timed_out, unknown = d.unknown + excluded.unknown,
          timed_ok = d.timed_ok + excluded.timed_ok, ok_ms = d.ok_ms + excluded.ok_ms`,
    [projectId, heartbeatId, new Date(startedAtMs), status, durationMs],
  );
}

/** A page of the days of a heartbeat on which a run ended, latest first. */
export async function listDayRows(
  database: Queryable,
  { projectId, heartbeatId }: { projectId: string; heartbeatId: string },
  { afterDay, limit }: { afterDay: string | null; limit: number },
): Promise<HeartbeatDay[]> {
  const rows = await database.query<{
    day_text: string;
    ok: number;
    failed: number;
    missed: number;
    timed_out: number;
    unknown: number;
    timed_ok: number;
    ok_ms: number;
  }>(
    sql(
      'heartbeat-days-list',
    )`select to_char(day, 'YYYY-MM-DD') as day_text, ok, failed, missed, timed_out, unknown, timed_ok, ok_ms
        from heartbeat_days
        where project_id = $1 and heartbeat_id = $2 and ($3::date is null or day < $3)
        order by day desc limit $4`,
    [projectId, heartbeatId, afterDay, limit + 1],
  );
  return rows.map((row) => ({
    heartbeat_id: heartbeatId,
    project_id: prefixedId('proj', projectId),
    day: row.day_text,
    total_runs: row.ok + row.failed + row.missed + row.timed_out + row.unknown,
    ok: row.ok,
    error: row.failed,
    missed: row.missed,
    timeout: row.timed_out,
    unknown: row.unknown,
    avg_duration_ms: row.timed_ok === 0 ? null : Math.round(row.ok_ms / row.timed_ok),
  }));
}
