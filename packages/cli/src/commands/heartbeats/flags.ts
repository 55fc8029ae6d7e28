import {
  createHeartbeat,
  HEARTBEAT_BOUNDS,
  HEARTBEAT_UNITS,
  updateHeartbeat,
} from '@culprit/contract/monitor/heartbeats';
import { usageError } from '../../cli-error.ts';
import type { JsonObject } from '../../config/json-file.ts';
import type { Flag } from '../../flag.ts';
import type { Input } from '../../input.ts';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createHeartbeat);

export const HEARTBEAT_FIELDS = [
  flag('--name NAME', 'name of the job'),
  flag('--timezone ZONE', 'time zone of the schedule, such as Europe/Berlin'),
  flag('--margin N', 'minutes that a run can be late', 'margin_minutes'),
  flag('--max-runtime N', 'minutes that a run can take', 'max_runtime_minutes'),
  flag('--failure-threshold N', 'consecutive failures that open an incident'),
  flag('--recovery-threshold N', 'consecutive successes that resolve it'),
];

/** The flags of a job's schedule. */
export const SCHEDULE_FLAGS: readonly Flag[] = [
  { name: 'cron', value: 'CRONTAB', says: 'when the job runs: five fields, or @daily' },
  { name: 'every', value: 'N UNIT', says: 'how often the job runs: "15 minutes", "1 hour", "2 weeks"' },
];

/** The flags of an existing heartbeat. */
export const PAUSE_FLAGS = [
  flagsOf(updateHeartbeat)('--enable', 'expect runs again', 'enabled'),
  flagsOf(updateHeartbeat)('--disable', 'pause it: no runs are expected', { field: 'enabled', as: 'false' }),
];

const EVERY = /^(\d{1,4}) ?([a-z]+?)s?$/i;

/** The schedule that the flags name; null for none. */
export function scheduleIn(input: Input): JsonObject | null {
  const [cron, every] = [input.text('cron'), input.text('every')];
  if (cron !== null && every !== null) throw usageError('--cron and --every cannot be combined.');
  if (cron !== null) return { type: 'crontab', value: cron };
  if (every === null) return null;
  const [, count = '', word = ''] = EVERY.exec(every.trim()) ?? [];
  const unit = HEARTBEAT_UNITS.find((known) => known === word.toLowerCase());
  const { minimum, maximum } = HEARTBEAT_BOUNDS.interval;
  const value = Number(count);
  if (unit === undefined || value < minimum || value > maximum) {
    throw usageError(
      `--every must be a number from ${minimum} to ${maximum} and one of ${HEARTBEAT_UNITS.join(', ')}.`,
      'such as --every "15 minutes"',
    );
  }
  return { type: 'interval', value, unit };
}
