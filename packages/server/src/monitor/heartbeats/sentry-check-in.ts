import {
  HEARTBEAT_BOUNDS,
  HEARTBEAT_DEFAULTS,
  type HeartbeatSchedule,
} from '@culprit/contract/monitor/heartbeats';
import { cleanText } from '@culprit/evidence/events/envelope/clean-text';
import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import type { HeartbeatSettings } from './heartbeat-settings.ts';
import { readCheckInId, readDurationMs } from './ping-request.ts';
import type { CheckIn } from './record-check-in.ts';
import { isSchedule, isTimezone } from './schedule.ts';

/** A check-in of Sentry's clients (docs/contract/foreign-protocols.md 6.5). */
export interface SentryCheckIn {
  slug: string;
  /** Null: the project's own. */
  environment: string | null;
  checkIn: CheckIn;
  /** The settings that it configures, without a name; null: none, or none that can be read. */
  settings: Omit<HeartbeatSettings, 'name' | 'serviceName' | 'isEnabled'> | null;
}

/** Null for what is no check-in. */
export function readSentryCheckIn(said: JsonObject, nowMs: number): SentryCheckIn | null {
  const slug = slugOf(said.monitor_slug);
  const { status } = said;
  if (slug === null || (status !== 'in_progress' && status !== 'ok' && status !== 'error')) return null;
  const trace = objectOf(objectOf(said.contexts).trace).trace_id;
  return {
    slug,
    environment: textOf(said.environment, 50),
    checkIn: {
      status,
      checkInId: readCheckInId(said.check_in_id),
      durationMs: readDurationMs(said.duration, 1000),
      release: textOf(said.release, 200),
      traceId: typeof trace === 'string' && /^[0-9a-f]{32}$/.test(trace) ? trace : null,
      output: null,
      failure: null,
    },
    settings: settingsOf(said.monitor_config, nowMs),
  };
}

/** In the letters of slugs, as Sentry's own server writes them. */
function slugOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const slug = value
    .slice(0, 200)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '-')
    .slice(0, 64);
  return /[a-z0-9]/.test(slug) ? slug : null;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value ?? null) ? (value as JsonObject) : {};
}

function textOf(value: unknown, charsMax: number): string | null {
  const text = typeof value === 'string' ? value.trim().slice(0, charsMax) : '';
  return text === '' ? null : cleanText(text, charsMax);
}

function settingsOf(value: JsonValue | undefined, nowMs: number): SentryCheckIn['settings'] {
  const config = objectOf(value);
  const schedule = scheduleOf(objectOf(config.schedule));
  const timezone = textOf(config.timezone, 64) ?? HEARTBEAT_DEFAULTS.timezone;
  if (schedule === null || !isTimezone(timezone) || !isSchedule(schedule, timezone, nowMs)) return null;
  const { marginMinutes, maxRuntimeMinutes, threshold } = HEARTBEAT_BOUNDS;
  return {
    schedule,
    timezone,
    marginMinutes: within(config.checkin_margin, marginMinutes, HEARTBEAT_DEFAULTS.marginMinutes),
    maxRuntimeMinutes: within(config.max_runtime, maxRuntimeMinutes, HEARTBEAT_DEFAULTS.maxRuntimeMinutes),
    failureThreshold: within(config.failure_issue_threshold, threshold, HEARTBEAT_DEFAULTS.failureThreshold),
    recoveryThreshold: within(config.recovery_threshold, threshold, HEARTBEAT_DEFAULTS.recoveryThreshold),
  };
}

function scheduleOf({ type, value, unit }: JsonObject): HeartbeatSchedule | null {
  if (type === 'crontab') return typeof value === 'string' ? { type, value: value.trim() } : null;
  const { minimum, maximum } = HEARTBEAT_BOUNDS.interval;
  if (type !== 'interval' || !Number.isInteger(value) || Number(value) < minimum || Number(value) > maximum) {
    return null;
  }
  const known = (['minute', 'hour', 'day', 'week', 'month', 'year'] as const).find((name) => name === unit);
  return known === undefined ? null : { type, value: Number(value), unit: known };
}

function within(value: unknown, bounds: { minimum: number; maximum: number }, otherwise: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return otherwise;
  return Math.min(bounds.maximum, Math.max(bounds.minimum, Math.ceil(value)));
}
