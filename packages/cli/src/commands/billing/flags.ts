import type { FieldFlag } from '../../records/fields.ts';

export const REPORT_FIELDS: readonly FieldFlag[] = [
  {
    name: 'channel',
    value: 'CHANNEL',
    choices: ['email', 'slack'],
    field: 'channel',
    says: 'how it is sent',
  },
  {
    name: 'to',
    value: 'ADDRESS',
    isRepeatable: true,
    field: 'config.to',
    as: 'list',
    says: 'addresses of a report by mail',
  },
  { name: 'webhook-url', value: 'URL', field: 'config.webhook_url', says: 'of a report to Slack' },
  {
    name: 'slack-destination-id',
    value: 'ID',
    field: 'config.slack_destination_id',
    says: 'of a report to Slack',
  },
  {
    name: 'day-of-week',
    value: 'DAY',
    choices: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
    field: 'schedule.day_of_week',
    standard: 'monday',
    says: 'when it is sent',
  },
  {
    name: 'hour-of-day',
    value: 'N',
    kind: 'integer',
    min: 0,
    max: 23,
    field: 'schedule.hour_of_day',
    as: 'number',
    standard: '9',
    says: 'when it is sent',
  },
  { name: 'timezone', value: 'ZONE', field: 'schedule.timezone', standard: 'UTC', says: 'of day and hour' },
  { name: 'enable', field: 'is_enabled', as: 'true', says: 'enable it' },
  { name: 'disable', field: 'is_enabled', as: 'false', says: 'disable it' },
];
