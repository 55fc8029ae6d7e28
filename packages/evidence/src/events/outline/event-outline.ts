import { parseIsoTime } from '../envelope/iso-time.ts';
import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { objectOrEmpty } from '../envelope/read-json.ts';
import type { EventType, NormalizedEvent } from '../normalize/event.ts';
import { correlationOf, mergedContext } from '../normalize/event-context.ts';
import { senderClock } from '../normalize/sender-clock.ts';
import { outlinedContext } from './outlined-context.ts';
import { outlinedDevice } from './outlined-parts.ts';
import { outlinedPayload } from './outlined-payload.ts';

/**
 * An event without what makes no difference to how it is counted: its ids and times, the numbers that its message
 * counts, the values of headers, bodies and breadcrumbs. It is the text of an event again, and counting that one gives the
 * same facts: events with the same outline are judged once.
 */
export interface EventOutline {
  text: string;
  /** The message, where the outline has other digits in it than the event; then it has no secret. */
  ownMessage: string | null;
  /** The parts of the event that no outline has. */
  own: { effectiveAtMs: number; correlation: NormalizedEvent['correlation'] };
}

/** Returns the outline of an event; null for the types that have none. */
export function outlineOf(raw: JsonObject, receivedAtMs: number): EventOutline | null {
  const eventType = raw.event_type;
  if (eventType !== 'backend_exception' && eventType !== 'frontend_exception') return null;
  const given = objectOrEmpty(raw.payload);
  const correlation = correlationOf(
    objectOrEmpty(raw.correlation),
    mergedContext(eventType, raw, given),
    given,
  );
  const { payload, ownMessage } = outlinedPayload(eventType, given);
  return {
    text: JSON.stringify(outlineObject(eventType, raw, payload, correlation)),
    ownMessage,
    own: { effectiveAtMs: effectiveTimeOf(raw, receivedAtMs), correlation },
  };
}

function outlineObject(
  event_type: EventType,
  raw: JsonObject,
  payload: JsonObject,
  correlation: NormalizedEvent['correlation'],
): Record<string, JsonValue | undefined> {
  return {
    event_type,
    service: raw.service,
    sdk: raw.sdk,
    sdk_name: raw.sdk_name,
    sdk_version: raw.sdk_version,
    sdk_language: raw.sdk_language,
    correlation: outlinedCorrelation(objectOrEmpty(raw.correlation), correlation),
    context: outlinedContext(raw.context ?? null),
    device: outlinedDevice(raw.device ?? null),
    payload,
  };
}

/** Only whether there are any: each is hashed for itself. */
function outlinedCorrelation(
  given: JsonObject,
  { requestId, traceId, sessionId, userIdHash }: NormalizedEvent['correlation'],
): JsonObject {
  const hasActivity =
    (getOwn(given, 'activity_trace_id') ?? getOwn(given, 'activity_span_id') ?? null) !== null;
  return {
    request_id: requestId === null && traceId === null && sessionId === null ? null : 'x',
    user_id_hash: userIdHash === null ? null : 'x',
    activity_trace_id: hasActivity ? 'x' : null,
  };
}

function effectiveTimeOf(raw: JsonObject, receivedAtMs: number): number {
  const written = raw.timestamp ?? raw.occurred_at;
  const occurredAtMs = (typeof written === 'string' ? parseIsoTime(written) : null) ?? receivedAtMs;
  return senderClock(occurredAtMs, receivedAtMs).effectiveAtMs;
}
