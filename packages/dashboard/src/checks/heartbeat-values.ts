import {
  HEARTBEAT_SLUG_LENGTH_MAX,
  type Heartbeat,
  type HeartbeatSchedule,
} from '@culprit/contract/monitor/heartbeats';
import type { Waiting } from './heartbeat-words.ts';

/** The values of the form of a heartbeat. */
export interface HeartbeatValues {
  name: string;
  slug: string;
  environment: string;
  kind: HeartbeatSchedule['type'];
  crontab: string;
  every: number;
  unit: Extract<HeartbeatSchedule, { type: 'interval' }>['unit'];
  timezone: string;
  marginMinutes: number;
  maxRuntimeMinutes: number;
  failureThreshold: number;
  recoveryThreshold: number;
  service: string;
}

const CRONTAB_SUGGESTED = '0 3 * * *';

export function valuesOf(heartbeat: Heartbeat): HeartbeatValues {
  const { schedule } = heartbeat;
  return {
    name: heartbeat.name,
    slug: heartbeat.slug,
    environment: heartbeat.environment,
    kind: schedule.type,
    crontab: schedule.type === 'crontab' ? schedule.value : CRONTAB_SUGGESTED,
    every: schedule.type === 'interval' ? schedule.value : 1,
    unit: schedule.type === 'interval' ? schedule.unit : 'hour',
    timezone: heartbeat.timezone,
    marginMinutes: heartbeat.margin_minutes,
    maxRuntimeMinutes: heartbeat.max_runtime_minutes,
    failureThreshold: heartbeat.failure_threshold,
    recoveryThreshold: heartbeat.recovery_threshold,
    service: heartbeat.service_name ?? '',
  };
}

function scheduleOf({ kind, crontab, every, unit }: HeartbeatValues): HeartbeatSchedule {
  return kind === 'crontab'
    ? { type: 'crontab', value: crontab.trim() }
    : { type: 'interval', value: every, unit };
}

export function waitingOf(values: HeartbeatValues): Waiting {
  return { ...values, schedule: scheduleOf(values) };
}

/** Returns the fields of a request for a heartbeat, whether it is new or not. */
export function bodyFrom(values: HeartbeatValues) {
  const service = values.service.trim();
  return {
    name: values.name.trim(),
    schedule: scheduleOf(values),
    timezone: values.timezone.trim(),
    margin_minutes: values.marginMinutes,
    max_runtime_minutes: values.maxRuntimeMinutes,
    failure_threshold: values.failureThreshold,
    recovery_threshold: values.recoveryThreshold,
    service_name: service === '' ? null : service,
  };
}

/** The slug that was typed, else one made from the name. */
export function slugOf({ slug, name }: HeartbeatValues): string {
  const made = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, HEARTBEAT_SLUG_LENGTH_MAX);
  return slug || made || 'job';
}
