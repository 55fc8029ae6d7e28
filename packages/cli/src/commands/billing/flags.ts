import { createWeeklyReportChannel } from '@culprit/contract/alerts/weekly-reports';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createWeeklyReportChannel);

export const REPORT_FIELDS = [
  flag('--channel CHANNEL', 'channel of the report'),
  flag('--to ADDRESS', 'addresses of an email report', 'config.to'),
  flag('--webhook-url URL', 'webhook of a Slack report', 'config.webhook_url'),
  flag('--slack-destination-id ID', 'connected channel of a Slack report', 'config.slack_destination_id'),
  flag('--day-of-week DAY', 'day on which it is sent', { field: 'schedule.day_of_week', standard: 'monday' }),
  flag('--hour-of-day N', 'hour at which it is sent', { field: 'schedule.hour_of_day', standard: '9' }),
  flag('--timezone ZONE', 'time zone of day and hour', { field: 'schedule.timezone', standard: 'UTC' }),
  flag('--enable', 'enable it', 'is_enabled'),
  flag('--disable', 'disable it', { field: 'is_enabled', as: 'false' }),
];
