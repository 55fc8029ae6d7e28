import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import {
  type createHeartbeat,
  HEARTBEAT_DEFAULTS,
  type HeartbeatSchedule,
  type updateHeartbeat,
} from '@culprit/contract/monitor/heartbeats';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { isSchedule, isTimezone } from './schedule.ts';

/**
 * The settings of a heartbeat that people, or the configuration in check-ins, edit (docs/contract/team-workflow.md
 * 8.1).
 */
export interface HeartbeatSettings {
  name: string;
  serviceName: string | null;
  schedule: HeartbeatSchedule;
  timezone: string;
  marginMinutes: number;
  maxRuntimeMinutes: number;
  failureThreshold: number;
  recoveryThreshold: number;
  isEnabled: boolean;
}

/** The settings of a new heartbeat. @throws Problem `invalid_payload` */
export function newSettings(body: BodyOf<typeof createHeartbeat>, nowMs: number): HeartbeatSettings {
  return changedSettings(
    {
      name: body.slug,
      serviceName: null,
      schedule: body.schedule,
      isEnabled: true,
      ...HEARTBEAT_DEFAULTS,
    },
    body,
    nowMs,
  );
}

/** The settings after a change. @throws Problem `invalid_payload` */
export function changedSettings(
  before: HeartbeatSettings,
  body: BodyOf<typeof updateHeartbeat>,
  nowMs: number,
): HeartbeatSettings {
  const after = {
    name: body.name?.trim() ?? before.name,
    serviceName: body.service_name === undefined ? before.serviceName : (body.service_name?.trim() ?? null),
    schedule: body.schedule ?? before.schedule,
    timezone: body.timezone ?? before.timezone,
    marginMinutes: body.margin_minutes ?? before.marginMinutes,
    maxRuntimeMinutes: body.max_runtime_minutes ?? before.maxRuntimeMinutes,
    failureThreshold: body.failure_threshold ?? before.failureThreshold,
    recoveryThreshold: body.recovery_threshold ?? before.recoveryThreshold,
    isEnabled: body.enabled ?? before.isEnabled,
  };
  if (!isTimezone(after.timezone)) throw invalidPayload('/timezone', 'must be a name of the IANA database');
  if (!isSchedule(after.schedule, after.timezone, nowMs)) {
    throw invalidPayload(
      '/schedule',
      'must be a crontab of five fields, without L, W and #, with a run within five years',
    );
  }
  return after;
}

/** Returns true if the change ends the wait for the current check-in. */
export function movesSchedule(before: HeartbeatSettings, after: HeartbeatSettings): boolean {
  return (
    JSON.stringify(before.schedule) !== JSON.stringify(after.schedule) ||
    before.timezone !== after.timezone ||
    before.isEnabled !== after.isEnabled
  );
}
