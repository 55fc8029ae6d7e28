import { HEARTBEAT_BOUNDS, HEARTBEAT_UNITS } from '@culprit/contract/monitor/heartbeats';
import { usageError } from '../../cli-error.ts';
import type { JsonObject } from '../../config/json-file.ts';
import type { Flag } from '../../flag.ts';
import type { Input } from '../../input.ts';
import type { FieldFlag } from '../../records/fields.ts';

const number = (name: string, field: string, min: number, max: number, says: string): FieldFlag => ({
  name,
  value: 'N',
  kind: 'integer',
  min,
  max,
  field,
  as: 'number',
  says,
});

export const HEARTBEAT_FIELDS: readonly FieldFlag[] = [
  { name: 'name', value: 'NAME', field: 'name', says: 'name of the job' },
  { name: 'timezone', value: 'ZONE', field: 'timezone', says: 'of the schedule, such as Europe/Berlin' },
  number('margin', 'margin_minutes', 0, 10_080, 'minutes by which a run may be late'),
  number('max-runtime', 'max_runtime_minutes', 1, 10_080, 'minutes that a run may take'),
  number('failure-threshold', 'failure_threshold', 1, 10, 'failures in a row that open an incident'),
  number('recovery-threshold', 'recovery_threshold', 1, 10, 'runs in a row that resolve it'),
];

/** The flags of a job's schedule. */
export const SCHEDULE_FLAGS: readonly Flag[] = [
  { name: 'cron', value: 'CRONTAB', says: 'when the job runs: five fields, or @daily' },
  { name: 'every', value: 'N UNIT', says: 'or how often: "15 minutes", "1 hour", "2 weeks"' },
];

/** The flags of an existing heartbeat. */
export const PAUSE_FLAGS: readonly FieldFlag[] = [
  { name: 'enable', field: 'enabled', as: 'true', says: 'wait for the job again' },
  { name: 'disable', field: 'enabled', as: 'false', says: 'pause it: no run is waited for' },
];

const EVERY = /^(\d{1,4}) ?([a-z]+?)s?$/i;

/** The schedule that the flags name; null for none. */
export function scheduleIn(input: Input): JsonObject | null {
  const [cron, every] = [input.text('cron'), input.text('every')];
  if (cron !== null && every !== null) throw usageError('--cron and --every exclude each other.');
  if (cron !== null) return { type: 'crontab', value: cron };
  if (every === null) return null;
  const [, count = '', word = ''] = EVERY.exec(every.trim()) ?? [];
  const unit = HEARTBEAT_UNITS.find((known) => known === word.toLowerCase());
  const { minimum, maximum } = HEARTBEAT_BOUNDS.interval;
  const value = Number(count);
  if (unit === undefined || value < minimum || value > maximum) {
    throw usageError(
      `--every takes a number from ${minimum} to ${maximum} and one of ${HEARTBEAT_UNITS.join(', ')}.`,
      'such as --every "15 minutes"',
    );
  }
  return { type: 'interval', value, unit };
}
