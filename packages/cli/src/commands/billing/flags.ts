import { createWeeklyReportChannel } from '@culprit/contract/alerts/weekly-reports';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createWeeklyReportChannel);

export const REPORT_FIELDS = [
  flag('--channel CHANNEL', 'how it is sent'),
  flag('--to ADDRESS', 'addresses of a report by mail', 'config.to'),
  flag('--webhook-url URL', 'of a report to Slack', 'config.webhook_url'),
  flag('--slack-destination-id ID', 'of a report to Slack', 'config.slack_destination_id'),
  flag('--day-of-week DAY', 'when it is sent', { field: 'schedule.day_of_week', standard: 'monday' }),
  flag('--hour-of-day N', 'when it is sent', { field: 'schedule.hour_of_day', standard: '9' }),
  flag('--timezone ZONE', 'of day and hour', { field: 'schedule.timezone', standard: 'UTC' }),
  flag('--enable', 'enable it', 'is_enabled'),
  flag('--disable', 'disable it', { field: 'is_enabled', as: 'false' }),
];
