import { boundedMap } from './bounded-json.ts';
import type { EventPayload, EventType, LogPayload, NormalizedEvent, SuppressedPayload } from './event.ts';
import { correlationOf, guardUserIds, mergedContext } from './event-context.ts';
import { normalizeDevice } from './event-device.ts';
import { readyPayload } from './event-shapes.ts';
import { parseIsoTime } from './iso-time.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { readLogLevel } from './log-level.ts';
import { normalizeBreadcrumbEvent } from './normalize-breadcrumb.ts';
import { normalizeException } from './normalize-exception.ts';
import { normalizeRequestEvent } from './normalize-http.ts';
import { normalizeProbeEvent } from './normalize-probe.ts';
import { getOwn, setOwn } from './own-property.ts';
import { countOrNull, filledObjectOrNull, objectOrEmpty } from './read-json.ts';
import { identifierOrNull, safeText, safeTextOrNull, TEXT_CHARS_MAX } from './safe-text.ts';
import { collectUnnamed } from './unnamed-keys.ts';

/** An event time further ahead of its receipt than this is a wrong clock (ingestion.md 1.5). */
const FUTURE_TOLERANCE_MS = 10 * 60 * 1_000;

/** Identifiers hold at most 200 characters, of at most two units each. */
const IDENTIFIER_CHARS_MAX = 400;

const SUPPRESSED_COUNT_MAX = 1_000_000;
const WINDOW_SECONDS_DEFAULT = 30;

/**
 * The internal form of an event (ingestion.md 1.5 and 2, incidents.md 5.2): one spelling, defaults filled in, text cut
 * to its bounds, well formed and redacted by key and by value pattern. Identifiers are cleaned but not redacted, as
 * events are joined by them; URLs keep their query here and lose it in the bundle (`stripUrlSecrets`).
 *
 * @param raw an event that passed `checkEvent` and `sanitizeRawEvent`
 * @param intake id and receive time as intake decided them
 */
export function normalizeEvent(
  raw: JsonObject,
  intake: { eventId: string; receivedAtMs: number },
): NormalizedEvent {
  const { receivedAtMs } = intake;
  const eventType = raw.event_type as EventType;
  const payload = objectOrEmpty(raw.payload);
  const occurredAtMs = timeOf(raw.timestamp ?? raw.occurred_at) ?? receivedAtMs;
  const effectiveAtMs = unlessFuture(occurredAtMs, receivedAtMs);
  const service = serviceOf(objectOrEmpty(raw.service));
  const rawContext = mergedContext(eventType, raw, payload);
  const context = guardUserIds(boundedMap(rawContext));
  const normalized = payloadOf(eventType, payload, {
    context: rawContext,
    environment: service.environment,
    effectiveAtMs,
    receivedAtMs,
  });
  return {
    eventId: identifierOrNull(intake.eventId, IDENTIFIER_CHARS_MAX) ?? '',
    eventType,
    occurredAtMs,
    effectiveAtMs,
    receivedAtMs,
    service,
    sdk: sdkOf(raw),
    correlation: correlationOf(objectOrEmpty(raw.correlation), rawContext, payload),
    schemaVersion: identifierOrNull(raw.schema_version, IDENTIFIER_CHARS_MAX) ?? 'seed-1',
    context,
    extra: extraOf(eventType, payload),
    device: normalizeDevice(filledObjectOrNull(payload.device) ?? raw.device, {
      browser: normalized.kind === 'exception' ? normalized.browser : null,
      userAgent:
        eventType === 'frontend_exception' ? safeTextOrNull(payload.user_agent, TEXT_CHARS_MAX.other) : null,
    }),
    payload: normalized,
  };
}

interface Surroundings {
  context: JsonObject;
  environment: string;
  effectiveAtMs: number;
  receivedAtMs: number;
}

function payloadOf(type: EventType, payload: JsonObject, around: Surroundings): EventPayload {
  switch (type) {
    case 'backend_exception':
    case 'frontend_exception':
      return normalizeException(type, payload, around.context, around.effectiveAtMs);
    case 'request_event':
      return { kind: 'request', ...normalizeRequestEvent(payload) };
    case 'log_event':
      return logOf(payload);
    case 'frontend_breadcrumb':
      return { kind: 'breadcrumb', breadcrumb: normalizeBreadcrumbEvent(payload, around.effectiveAtMs) };
    case 'deploy_metadata':
      return {
        kind: 'deploy',
        commitSha: identifierOrNull(payload.commit_sha, IDENTIFIER_CHARS_MAX),
        version: identifierOrNull(payload.version, IDENTIFIER_CHARS_MAX),
        branch: identifierOrNull(payload.branch, IDENTIFIER_CHARS_MAX),
        environment: identifierOrNull(payload.environment, IDENTIFIER_CHARS_MAX) ?? around.environment,
        deployedAtMs: unlessFuture(timeOf(payload.deployed_at) ?? around.effectiveAtMs, around.receivedAtMs),
      };
    case 'error_suppressed':
      return suppressedOf(payload, around);
    case 'probe_event':
      return normalizeProbeEvent(payload);
  }
}

/** Keys of the Android library that belong to the attributes. */
const MOVED_LOG_KEYS = ['logger', 'tag', 'thread_name', 'coroutine_name', 'logged_at', 'throwable'] as const;

function logOf(payload: JsonObject): LogPayload {
  const given = objectOrEmpty(payload.attributes ?? payload.fields);
  return {
    kind: 'log',
    level: readLogLevel(payload.level).level,
    message: typeof payload.message === 'string' ? safeText(payload.message, TEXT_CHARS_MAX.message) : '',
    attributes: boundedMap(withMoved(given, payload, MOVED_LOG_KEYS)),
  };
}

/** The map with the keys it lacks taken from the payload; the map itself when there are none. */
function withMoved(map: JsonObject, payload: JsonObject, keys: readonly string[]): JsonObject {
  let merged: JsonObject | null = null;
  for (const key of keys) {
    const value = payload[key];
    if (value === undefined || value === null || Object.hasOwn(map, key)) continue;
    if (merged === null) {
      merged = {};
      for (const own of Object.keys(map)) setOwn(merged, own, map[own] ?? null);
    }
    merged[key] = value;
  }
  return merged ?? map;
}

function suppressedOf(payload: JsonObject, around: Surroundings): SuppressedPayload {
  const { effectiveAtMs, receivedAtMs } = around;
  const lastSeenMs = unlessFuture(timeOf(payload.last_seen) ?? effectiveAtMs, receivedAtMs);
  const firstSeenMs = unlessFuture(timeOf(payload.first_seen) ?? effectiveAtMs, receivedAtMs);
  const count = payload.suppressed_count ?? payload.count;
  return {
    kind: 'suppressed',
    suppressedCount: typeof count === 'number' ? Math.min(count + 0, SUPPRESSED_COUNT_MAX) : 0,
    windowSeconds: countOrNull(payload.window_seconds) ?? WINDOW_SECONDS_DEFAULT,
    firstSeenMs: Math.min(firstSeenMs, lastSeenMs),
    lastSeenMs,
  };
}

function timeOf(value: JsonValue | undefined): number | null {
  return typeof value === 'string' ? parseIsoTime(value) : null;
}

/** A clock that runs ahead must not place anything in the future. */
function unlessFuture(ms: number, receivedAtMs: number): number {
  return ms > receivedAtMs + FUTURE_TOLERANCE_MS ? receivedAtMs : ms;
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
function extraOf(type: EventType, payload: JsonObject): JsonObject {
  const unnamed = collectUnnamed(readyPayload(type), payload) ?? {};
  delete unnamed.device;
  if (type === 'frontend_breadcrumb') keepSecondMessage(payload, unnamed);
  return boundedMap(unnamed);
}

/** A breadcrumb's `message` whose place in `data` is taken. */
function keepSecondMessage(payload: JsonObject, extra: JsonObject): void {
  const { message } = payload;
  if (message !== undefined && getOwn(objectOrEmpty(payload.data), 'message') !== undefined)
    extra.message = message;
}
