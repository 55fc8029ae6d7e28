import type { Heartbeat, HeartbeatRunStatus, HeartbeatSchedule } from '@culprit/contract/heartbeats';
import { duration, plural } from '../format/numbers.ts';

const RUN_WORDS: Readonly<Record<HeartbeatRunStatus, string>> = {
  in_progress: 'running',
  ok: 'succeeded',
  error: 'failed',
  missed: 'did not run',
  timeout: 'did not end in time',
  unknown: 'not known: Culprit was down',
};

export function runWords(status: HeartbeatRunStatus): string {
  return RUN_WORDS[status] ?? status;
}

/** Whether a run counts as a failure. */
export function isFailedRun(status: HeartbeatRunStatus | null): boolean {
  return status === 'error' || status === 'missed' || status === 'timeout';
}

/** "daily at 03:00, Europe/Berlin". */
export function scheduleWords({ schedule, timezone }: Pick<Heartbeat, 'schedule' | 'timezone'>): string {
  return schedule.type === 'interval'
    ? `every ${schedule.value === 1 ? schedule.unit : plural(schedule.value, schedule.unit)}`
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

export interface Waiting {
  schedule: HeartbeatSchedule;
  timezone: string;
  marginMinutes: number;
  maxRuntimeMinutes: number;
  failureThreshold: number;
}

/** What happens when the job is silent, in one sentence. */
export function waitingSentence(waiting: Waiting): string {
  const { marginMinutes: margin, maxRuntimeMinutes: most, failureThreshold: failures } = waiting;
  const late = margin === 0 ? 'on time' : `within ${minutes(margin)} of its time`;
  const when = failures === 1 ? 'At the first failure' : `After ${failures} failures in a row`;
  return `The job runs ${scheduleWords(waiting)}. It counts as failed when it reports an error, has not started ${late}, or is still running after ${minutes(most)}. ${when} an incident opens.`;
}

function minutes(count: number): string {
  return Number.isFinite(count) ? duration(count * 60_000) : '…';
}
