import type { HeartbeatSchedule } from '@culprit/contract/monitor/heartbeats';
import type { HeartbeatSettings } from './heartbeat-settings.ts';

/** The columns of what is set, as statements select them. */
export interface SettingsRow {
  name: string;
  service_name: string | null;
  schedule_type: HeartbeatSchedule['type'];
  schedule_value: string;
  schedule_unit: string | null;
  timezone: string;
  margin_minutes: number;
  max_runtime_minutes: number;
  failure_threshold: number;
  recovery_threshold: number;
  is_enabled: boolean;
}

export const SETTINGS_COLUMNS = `name, service_name, schedule_type, schedule_value, schedule_unit, timezone,
  margin_minutes, max_runtime_minutes, failure_threshold, recovery_threshold, is_enabled`;

const UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;

export function settingsOf(row: SettingsRow): HeartbeatSettings {
  return {
    name: row.name,
    serviceName: row.service_name,
    schedule: scheduleOf(row),
    timezone: row.timezone,
    marginMinutes: row.margin_minutes,
    maxRuntimeMinutes: row.max_runtime_minutes,
    failureThreshold: row.failure_threshold,
    recoveryThreshold: row.recovery_threshold,
    isEnabled: row.is_enabled,
  };
}

export function scheduleOf(row: SettingsRow): HeartbeatSchedule {
  if (row.schedule_type === 'crontab') return { type: 'crontab', value: row.schedule_value };
  const unit = UNITS.find((known) => known === row.schedule_unit) ?? 'day';
  return { type: 'interval', value: Number(row.schedule_value), unit };
}

/** The values of `SETTINGS_COLUMNS`, in their order. */
export function settingsParameters(settings: HeartbeatSettings) {
  const { schedule } = settings;
  return [
    settings.name,
    settings.serviceName,
    schedule.type,
    String(schedule.value),
    schedule.type === 'interval' ? schedule.unit : null,
    settings.timezone,
    settings.marginMinutes,
    settings.maxRuntimeMinutes,
    settings.failureThreshold,
    settings.recoveryThreshold,
    settings.isEnabled,
  ];
}
