import type {
  ReportChannelKind,
  ReportConfig,
  ReportSchedule,
  Weekday,
  WeeklyReportChannel,
} from '@culprit/contract/alerts/weekly-reports';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { prefixedId } from '../../platform/ids.ts';
import { openConfig, sealConfig } from '../../platform/secrets/sealed-address.ts';
import type { Secret } from '../../platform/secrets/secret.ts';
import type { RecordTable } from '../../workspace/access/access.queries.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';

/** The table in which the binder finds a channel that a request names. */
export const CHANNEL_RECORDS: RecordTable = {
  from: 'weekly_report_channels c',
  projectId: 'c.project_id',
  recordId: 'c.channel_id',
};

/** Statements over channels as people manage them, each bound to a project that the caller may see. */

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

/** A channel as people see it; its address is empty when the data key was changed since. */
function recordOf(addressKey: Secret<Buffer>, row: ChannelRow): WeeklyReportChannel {
  return {
    channel_id: row.channel_id,
    project_id: prefixedId('proj', row.project_id),
    channel: row.channel,
    config: openConfig(addressKey, row.config, row.channel_id) ?? { webhook_url: '' },
    schedule: { day_of_week: row.day_of_week, hour_of_day: row.hour_of_day, timezone: row.timezone },
    is_enabled: row.is_enabled,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

/** Returns the kind of a project's channel, which never changes; null when the project has no such channel. */
export async function findChannelKind(
  database: Queryable,
  projectId: string,
  channelId: string,
): Promise<ReportChannelKind | null> {
  const [row] = await database.query<{ channel: ReportChannelKind }>(
    sql(
      'report-channel-kind',
    )`select channel from weekly_report_channels where channel_id = $1 and project_id = $2`,
    [channelId, projectId],
  );
  return row?.channel ?? null;
}

/** A page of a project's channels, newest first. */
export async function listChannelRows(
  database: Queryable,
  addressKey: Secret<Buffer>,
  projectId: string,
  page: TimePage,
): Promise<WeeklyReportChannel[]> {
  const rows = await database.query<ChannelRow>(
    sql('report-channels-list')`select ${COLUMNS} from weekly_report_channels c
        where c.project_id = $1
          and ($2::timestamptz is null or (c.created_at, c.channel_id) < ($2, $3::uuid))
        order by c.created_at desc, c.channel_id desc limit $4`,
    [projectId, ...pageParameters(page)],
  );
  return rows.map((row) => recordOf(addressKey, row));
}

/**
 * Locks a live project, so that two creations count one after the other, and counts its channels of a kind; null when the
 * project is gone.
 */
export async function lockProjectAndCountChannels(
  transaction: Transaction,
  projectId: string,
  kind: ReportChannelKind,
): Promise<number | null> {
  if ((await lockProject(transaction, projectId)) === null) return null;
  const [row] = await transaction.query<{ channels: number }>(
    sql(
      'report-channels-count',
    )`select count(*) as channels from weekly_report_channels where project_id = $1 and channel = $2`,
    [projectId, kind],
  );
  return row?.channels ?? 0;
}

export async function insertChannel(
  transaction: Transaction,
  addressKey: Secret<Buffer>,
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
    sql('report-channel-insert')`insert into weekly_report_channels as c
          (channel_id, project_id, channel, config, day_of_week, hour_of_day, timezone, is_enabled)
        values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
    [
      channel.channelId,
      channel.projectId,
      channel.kind,
      JSON.stringify(sealConfig(addressKey, channel.config, channel.channelId)),
      schedule.day_of_week,
      schedule.hour_of_day,
      schedule.timezone,
      channel.isEnabled,
    ],
  );
  if (row === undefined) throw new Error('an inserted channel gave no row');
  return recordOf(addressKey, row);
}

/** The fields of an update; null leaves a field unchanged. */
interface ChannelChange {
  config: ReportConfig | null;
  schedule: ReportSchedule | null;
  isEnabled: boolean | null;
}

/** Changes a channel; null when it is gone. A new schedule, and enabling, have it planned anew. */
export async function updateChannelRow(
  transaction: Transaction,
  addressKey: Secret<Buffer>,
  projectId: string,
  channelId: string,
  { config, schedule, isEnabled }: ChannelChange,
): Promise<WeeklyReportChannel | null> {
  const [row] = await transaction.query<ChannelRow>(
    sql('report-channel-update')`update weekly_report_channels c set
          config = coalesce($2::jsonb, c.config),
          day_of_week = coalesce($3::text, c.day_of_week),
          hour_of_day = coalesce($4::smallint, c.hour_of_day),
          timezone = coalesce($5::text, c.timezone),
          is_enabled = coalesce($6::boolean, c.is_enabled),
          next_due_at = case when $7 then null else c.next_due_at end,
          planned_at = case when $7 then null else c.planned_at end,
          updated_at = culprit_now()
        where c.channel_id = $1 and c.project_id = $8 returning ${COLUMNS}`,
    [
      channelId,
      config === null ? null : JSON.stringify(sealConfig(addressKey, config, channelId)),
      schedule?.day_of_week ?? null,
      schedule?.hour_of_day ?? null,
      schedule?.timezone ?? null,
      isEnabled,
      schedule !== null || isEnabled === true,
      projectId,
    ],
  );
  return row === undefined ? null : recordOf(addressKey, row);
}

/** Deletes a channel with what is remembered of its reports; false when it was gone. */
export async function deleteChannelRow(
  database: Queryable,
  projectId: string,
  channelId: string,
): Promise<boolean> {
  const rows = await database.query(
    sql(
      'report-channel-delete',
    )`delete from weekly_report_channels where channel_id = $1 and project_id = $2 returning channel_id`,
    [channelId, projectId],
  );
  return rows.length > 0;
}

/**
 * An enabled channel of a live project, as a sender needs it; null when it is none by now, or when the data key was
 * changed since. Ids are bare UUIDs.
 */
export async function findReceivingChannel(
  database: Queryable,
  addressKey: Secret<Buffer>,
  channelId: string,
): Promise<{ config: ReportConfig; organizationId: string } | null> {
  const [row] = await database.query<{ config: ReportConfig; organization_id: string }>(
    sql('report-receiving-channel')`select c.config, p.organization_id from weekly_report_channels c
        join projects p on p.project_id = c.project_id and p.deleted_at is null
        where c.channel_id = $1 and c.is_enabled`,
    [channelId],
  );
  const config = row === undefined ? null : openConfig(addressKey, row.config, channelId);
  return row === undefined || config === null ? null : { config, organizationId: row.organization_id };
}
