import { eventTypes } from '@culprit/contract/events/event-fields';
import { readyPayload } from '../envelope/event-shapes.ts';
import { parseIsoTime } from '../envelope/iso-time.ts';
import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { countOrNull, filledObjectOrNull, objectOrEmpty } from '../envelope/read-json.ts';
import { identifierOrNull, safeTextOrNull, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import type { EventPayload, EventType, NormalizedEvent, SuppressedPayload } from './event.ts';
import { correlationOf, guardUserIds, mergedContext } from './event-context.ts';
import { normalizeDevice } from './event-device.ts';
import { normalizeBreadcrumbEvent } from './normalize-breadcrumb.ts';
import { normalizeException } from './normalize-exception.ts';
import { normalizeRequestEvent } from './normalize-http.ts';
import { normalizeLog } from './normalize-log.ts';
import { normalizeProbeEvent } from './normalize-probe.ts';
import { normalizeTrail } from './normalize-trail.ts';
import { type OpenParts, WHOLE } from './open-parts.ts';
import { isAhead, type SenderClock, senderClock } from './sender-clock.ts';
import { collectUnnamed } from './unnamed-keys.ts';

/** Identifiers hold at most 200 characters, of at most two units each. */
const IDENTIFIER_CHARS_MAX = 400;

const SUPPRESSED_COUNT_MAX = 1_000_000;
const WINDOW_SECONDS_DEFAULT = 30;

/**
 * Returns the internal form of an event (docs/contract/ingestion.md 1.5 and 2, docs/contract/incidents.md 5.2): one
 * spelling, defaults filled in, text cut to its bounds, well formed and redacted by key and by value pattern.
 * Identifiers are cleaned but not redacted, as events are joined by them; URLs keep their query here and lose it in the
 * bundle (`stripUrlSecrets`). The second argument has the id and receive time that the event intake decided.
 *
 * @param raw an event that passed `checkEvent` and `sanitizeRawEvent`
 * @param open the part of the context, of bodies and of other open values that is read
 */
export function normalizeEvent(
  raw: JsonObject,
  intake: { eventId: string; receivedAtMs: number },
  open: OpenParts = WHOLE,
): NormalizedEvent {
  const { receivedAtMs } = intake;
  const eventType = raw.event_type as EventType;
  const payload = objectOrEmpty(raw.payload);
  const occurredAtMs = timeOf(raw.timestamp ?? raw.occurred_at) ?? receivedAtMs;
  const clock = senderClock(occurredAtMs, receivedAtMs);
  const service = serviceOf(objectOrEmpty(raw.service));
  const rawContext = mergedContext(eventType, raw, payload);
  const context = guardUserIds(open.context(rawContext));
  const normalized = payloadOf(eventType, payload, {
    context: rawContext,
    environment: service.environment,
    clock,
    receivedAtMs,
    open,
  });
  return {
    eventId: eventIdOf(intake.eventId),
    eventType,
    occurredAtMs,
    effectiveAtMs: clock.effectiveAtMs,
    receivedAtMs,
    service,
    sdk: sdkOf(raw),
    correlation: correlationOf(objectOrEmpty(raw.correlation), rawContext, payload),
    schemaVersion: identifierOrNull(raw.schema_version, IDENTIFIER_CHARS_MAX) ?? 'seed-1',
    context,
    extra: extraOf(eventType, payload, open),
    device: normalizeDevice(filledObjectOrNull(payload.device) ?? raw.device, {
      browser: normalized.kind === 'exception' ? normalized.browser : null,
      userAgent:
        eventType === 'frontend_exception' ? safeTextOrNull(payload.user_agent, TEXT_CHARS_MAX.other) : null,
    }),
    payload: normalized,
  };
}

/** Returns the stored id of an event. */
export function eventIdOf(id: string): string {
  return identifierOrNull(id, IDENTIFIER_CHARS_MAX) ?? '';
}

interface Surroundings {
  context: JsonObject;
  environment: string;
  clock: SenderClock;
  receivedAtMs: number;
  open: OpenParts;
}

function payloadOf(type: EventType, payload: JsonObject, around: Surroundings): EventPayload {
  switch (type) {
    case 'backend_exception':
    case 'frontend_exception':
      return normalizeException(type, payload, around);
    case 'request_event':
      return {
        kind: 'request',
        ...normalizeRequestEvent(payload, around.open),
        trail: normalizeTrail(payload, around.clock),
      };
    case 'log_event':
      return normalizeLog(payload, around.context);
    case 'frontend_breadcrumb':
      return {
        kind: 'breadcrumb',
        breadcrumb: normalizeBreadcrumbEvent(payload, around.clock.effectiveAtMs),
      };
    case 'deploy_metadata':
      return {
        kind: 'deploy',
        commitSha: identifierOrNull(payload.commit_sha, IDENTIFIER_CHARS_MAX),
        version: identifierOrNull(payload.version, IDENTIFIER_CHARS_MAX),
        branch: identifierOrNull(payload.branch, IDENTIFIER_CHARS_MAX),
        environment: identifierOrNull(payload.environment, IDENTIFIER_CHARS_MAX) ?? around.environment,
        deployedAtMs: innerTime(payload.deployed_at, around),
      };
    case 'error_suppressed':
      return suppressedOf(payload, around);
    case 'probe_event':
      return normalizeProbeEvent(payload);
  }
}

function suppressedOf(payload: JsonObject, around: Surroundings): SuppressedPayload {
  const lastSeenMs = innerTime(payload.last_seen, around);
  const firstSeenMs = innerTime(payload.first_seen, around);
  const count = payload.suppressed_count ?? payload.count;
  return {
    kind: 'suppressed',
    suppressedCount: typeof count === 'number' ? Math.min(count + 0, SUPPRESSED_COUNT_MAX) : 0,
    windowSeconds: countOrNull(payload.window_seconds) ?? WINDOW_SECONDS_DEFAULT,
    firstSeenMs: Math.min(firstSeenMs, lastSeenMs),
    lastSeenMs,
    isQueuePressure: isQueuePressure(payload),
    sampleEventId: identifierOrNull(payload.sample_event_id, IDENTIFIER_CHARS_MAX),
    repeatedType: eventTypes.find((type) => type === payload.event_type) ?? null,
  };
}

/** Some libraries count in such a report what a full queue lost, of any kind: that belongs to no incident. */
function isQueuePressure({ fingerprint, reason }: JsonObject): boolean {
  return (
    reason === 'queue_pressure' || (typeof fingerprint === 'string' && fingerprint.includes('queue-pressure'))
  );
}

function timeOf(value: JsonValue | undefined): number | null {
  return typeof value === 'string' ? parseIsoTime(value) : null;
}

/** A time that decides where something is placed; the event's where it is absent, never in the future. */
function innerTime(value: JsonValue | undefined, { clock, receivedAtMs }: Surroundings): number {
  const written = timeOf(value);
  if (written === null) return clock.effectiveAtMs;
  const ms = clock.at(written);
  return isAhead(ms, receivedAtMs) ? receivedAtMs : ms;
}

function serviceOf(service: JsonObject): NormalizedEvent['service'] {
  return {
    name: trimmedIdentifier(service.name),
    environment: trimmedIdentifier(service.environment),
    runtime: identifierOrNull(service.runtime, IDENTIFIER_CHARS_MAX),
    framework: identifierOrNull(service.framework, IDENTIFIER_CHARS_MAX),
  };
}

function trimmedIdentifier(value: JsonValue | undefined): string {
  return typeof value === 'string' ? (identifierOrNull(value.trim(), IDENTIFIER_CHARS_MAX) ?? '') : '';
}

function sdkOf(raw: JsonObject): NormalizedEvent['sdk'] {
  const sdk = objectOrEmpty(raw.sdk);
  return {
    name: identifierOrNull(sdk.name ?? raw.sdk_name, IDENTIFIER_CHARS_MAX) ?? 'unknown',
    version: identifierOrNull(sdk.version ?? raw.sdk_version, IDENTIFIER_CHARS_MAX) ?? '0',
    language: identifierOrNull(raw.sdk_language, IDENTIFIER_CHARS_MAX),
  };
}

/** Payload keys no table names. What a device does not name stays with the device. */
function extraOf(type: EventType, payload: JsonObject, open: OpenParts): JsonObject {
  const unnamed = collectUnnamed(readyPayload(type), payload) ?? {};
  delete unnamed.device;
  if (type === 'frontend_breadcrumb') keepSecondMessage(payload, unnamed);
  return open.map(unnamed);
}

/** A breadcrumb's `message` whose place in `data` is taken. */
function keepSecondMessage(payload: JsonObject, extra: JsonObject): void {
  const { message } = payload;
  if (message !== undefined && getOwn(objectOrEmpty(payload.data), 'message') !== undefined)
    extra.message = message;
}
