import type { ReportConfig, ReportSchedule, Weekday } from '@culprit/contract/alerts/weekly-reports';
import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';

/** Statements of the scheduler, over the channels of all projects. Times are milliseconds since the epoch. */

/** True for one transaction at a time, of all processes: it alone plans and makes reports until it ends. */
export const claimScheduler = inTransaction.value<[], boolean>(
  'report-scheduler',
  `select pg_try_advisory_xact_lock(hashtext('culprit.reports.scheduler')) as is_taken`,
  false,
);

/** Resets up to `limit` plans that were made before the clock was set back; returns how many. */
export const resetFuturePlans = statement.count<[limit: number]>(
  'report-plans-reset',
  `update weekly_report_channels set next_due_at = null, planned_at = null
    where channel_id = any (array(
      select channel_id from weekly_report_channels
      where is_enabled and planned_at > (select culprit_now()) limit $1))
    returning channel_id`,
);

/** A channel as the scheduler sees it. */
interface ScheduledChannel {
  channelId: string;
  schedule: ReportSchedule;
  /** By the database clock. */
  nowMs: number;
}

interface ScheduleRow {
  channel_id: string;
  day_of_week: Weekday;
  hour_of_day: number;
  timezone: string;
  now: number;
}

function scheduledOf(row: ScheduleRow): ScheduledChannel {
  return {
    channelId: row.channel_id,
    schedule: { day_of_week: row.day_of_week, hour_of_day: row.hour_of_day, timezone: row.timezone },
    nowMs: row.now,
  };
}

/** Up to `limit` enabled channels that are not planned, held until the transaction ends. */
export const lockUnplanned = inTransaction.many<[limit: number], ScheduleRow, ScheduledChannel>(
  'report-unplanned',
  `select channel_id, day_of_week, hour_of_day, timezone, culprit_now() as now
    from weekly_report_channels where is_enabled and next_due_at is null limit $1 for update`,
  scheduledOf,
);

/** Says when the scheduler looks at held channels next. */
export async function planChannels(
  transaction: Transaction,
  plans: readonly { channelId: string; dueAtMs: number }[],
): Promise<void> {
  if (plans.length === 0) return;
  await transaction.query(
    sql('report-plan')`update weekly_report_channels c set next_due_at = p.due_at, planned_at = culprit_now()
        from json_to_recordset($1::json) as p (channel_id uuid, due_at timestamptz)
        where c.channel_id = p.channel_id`,
    [
      JSON.stringify(
        plans.map(({ channelId, dueAtMs }) => ({
          channel_id: channelId,
          due_at: new Date(dueAtMs).toISOString(),
        })),
      ),
    ],
  );
}

/** A channel whose planned time has come. */
export interface DueChannel extends ScheduledChannel {
  projectId: string;
  projectName: string;
  config: ReportConfig;
  plannedMs: number;
}

/**
 * Returns up to `limit` due channels of live projects, held with their projects until the transaction ends. Channels
 * that may become one e-mail are next to each other.
 */
export const lockDue = inTransaction.many<
  [limit: number],
  ScheduleRow & { project_id: string; project_name: string; config: ReportConfig; next_due_at: number },
  DueChannel
>(
  'report-due',
  `select c.channel_id, c.day_of_week, c.hour_of_day, c.timezone, c.config, c.next_due_at, c.project_id,
      p.name as project_name, culprit_now() as now
    from weekly_report_channels c
    join projects p on p.project_id = c.project_id and p.deleted_at is null
    where c.is_enabled and c.next_due_at <= culprit_now()
    order by c.next_due_at, report_recipients(c.config), c.channel_id limit $1
    for update of c for key share of p`,
  (row) => ({
    ...scheduledOf(row),
    projectId: row.project_id,
    projectName: row.project_name,
    config: row.config,
    plannedMs: row.next_due_at,
  }),
);

/** Takes the slots of reports; returns the channels whose report of that week was not made before. */
export async function claimSlots(
  transaction: Transaction,
  slots: readonly { channelId: string; week: string }[],
): Promise<ReadonlySet<string>> {
  const rows = await transaction.query<{ channel_id: string }>(
    sql('report-slots')`insert into weekly_reports (channel_id, week)
        select channel_id, week from json_to_recordset($1::json) as s (channel_id uuid, week date)
        on conflict do nothing returning channel_id`,
    [JSON.stringify(slots.map(({ channelId, week }) => ({ channel_id: channelId, week })))],
  );
  return new Set(rows.map((row) => row.channel_id));
}
