import {
  createWeeklyReportChannel,
  deleteWeeklyReportChannel,
  listWeeklyReportChannels,
  sendWeeklyReport,
  updateWeeklyReportChannel,
} from '@culprit/contract/alerts/weekly-reports';
import { isObject, type JsonObject, valueAt } from '../../config/json-file.ts';
import type { Input } from '../../input.ts';
import { fieldsOf } from '../../records/fields.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { REPORT_FIELDS } from '../billing/flags.ts';

const RECORD = { key: 'channel', id: 'channel_id', flags: REPORT_FIELDS } as const;
const SCHEDULE = { day_of_week: 'monday', hour_of_day: 9, timezone: 'UTC' };

export const list = listCommand({
  endpoint: listWeeklyReportChannels,
  project: 'query.project_id',
  key: 'channels',
  id: 'channel_id',
  columns: [
    ['CHANNEL', 'channel'],
    [
      'TO',
      (each) =>
        valueAt(each, 'config.to') ??
        valueAt(each, 'config.webhook_url') ??
        valueAt(each, 'config.slack_destination_id'),
      'wide',
    ],
    [
      'WHEN',
      (each) => `${valueAt(each, 'schedule.day_of_week')} ${valueAt(each, 'schedule.hour_of_day')}:00`,
    ],
    ['ON', ({ is_enabled }) => (is_enabled === true ? 'yes' : 'no')],
    ['ID', 'channel_id'],
  ],
  empty: 'No weekly reports.',
});

export const create = recordCommand({
  ...RECORD,
  endpoint: createWeeklyReportChannel,
  project: 'body.project_id',
  body(_, input) {
    input.required('channel');
    return scheduleOf(input, SCHEDULE);
  },
});

export const update = recordCommand({
  ...RECORD,
  endpoint: updateWeeklyReportChannel,
  project: 'none',
  argument: 'id',
  needsChange: true,
  body: (_, input) =>
    ['day-of-week', 'hour-of-day', 'timezone'].some((name) => input.has(name))
      ? scheduleOf(input, SCHEDULE)
      : {},
});

export const send = recordCommand({
  endpoint: sendWeeklyReport,
  project: 'none',
  argument: 'id',
  key: 'report',
  done: () => 'The report is being sent.',
});

export const remove = recordCommand({
  endpoint: deleteWeeklyReportChannel,
  project: 'none',
  argument: 'id',
  question: () => 'Delete this weekly report?',
  done: () => 'The report is deleted.',
});

/** A schedule is replaced as a whole, so what was not named is the standard. */
function scheduleOf(input: Input, standard: JsonObject): JsonObject {
  const { schedule } = fieldsOf(input, REPORT_FIELDS);
  return { schedule: { ...standard, ...(isObject(schedule) ? schedule : {}) } };
}
