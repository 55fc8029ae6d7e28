import { scheduleWords } from '@culprit/contract/monitor/heartbeat-words';
import type { HeartbeatRunStatus, HeartbeatSchedule } from '@culprit/contract/monitor/heartbeats';
import { duration } from '../format/numbers.ts';

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

/** Returns true if a run counts as a failure. */
export function isFailedRun(status: HeartbeatRunStatus | null): boolean {
  return status === 'error' || status === 'missed' || status === 'timeout';
}

export interface Waiting {
  schedule: HeartbeatSchedule;
  timezone: string;
  marginMinutes: number;
  maxRuntimeMinutes: number;
  failureThreshold: number;
}

/** Returns the effect of a silent job, in one sentence. */
export function waitingSentence(waiting: Waiting): string {
  const { marginMinutes: margin, maxRuntimeMinutes: most, failureThreshold: failures } = waiting;
  const late = margin === 0 ? 'on time' : `within ${minutes(margin)} of its time`;
  const when = failures === 1 ? 'At the first failure' : `After ${failures} failures in a row`;
  return `The job runs ${scheduleWords(waiting)}. It counts as failed when it reports an error, has not started ${late}, or is still running after ${minutes(most)}. ${when} an incident opens.`;
}

function minutes(count: number): string {
  return Number.isFinite(count) ? duration(count * 60_000) : '…';
}
