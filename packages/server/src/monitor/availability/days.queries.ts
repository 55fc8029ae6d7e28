import type { PausedReason } from '@culprit/contract/monitor/availability-checks';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import type { CheckScope } from './check-scope.ts';
import type { DaysOfCheck, StoredDay } from './daily-rollup.ts';

/** Returns the facts on which the days of a check depend; null when the project has no such check. */
export async function findDaysOfCheck(
  database: Queryable,
  scope: CheckScope,
  checkId: string,
): Promise<DaysOfCheck | null> {
  const [check] = await findDaysOfChecks(database, scope, checkId);
  return check ?? null;
}

/**
 * Returns the facts on which the days of a project's checks depend, oldest check first; of one check if it is named.
 */
export async function findDaysOfChecks(
  database: Queryable,
  { projectId, allowance }: CheckScope,
  checkId: string | null = null,
): Promise<DaysOfCheck[]> {
  const rows = await database.query<{
    check_id: string;
    created_at: number;
    pause: PausedReason | null;
    paused_since: number | null;
    failed_at: number | null;
    failed_interval_seconds: number | null;
    now: number;
  }>(
    sql(
      'availability-days-of',
    )`select check_id, created_at, availability_pause(c, $2, $3) as pause, paused_since, failed_at,
          failed_interval_seconds, culprit_now() as now
        from availability_checks c where project_id = $1 and ($4::uuid is null or check_id = $4)
        order by created_at, check_id`,
    [projectId, allowance.checksMax, allowance.intervalSecondsMin, checkId],
  );
  return rows.map((row) => {
    const { failed_at: startedAtMs, failed_interval_seconds: intervalSeconds } = row;
    return {
      checkId: row.check_id,
      projectId,
      createdAtMs: row.created_at,
      pause: row.pause,
      pausedSinceMs: row.paused_since,
      openFailure: startedAtMs === null || intervalSeconds === null ? null : { startedAtMs, intervalSeconds },
      nowMs: row.now,
    };
  });
}

/** The stored days of a check from `fromDay` to `toDay`, by day. */
export async function listStoredDays(
  database: Queryable,
  checkId: string,
  fromDay: string,
  toDay: string,
): Promise<Map<string, StoredDay>> {
  const rows = await database.query<DayRow>(
    sql(
      'availability-days-list',
    )`select ${DAY_COLUMNS} from availability_days d where check_id = $1 and day between $2::date and $3::date`,
    [checkId, fromDay, toDay],
  );
  return new Map(rows.map((row) => [row.day_text, storedDayOf(row)]));
}

/**
 * The stored days of all checks of a project, by check and day, without times. A row for each check, since to read three
 * thousand rows takes longer than to make them.
 */
export async function listStoredDaysOf(
  database: Queryable,
  projectId: string,
  fromDay: string,
  toDay: string,
): Promise<Map<string, Map<string, StoredDay>>> {
  const rows = await database.query<{ check_id: string; days: DayRow[] }>(
    sql(
      'availability-days-of-project',
    )`select c.check_id, json_agg(json_build_object('day_text', day, 'successful_checks', successful_checks,
          'failed_checks', failed_checks, 'successful_ms', successful_ms, 'downtime_ms', downtime_ms,
          'has_opened', has_opened, 'began_open', began_open, 'has_recovered', has_recovered,
          'was_paused', was_paused, 'incident_ids', incident_ids)) as days
        from availability_checks c join availability_days d using (check_id)
        where c.project_id = $1 and d.day between $2::date and $3::date
        group by c.check_id`,
    [projectId, fromDay, toDay],
  );
  return new Map(
    rows.map(({ check_id: checkId, days }) => [
      checkId,
      new Map(days.map((day) => [day.day_text, storedDayOf(day)])),
    ]),
  );
}

interface DayRow {
  day_text: string;
  successful_checks: number;
  failed_checks: number;
  successful_ms: number;
  first_checked_at?: number | null;
  last_checked_at?: number | null;
  downtime_ms: number;
  has_opened: boolean;
  began_open: boolean;
  has_recovered: boolean;
  was_paused: boolean;
  incident_ids: string[];
}

const DAY_COLUMNS = `to_char(day, 'YYYY-MM-DD') as day_text, successful_checks, failed_checks, successful_ms,
  first_checked_at, d.last_checked_at, downtime_ms, has_opened, began_open, has_recovered, was_paused,
  incident_ids`;

function storedDayOf(row: DayRow): StoredDay {
  return {
    successfulChecks: row.successful_checks,
    failedChecks: row.failed_checks,
    successfulMs: row.successful_ms,
    firstCheckedAtMs: row.first_checked_at ?? null,
    lastCheckedAtMs: row.last_checked_at ?? null,
    downtimeMs: row.downtime_ms,
    hasOpened: row.has_opened,
    beganOpen: row.began_open,
    hasRecovered: row.has_recovered,
    wasPaused: row.was_paused,
    incidentIds: row.incident_ids,
  };
}

/** The part that a decisive run adds to its day. */
interface DayRun {
  checkId: string;
  projectId: string;
  startedAtMs: number;
  isSuccess: boolean;
  durationMs: number;
  /** It opened an incident, or regressed one. */
  hasOpened: boolean;
  /** The check's incident was open before it. */
  isOpen: boolean;
  hasRecovered: boolean;
  /** The incident that is open during the day; null for none. */
  incidentId: string | null;
}

export async function addRunToDay(transaction: Transaction, run: DayRun): Promise<void> {
  await transaction.query(
    sql(
      'availability-day-run',
    )`insert into availability_days as d (check_id, project_id, day, successful_checks, failed_checks,
          successful_ms, first_checked_at, last_checked_at, has_opened, began_open, has_recovered, incident_ids)
        values ($1, $2, ($3::timestamptz at time zone 'UTC')::date, $4::boolean::integer, (not $4)::integer,
          case when $4 then $5::integer else 0 end, $3, $3, $6, $7, $8,
          case when $9::uuid is null then '{}' else array[$9::uuid] end)
        on conflict (check_id, day) do update set
          successful_checks = d.successful_checks + excluded.successful_checks,
          failed_checks = d.failed_checks + excluded.failed_checks,
          successful_ms = d.successful_ms + excluded.successful_ms,
          first_checked_at = coalesce(d.first_checked_at, excluded.first_checked_at),
          last_checked_at = excluded.last_checked_at,
          has_opened = d.has_opened or excluded.has_opened,
          -- A row that holds only a pause had no run yet.
          began_open = case when d.first_checked_at is null then excluded.began_open else d.began_open end,
          has_recovered = d.has_recovered or excluded.has_recovered,
          incident_ids = case when d.incident_ids @> excluded.incident_ids then d.incident_ids
            else d.incident_ids || excluded.incident_ids end`,
    [
      run.checkId,
      run.projectId,
      new Date(run.startedAtMs),
      run.isSuccess,
      run.durationMs,
      run.hasOpened,
      run.isOpen,
      run.hasRecovered,
      run.incidentId,
    ],
  );
}

/** Adds the downtime of a failed run to its day, now that the next run is known. */
export async function addDowntime(
  transaction: Transaction,
  checkId: string,
  failedAtMs: number,
  downtimeMs: number,
): Promise<void> {
  await transaction.query(
    sql('availability-day-downtime')`update availability_days set downtime_ms = downtime_ms + $3
        where check_id = $1 and day = ($2::timestamptz at time zone 'UTC')::date`,
    [checkId, new Date(failedAtMs), downtimeMs],
  );
}
