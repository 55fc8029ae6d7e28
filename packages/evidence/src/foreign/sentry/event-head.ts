import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import type { EventType } from '../../events/normalize/event.ts';
import type { SentrySource } from './sentry-source.ts';
import { jsonOf, platformOf, sdkOf, serviceOf } from './service-facts.ts';
import { filled, firstOf, hexId, instantMs, isoOf, namedValue, textOf } from './written-values.ts';

const ID_CHARS_MAX = 256;

/** The properties that every event has besides its type, its context and its payload. */
export interface EventHead {
  eventId: string | null;
  /** Milliseconds since the epoch, by our clock. */
  atMs: number;
}

export function eventHead(event: JsonObject, source: SentrySource): EventHead {
  return {
    eventId: source.eventId ?? hexId(event.event_id),
    atMs: (instantMs(event.timestamp) ?? sentMs(source)) + (source.clockSkewMs ?? 0),
  };
}

/** The receive time by the sender's clock: with the skew added it is the receive time again. */
function sentMs({ receivedAt, clockSkewMs }: SentrySource): number {
  return receivedAt - (clockSkewMs ?? 0);
}

/** An instant of the envelope by our clock, in milliseconds; null if it is none. */
export function shiftedMs(value: JsonValue | undefined, source: SentrySource): number | null {
  const ms = instantMs(value);
  return ms === null ? null : ms + (source.clockSkewMs ?? 0);
}

/** An event of ours, in wire form (docs/contract/foreign-protocols.md 5.1). */
export function wireEvent(
  type: EventType,
  head: EventHead,
  parts: { event: JsonObject; source: SentrySource; context: JsonObject; payload: JsonObject },
): JsonObject {
  const { event, source, context, payload } = parts;
  const sdk = sdkOf(event, source);
  return filled({
    schema_version: 'sentry-7',
    event_id: head.eventId,
    event_type: type,
    occurred_at: isoOf(head.atMs),
    sdk_name: sdk.name,
    sdk_version: sdk.version,
    sdk_language: platformOf(event) || null,
    service: serviceOf(event, source),
    correlation: correlationOf(event, source),
    context,
    payload,
  });
}

/** Trace, span and what belongs to it, of the event or of its envelope. */
export function traceOf(event: JsonObject, source: SentrySource): JsonObject {
  const own = objectOrEmpty(objectOrEmpty(event.contexts).trace);
  const shared = jsonOf(source.trace);
  return filled({
    trace_id: hexId(own.trace_id) ?? hexId(shared.trace_id) ?? textOf(own.trace_id, ID_CHARS_MAX),
    span_id: textOf(own.span_id, 64),
    parent_span_id: textOf(own.parent_span_id, 64),
    op: textOf(own.op, 200),
    status: textOf(own.status, 64),
  });
}

function correlationOf(event: JsonObject, source: SentrySource): JsonObject | undefined {
  const request = objectOrEmpty(event.request);
  const correlation = filled({
    trace_id: traceOf(event, source).trace_id,
    request_id: textOf(
      namedValue(event.tags, 'request_id') ??
        namedValue(event.extra, 'request_id') ??
        firstOf(namedValue(request.headers, 'x-request-id')),
      ID_CHARS_MAX,
    ),
  });
  return isJsonObject(correlation) && Object.keys(correlation).length > 0 ? correlation : undefined;
}
