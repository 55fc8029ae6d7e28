import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId, RequestId } from '../schemas/identifiers.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { RequestEmail } from '../workspace/request-email.ts';
import { WEEKDAYS } from './weekdays.ts';

/** A day of a schedule. */
export type Weekday = (typeof WEEKDAYS)[number];

const RECIPIENTS_MAX = 3;
const WEBHOOK_URL_LENGTH_MAX = 2000;
const TIMEZONE_LENGTH_MAX = 64;

/** The time at which a report is due, in local time (docs/contract/notifications.md 4.2). */
export const ReportSchedule = Named('ReportSchedule', {
  day_of_week: Type.Enum([...WEEKDAYS]),
  hour_of_day: Type.Integer({ minimum: 0, maximum: 23 }),
  timezone: Type.String({ minLength: 1, maxLength: TIMEZONE_LENGTH_MAX, description: 'IANA name' }),
});
export type ReportSchedule = Static<typeof ReportSchedule>;

const EmailConfig = Closed({ to: Type.Array(Type.String()) });
const SlackUrlConfig = Closed({ webhook_url: Type.String() });
const SlackDestinationConfig = Closed({ slack_destination_id: AnswerId(null) });

/**
 * The receivers of reports in the form in which they are stored and shown: addresses, an incoming webhook, or a
 * connected destination.
 */
export const ReportConfig = Type.Union([EmailConfig, SlackUrlConfig, SlackDestinationConfig], {
  title: 'ReportConfig',
});
export type ReportConfig = Static<typeof ReportConfig>;

/** The same as a client writes it. */
export const ReportConfigRequest = Type.Union(
  [
    Closed({
      to: Type.Array(RequestEmail, {
        minItems: 1,
        maxItems: RECIPIENTS_MAX,
        description: 'Duplicates are merged',
      }),
    }),
    Closed({
      webhook_url: Type.String({
        minLength: 1,
        maxLength: WEBHOOK_URL_LENGTH_MAX,
        description: 'Incoming webhook of Slack; the outbound request policy decides what may be called',
      }),
    }),
    Closed({ slack_destination_id: RequestId('A connected destination of the organization; needs Team') }),
  ],
  { title: 'ReportConfigRequest', description: 'Must match the channel' },
);
export type ReportConfigRequest = Static<typeof ReportConfigRequest>;

const ChannelKind = Type.Enum(['email', 'slack']);
export type ReportChannelKind = Static<typeof ChannelKind>;

/** The receivers of the weekly reports of a project, and their schedule (docs/contract/notifications.md 4.2). */
export const WeeklyReportChannel = Named('WeeklyReportChannel', {
  channel_id: AnswerId(null),
  project_id: AnswerId('proj'),
  channel: ChannelKind,
  config: ReportConfig,
  schedule: ReportSchedule,
  is_enabled: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type WeeklyReportChannel = Static<typeof WeeklyReportChannel>;

const channelParams = Closed({ id: PathId('weekly_report_channel') });
const channelAnswer = Closed({ channel: WeeklyReportChannel });

export const listWeeklyReportChannels = defineEndpoint({
  id: 'listWeeklyReportChannels',
  method: 'GET',
  path: '/v1/weekly-report-channels',
  summary: 'List the weekly report channels of a project, newest first',
  scope: { of: 'project', id: 'query.project_id' },
  query: Closed({ project_id: RequestId('The project they belong to'), ...pageQuery }),
  responses: {
    200: Closed({ channels: Type.Array(WeeklyReportChannel), next_cursor: NextCursor }),
  },
});

export const createWeeklyReportChannel = defineEndpoint({
  id: 'createWeeklyReportChannel',
  method: 'POST',
  path: '/v1/weekly-report-channels',
  summary: 'Create a weekly report channel: one for e-mail, up to ten for Slack',
  scope: { of: 'project', id: 'body.project_id' },
  role: 'admin',
  body: Closed({
    project_id: RequestId('The project that is reported on'),
    channel: ChannelKind,
    config: ReportConfigRequest,
    schedule: ReportSchedule,
    is_enabled: Type.Optional(Type.Boolean({ default: true })),
  }),
  conditions: ['`config` has the keys of its channel.', '`schedule.timezone` is an IANA name.'],
  responses: { 201: channelAnswer },
  errors: [
    'blocked_target',
    'upgrade_required',
    'slack_destination_not_found',
    'weekly_report_channel_exists',
    'resource_limit_reached',
    'slack_not_configured',
  ],
});

export const updateWeeklyReportChannel = defineEndpoint({
  id: 'updateWeeklyReportChannel',
  method: 'PATCH',
  path: '/v1/weekly-report-channels/:id',
  summary: 'Change a weekly report channel; config and schedule are replaced as a whole',
  scope: { of: 'record', kind: 'weekly_report_channel', id: 'params.id' },
  role: 'admin',
  params: channelParams,
  body: Closed(
    {
      config: Type.Optional(ReportConfigRequest),
      schedule: Type.Optional(ReportSchedule),
      is_enabled: Type.Optional(Type.Boolean()),
    },
    { minProperties: 1 },
  ),
  conditions: ['`config` has the keys of its channel.', '`schedule.timezone` is an IANA name.'],
  responses: { 200: channelAnswer },
  errors: ['blocked_target', 'upgrade_required', 'slack_destination_not_found', 'slack_not_configured'],
});

export const deleteWeeklyReportChannel = defineEndpoint({
  id: 'deleteWeeklyReportChannel',
  method: 'DELETE',
  path: '/v1/weekly-report-channels/:id',
  summary: 'Delete a weekly report channel',
  scope: { of: 'record', kind: 'weekly_report_channel', id: 'params.id' },
  role: 'admin',
  params: channelParams,
  body: 'none',
  responses: { 204: 'empty' },
});

/** The least time between two requested reports of one channel. */
export const SEND_NOW_SECONDS = 60;

const LocalDate = Type.String({ description: 'In the time zone of the channel: `2026-03-16`' });

export const sendWeeklyReport = defineEndpoint({
  id: 'sendWeeklyReport',
  method: 'POST',
  path: '/v1/weekly-report-channels/:id/send',
  summary:
    'Send the report of the last seven days now, even if nothing happened; the schedule does not change',
  scope: { of: 'record', kind: 'weekly_report_channel', id: 'params.id' },
  role: 'admin',
  params: channelParams,
  body: 'none',
  responses: {
    200: Closed({ report: Closed({ from: LocalDate, to: LocalDate }) }),
  },
  errors: [
    'upgrade_required',
    'slack_destination_not_found',
    'weekly_report_channel_disabled',
    'rate_limited',
    'mail_not_configured',
    'slack_not_configured',
  ],
});
