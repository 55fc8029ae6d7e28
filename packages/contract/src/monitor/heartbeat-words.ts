import type { HeartbeatBlock } from '../incidents/bundle-context.ts';
import type { Heartbeat } from './heartbeats.ts';

/** "daily at 03:00, Europe/Berlin". */
export function scheduleWords({ schedule, timezone }: Pick<Heartbeat, 'schedule' | 'timezone'>): string {
  return schedule.type === 'interval'
    ? `every ${schedule.value === 1 ? schedule.unit : `${schedule.value} ${schedule.unit}s`}`
    : `${crontabWords(schedule.value)}, ${timezone}`;
}

const TIME = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7])$/;
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The frequent forms in words; any other unchanged. */
function crontabWords(value: string): string {
  const text = value.trim().replaceAll(/\s+/g, ' ');
  const named = /^@(hourly|daily|weekly|monthly)$/i.exec(text)?.[1];
  if (named !== undefined) return named.toLowerCase();
  const minutes = /^(?:\*\/(\d{1,2})|(\*)) \* \* \* \*$/.exec(text);
  if (minutes !== null) return minutes[2] ? 'every minute' : `every ${minutes[1]} minutes`;
  const hourly = /^(\d{1,2}) \* \* \* \*$/.exec(text)?.[1];
  if (hourly !== undefined) return `hourly at :${hourly.padStart(2, '0')}`;
  const [, minute, hour, day] = TIME.exec(text) ?? [];
  if (minute === undefined || hour === undefined) return `crontab ${text}`;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  return day === undefined || day === '*' ? `daily at ${time}` : `${DAYS[Number(day)]}s at ${time}`;
}

const FAILURES: Readonly<Record<HeartbeatBlock['failure'], string>> = {
  error: 'reported an error',
  missed: 'did not start in time',
  timeout: 'did not end in time',
};

/** Returns the facts in a bundle about a scheduled job that failed, in sentences. */
export function heartbeatSentences(heartbeat: HeartbeatBlock | undefined): string[] {
  if (heartbeat === undefined) return [];
  const { name, schedule, failure, expected_at, runs, exceptions, output } = heartbeat;
  const expected = expected_at === null ? '' : `, expected at ${expected_at}`;
  return [
    `job ${name}, ${schedule}, ${FAILURES[failure]}${expected}`,
    runs.length === 0
      ? 'no run before'
      : `runs before: ${runs.map(({ status, started_at }) => `${status} ${started_at}`).join(', ')}`,
    ...(output === null ? [] : [`output: ${output}`]),
    ...exceptions.map(({ type, message }) => `exception of the run: ${type}: ${message}`),
  ];
}
