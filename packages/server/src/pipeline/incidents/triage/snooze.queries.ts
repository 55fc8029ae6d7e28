import { columnLiterals, unnestColumns } from '../../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';

/** A snooze in its stored form. Times in milliseconds since the epoch. */
export interface NewSnooze {
  incidentId: string;
  projectId: string;
  untilMs: number;
  setAtMs: number;
  /** Null: no person did it. */
  userId: string | null;
  reason: string | null;
  countAtStart: number;
  atCount: number | null;
  atUsers: number | null;
  afterDeployMs: number | null;
  atHourly: number | null;
}

const COLUMNS = [
  ['incident_id', 'uuid'],
  ['project_id', 'uuid'],
  ['snoozed_until', 'timestamptz'],
  ['snoozed_count', 'bigint'],
  ['wake_at_count', 'bigint'],
  ['wake_at_users', 'integer'],
  ['wake_after_deploy_at', 'timestamptz'],
  ['wake_at_hourly', 'integer'],
  ['snoozed_at', 'timestamptz'],
  ['snoozed_by_user_id', 'uuid'],
  ['snooze_reason', 'text'],
] as const;

/** Snoozes incidents that the caller holds. */
export function saveSnoozes(transaction: Transaction, snoozes: readonly NewSnooze[]): void {
  if (snoozes.length === 0) return;
  transaction.send(
    sql('snooze-save')`with given as (select * from ${unnestColumns(COLUMNS, 1, 's')}), marked as (
          update incidents i set snoozed_until = g.snoozed_until, snoozed_count = g.snoozed_count,
            wake_at_count = g.wake_at_count, wake_at_users = g.wake_at_users,
            wake_after_deploy_at = g.wake_after_deploy_at, wake_at_hourly = g.wake_at_hourly
          from given g where i.incident_id = g.incident_id
        )
        insert into incident_triage (incident_id, project_id, snoozed_at, snoozed_by_user_id, snooze_reason)
        select incident_id, project_id, snoozed_at, snoozed_by_user_id, snooze_reason from given
        on conflict (incident_id) do update set snoozed_at = excluded.snoozed_at,
          snoozed_by_user_id = excluded.snoozed_by_user_id, snooze_reason = excluded.snooze_reason`,
    columnLiterals(
      COLUMNS,
      snoozes.map((each) => ({
        incident_id: each.incidentId,
        project_id: each.projectId,
        snoozed_until: isoTime(each.untilMs),
        snoozed_count: each.countAtStart,
        wake_at_count: each.atCount,
        wake_at_users: each.atUsers,
        wake_after_deploy_at: isoTime(each.afterDeployMs),
        wake_at_hourly: each.atHourly,
        snoozed_at: isoTime(each.setAtMs),
        snoozed_by_user_id: each.userId,
        snooze_reason: each.reason,
      })),
    ),
  );
}

function isoTime(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}

/** Snoozed incidents whose time has passed, with their projects. */
export async function findOverslept(database: Queryable, limit: number): Promise<Map<string, string>> {
  const rows = await database.query<{ incident_id: string; project_id: string }>(
    sql('snooze-overslept')`select incident_id, project_id from incidents
        where snoozed_until <= (select culprit_now()) order by snoozed_until limit $1`,
    [limit],
  );
  return new Map(rows.map((row) => [row.incident_id, row.project_id]));
}

/** Occurrences of incidents by hour since the epoch, from a moment on. */
export async function findHours(
  database: Queryable,
  incidentIds: readonly string[],
  fromMs: number,
): Promise<Map<string, Map<number, number>>> {
  const rows = await database.query<{ incident_id: string; hour: number; occurrences: number }>(
    sql('snooze-hours')`select incident_id, hour, sum(occurrences)::bigint as occurrences from (
          select incident_id, hour, occurrences from incident_hours
            where incident_id = any ($1::uuid[]) and hour >= $2
          union all
          select incident_id, minute / 60, occurrences from incident_minutes
            where incident_id = any ($1::uuid[]) and minute >= $2 * 60
        ) counted group by incident_id, hour`,
    [[...incidentIds], Math.floor(fromMs / HOUR_MS)],
  );
  const hours = new Map<string, Map<number, number>>(incidentIds.map((id) => [id, new Map()]));
  for (const { incident_id: id, hour, occurrences } of rows) hours.get(id)?.set(hour, occurrences);
  return hours;
}

const HOUR_MS = 3_600_000;
