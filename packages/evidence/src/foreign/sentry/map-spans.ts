import { isJsonObject, type JsonObject } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { contextOf } from './event-context.ts';
import { shiftedMs, wireEvent } from './event-head.ts';
import { addressOf, queryOf } from './event-request.ts';
import { derivedId } from './foreign-ids.ts';
import { asEvent, attributesOf } from './item-attributes.ts';
import { statusOfNumbers, statusOfWord } from './map-transaction.ts';
import { openBudget, openMap } from './open-values.ts';
import type { SentrySource } from './sentry-source.ts';
import { anyText, filled, hexId, textOf } from './written-values.ts';

/** The requests among the spans of a container (docs/contract/foreign-protocols.md 6.1), and how many it held. */
export function mapSpans(payload: JsonObject, source: SentrySource): { events: JsonObject[]; spans: number } {
  const spans = Array.isArray(payload.items) ? payload.items : [];
  const events: JsonObject[] = [];
  for (const span of spans) {
    const mapped = isJsonObject(span) ? requestSpan(span, source) : null;
    if (mapped !== null) events.push(mapped);
  }
  return { events, spans: spans.length };
}

function requestSpan(span: JsonObject, source: SentrySource): JsonObject | null {
  if (span.is_segment !== true) return null;
  const attributes = attributesOf(span);
  if (attributes['sentry.op'] !== 'http.server' && attributes['sentry.kind'] !== 'server') return null;
  const method = textOf(attributes['http.request.method'] ?? attributes['http.method'], 32);
  const url = textOf(
    attributes['url.path'] ?? attributes['http.target'] ?? attributes['url.full'] ?? attributes['http.url'],
    4_096,
  );
  // A server of another kind: a queue, or remote calls.
  if (method === null && url === null) return null;
  const address = addressOf(url);
  const start = shiftedMs(span.start_timestamp, source);
  const end = shiftedMs(span.end_timestamp, source);
  const atMs = end ?? start ?? source.receivedAt;
  const event = asEvent(span, attributes);
  const budget = openBudget();
  const traceId = hexId(span.trace_id) ?? textOf(span.trace_id, 64);
  const spanId = textOf(span.span_id, 64);
  const isNamed = traceId !== null && spanId !== null;
  return wireEvent(
    'request_event',
    { eventId: isNamed ? derivedId('span', traceId, spanId) : null, atMs },
    {
      event,
      source,
      context: contextOf(event, source, { budget, sentry: {} }),
      payload: filled({
        method: method?.toUpperCase() ?? 'GET',
        path: address.path ?? '/',
        query: openMap(queryOf(attributes['url.query']) ?? queryOf(address.query), budget),
        headers: openMap(headersOf(attributes), budget),
        route_template: textOf(attributes['http.route'], 512),
        response_status:
          statusOfNumbers(attributes['http.response.status_code'], attributes['http.status_code']) ??
          statusOfWord(span.status),
        duration_ms: start === null || end === null || end < start ? null : end - start,
      }),
    },
  );
}

const HEADER = 'http.request.header.';

function headersOf(attributes: JsonObject): JsonObject {
  const headers: JsonObject = {};
  for (const key in attributes) {
    if (!key.startsWith(HEADER)) continue;
    const name = key.slice(HEADER.length).replaceAll('_', '-');
    const value = attributes[key] ?? null;
    if (/^(?:baggage|sentry-trace)$/i.test(name)) continue;
    setOwn(
      headers,
      name,
      Array.isArray(value) ? value.map((each) => anyText(each, 2_048)).join(', ') : value,
    );
  }
  return headers;
}
