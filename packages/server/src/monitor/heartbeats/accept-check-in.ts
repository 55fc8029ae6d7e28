import { HEARTBEAT_DEFAULTS, HeartbeatCheckIn } from '@culprit/contract/monitor/heartbeats';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { type ForeignAnswer, refusalAnswer } from '../../pipeline/ingest/foreign/foreign-answer.ts';
import { type ForeignRequest, isRefusal } from '../../pipeline/ingest/foreign/foreign-intake.ts';
import type { ForeignKeys } from '../../pipeline/ingest/foreign/foreign-keys.ts';
import { type ForeignRefusal, refusal } from '../../pipeline/ingest/foreign/foreign-refusal.ts';
import { payloadFault } from '../../platform/http/binding/payload-fault.ts';
import { lazyFaultFinder } from '../../platform/http/binding/schema-validator.ts';
import { normalizeOrigin } from '../../workspace/tokens/allowed-origin.ts';
import { bearerToken, isTokenShaped } from '../../workspace/tokens/token.ts';
import { checkInAnswer, readSmallBody } from './ping-request.ts';
import { CHECK_IN_REFUSALS, type CheckInOptions, recordSentryCheckIn } from './record-sentry-check-in.ts';
import { isSchedule, isTimezone } from './schedule.ts';

type Config = NonNullable<HeartbeatCheckIn['config']>;

const TOKEN_MISSING = refusal(
  'key_missing',
  'Send a project token as Authorization: Bearer. It is in the settings of the project.',
);

const faultsOf = lazyFaultFinder(HeartbeatCheckIn);

/** `POST /v1/check-ins` with a project token (docs/contract/team-workflow.md 8.2). */
export async function acceptCheckIn(
  request: ForeignRequest,
  intake: CheckInOptions & { keys: ForeignKeys },
): Promise<ForeignAnswer> {
  const { origin, authorization = '' } = request.headers;
  const token = bearerToken(authorization);
  if (token === null || !isTokenShaped('project', token)) return refusalAnswer(TOKEN_MISSING);
  const judged = await intake.keys.judge(token, {
    number: null,
    origin: origin === undefined ? null : normalizeOrigin(origin),
    client: request.clientKey,
    takesProjectTokens: true,
  });
  if (isRefusal(judged)) return refusalAnswer(judged);
  if (judged.refusal !== null) return refusalAnswer(judged.refusal);
  const { projectId, tokenHash } = judged.key;
  const body = await readSmallBody(request, tokenHash.toString('latin1'));
  if (isRefusal(body)) return refusalAnswer(body);
  const checkIn = readCheckIn(body);
  if (isRefusal(checkIn)) return refusalAnswer(checkIn);
  const result = await recordSentryCheckIn(intake, projectId, checkIn);
  if (typeof result === 'string') return refusalAnswer(CHECK_IN_REFUSALS[result]);
  return checkInAnswer(result, (checkInId) => ({ status: 202, body: { check_in_id: checkInId } }));
}

/** In the form of Sentry's clients, which is recorded. */
function readCheckIn(body: string): JsonObject | ForeignRefusal {
  let said: unknown;
  try {
    said = JSON.parse(body);
  } catch {
    return refusal('invalid_payload', 'The body is not JSON.');
  }
  if (!isOfContract(said)) return refusal('invalid_payload', payloadFault(faultsOf(said) ?? []));
  const { heartbeat, duration_ms: durationMs, trace_id: traceId, config, ...rest } = said;
  if (config !== undefined && !hasTimes(config)) {
    const detail = 'The time zone is unknown, or the schedule has no run within five years.';
    return refusal('invalid_payload', detail);
  }
  return {
    ...rest,
    monitor_slug: heartbeat,
    duration: durationMs === undefined ? null : durationMs / 1000,
    contexts: { trace: { trace_id: traceId ?? null } },
    monitor_config:
      config === undefined
        ? null
        : {
            schedule: config.schedule,
            timezone: config.timezone ?? null,
            checkin_margin: config.margin_minutes ?? null,
            max_runtime: config.max_runtime_minutes ?? null,
            failure_issue_threshold: config.failure_threshold ?? null,
            recovery_threshold: config.recovery_threshold ?? null,
          },
  };
}

function hasTimes({ schedule, timezone = HEARTBEAT_DEFAULTS.timezone }: Config): boolean {
  return isTimezone(timezone) && isSchedule(schedule, timezone, Date.now());
}

function isOfContract(value: unknown): value is HeartbeatCheckIn {
  return faultsOf(value) === null;
}
