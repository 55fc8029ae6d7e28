import type { Role } from '@culprit/contract/endpoint';
import { formatTimestamp } from '@culprit/contract/timestamps';
import type {
  ReportChannelKind,
  ReportConfig,
  ReportSchedule,
  Weekday,
  WeeklyReportChannel,
} from '@culprit/contract/weekly-reports';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { pageParameters, type TimePage } from '../platform/http/time-page.ts';
import { prefixedId } from '../platform/ids.ts';
import { lockProject } from '../projects/projects.queries.ts';
import { sharedAccessPlan } from '../projects/require-project.ts';

/** Statements over channels as people manage them, each bound to a project or to the caller's projects. */

interface ChannelRow {
  channel_id: string;
  project_id: string;
  channel: ReportChannelKind;
  config: ReportConfig;
  day_of_week: Weekday;
  hour_of_day: number;
  timezone: string;
  is_enabled: boolean;
  created_at: number;
  updated_at: number;
}

const COLUMNS = `c.channel_id, c.project_id, c.channel, c.config, c.day_of_week, c.hour_of_day, c.timezone,
  c.is_enabled, c.created_at, c.updated_at`;

function recordOf(row: ChannelRow): WeeklyReportChannel {
  return {
    channel_id: row.channel_id,
    project_id: prefixedId('proj', row.project_id),
    channel: row.channel,
    config: row.config,
    schedule: { day_of_week: row.day_of_week, hour_of_day: row.hour_of_day, timezone: row.timezone },
    is_enabled: row.is_enabled,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

/** What a person may do at a channel depends on these. Ids are bare UUIDs. */
export interface ChannelAccess {
  channelId: string;
  kind: ReportChannelKind;
  projectId: string;
  organizationId: string;
  role: Role;
  /** The owner's plan pauses other people's access. */
  isSuspended: boolean;
}

/** A channel of a project the person has a place in; null when there is none. */
export async function findChannelAccess(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  channelId: string,
): Promise<ChannelAccess | null> {
  const [row] = await database.query<{
    channel: ReportChannelKind;
    project_id: string;
    organization_id: string;
    role: Role;
    is_suspended: boolean;
  }>(
    {
      name: 'report-channel-access',
      text: `select c.channel, c.project_id, p.organization_id, m.role,
          shared_access_suspended(m.role, o, $3) as is_suspended
        from weekly_report_channels c
        join projects p on p.project_id = c.project_id and p.deleted_at is null
        join organizations o on o.organization_id = p.organization_id
        join project_members m on m.project_id = c.project_id and m.user_id = $1
        where c.channel_id = $2`,
    },
    [userId, channelId, sharedAccessPlan(plans)],
  );
  if (row === undefined) return null;
  return {
    channelId,
    kind: row.channel,
    projectId: row.project_id,
    organizationId: row.organization_id,
    role: row.role,
    isSuspended: row.is_suspended,
  };
}

/** A page of a project's channels, newest first. */
export async function listChannelRows(
  database: Queryable,
  projectId: string,
  page: TimePage,
): Promise<WeeklyReportChannel[]> {
  const rows = await database.query<ChannelRow>(
    {
      name: 'report-channels-list',
      text: `select ${COLUMNS} from weekly_report_channels c
        where c.project_id = $1
          and ($2::timestamptz is null or (c.created_at, c.channel_id) < ($2, $3::uuid))
        order by c.created_at desc, c.channel_id desc limit $4`,
    },
    [projectId, ...pageParameters(page)],
  );
  return rows.map(recordOf);
}

/**
 * Locks a live project, so that two creations count one after the other, and counts its channels of a kind; null when the
 * project is gone.
 */
export async function lockProjectAndCountChannels(
  transaction: Queryable,
  projectId: string,
  kind: ReportChannelKind,
): Promise<number | null> {
  if ((await lockProject(transaction, projectId)) === null) return null;
  const [row] = await transaction.query<{ channels: number }>(
    {
      name: 'report-channels-count',
      text: 'select count(*) as channels from weekly_report_channels where project_id = $1 and channel = $2',
    },
    [projectId, kind],
  );
  return row?.channels ?? 0;
}

export async function insertChannel(
  transaction: Queryable,
  channel: {
    channelId: string;
    projectId: string;
    kind: ReportChannelKind;
    config: ReportConfig;
    schedule: ReportSchedule;
    isEnabled: boolean;
  },
): Promise<WeeklyReportChannel> {
  const { schedule } = channel;
  const [row] = await transaction.query<ChannelRow>(
    {
      name: 'report-channel-insert',
      text: `insert into weekly_report_channels as c
          (channel_id, project_id, channel, config, day_of_week, hour_of_day, timezone, is_enabled)
        values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
    },
    [
      channel.channelId,
      channel.projectId,
      channel.kind,
      JSON.stringify(channel.config),
      schedule.day_of_week,
      schedule.hour_of_day,
      schedule.timezone,
      channel.isEnabled,
    ],
  );
  if (row === undefined) throw new Error('an inserted channel gave no row');
  return recordOf(row);
}

/** What an update changes; null leaves a field as it is. */
export interface ChannelChange {
  config: ReportConfig | null;
  schedule: ReportSchedule | null;
  isEnabled: boolean | null;
}

/** Changes a channel; null when it is gone. A new schedule, and enabling, have it planned anew. */
export async function updateChannelRow(
  transaction: Queryable,
  channelId: string,
  { config, schedule, isEnabled }: ChannelChange,
): Promise<WeeklyReportChannel | null> {
  const [row] = await transaction.query<ChannelRow>(
    {
      name: 'report-channel-update',
      text: `update weekly_report_channels c set
          config = coalesce($2::jsonb, c.config),
          day_of_week = coalesce($3::text, c.day_of_week),
          hour_of_day = coalesce($4::smallint, c.hour_of_day),
          timezone = coalesce($5::text, c.timezone),
          is_enabled = coalesce($6::boolean, c.is_enabled),
          next_due_at = case when $7 then null else c.next_due_at end,
          planned_at = case when $7 then null else c.planned_at end,
          updated_at = culprit_now()
        where c.channel_id = $1 returning ${COLUMNS}`,
    },
    [
      channelId,
      config === null ? null : JSON.stringify(config),
      schedule?.day_of_week ?? null,
      schedule?.hour_of_day ?? null,
      schedule?.timezone ?? null,
      isEnabled,
      schedule !== null || isEnabled === true,
    ],
  );
  return row === undefined ? null : recordOf(row);
}

/** Deletes a channel with what is remembered of its reports; false when it was gone. */
export async function deleteChannelRow(database: Queryable, channelId: string): Promise<boolean> {
  const rows = await database.query(
    {
      name: 'report-channel-delete',
      text: 'delete from weekly_report_channels where channel_id = $1 returning channel_id',
    },
    [channelId],
  );
  return rows.length > 0;
}
