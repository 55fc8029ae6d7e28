import type { JsonObject } from '../../events/envelope/json.ts';
import type { Sliced } from '../../events/envelope/sliced.ts';
import type { ForeignEvent } from '../foreign-event.ts';
import { filled, isoOf, keptAttributes, textOf } from './attribute-values.ts';
import { type ChosenItems, chooseItems, EVENTS_MAX } from './choose-items.ts';
import { digestOf, exceptionFacts, isOfException } from './exception-facts.ts';
import { type HttpFacts, httpFacts, isOfHttp } from './http-facts.ts';
import { contextOf, eventHead, exceptionEvent, type TracePlace } from './map-exception.ts';
import {
  type FoundItems,
  type OtlpSpan,
  type OtlpSpanException,
  SPAN_KIND,
  STATUS_ERROR,
} from './otlp-items.ts';
import { isPersonal, userOf } from './person.ts';
import { type ResourceFacts, resourceFacts } from './resource-facts.ts';

/** The input of the mapping besides the body. */
export interface OtlpSource {
  /** The service of events that name none: the key's, else the project's slug. */
  serviceName: string;
  /** Distinguishes the senders of one project. */
  keyId: string;
  receivedAtMs: number;
}

export interface OtlpMapped {
  events: ForeignEvent[];
  /** Spans that become nothing. */
  notTaken: number;
  /** Events beyond what one request may hold. */
  overLimit: number;
}

/** A span that was read, with what is asked of it more than once. */
interface ReadSpan {
  span: OtlpSpan;
  facts: ResourceFacts;
  /** The facts of a server span. */
  http: HttpFacts | null;
}

/** About what it takes to map and check an event, as bytes of JSON that are read. */
const EVENT_WORK = 4_096;
const ID_CHARS_MAX = 256;

/** The events of the spans of a request (docs/contract/foreign-protocols.md 8.4). Never throws for any content. */
export function* mapTraces(items: FoundItems<OtlpSpan>, source: OtlpSource): Sliced<OtlpMapped> {
  const chosen = chooseItems(items);
  const spans = yield* readSpans(chosen, source);
  const failed = new Set(
    spans.filter(({ span }) => span.exceptions.length > 0 && span.traceId !== '').map(traceAndPlace),
  );
  const servers = serversByTrace(spans);
  const mapped: OtlpMapped = { events: [], notTaken: items.notTaken, overLimit: chosen.overLimit };
  for (const read of spans) {
    const events: ForeignEvent[] = [];
    for (const exception of read.span.exceptions) {
      yield EVENT_WORK;
      events.push(spanException(read, exception, servers.get(read.span.traceId) ?? [], source));
    }
    yield EVENT_WORK;
    const own = spanEvent(read, read.span.exceptions.length > 0 || failed.has(traceAndPlace(read)), source);
    if (own !== null) events.push(own);
    if (events.length === 0) mapped.notTaken += 1;
    for (const event of events) {
      if (mapped.events.length < EVENTS_MAX) mapped.events.push(event);
      else mapped.overLimit += 1;
    }
  }
  return mapped;
}

function* readSpans(chosen: ChosenItems<OtlpSpan>, source: OtlpSource): Sliced<ReadSpan[]> {
  const known = new Map<JsonObject, ResourceFacts>();
  const spans: ReadSpan[] = [];
  for (const { origin, read } of chosen.items) {
    yield EVENT_WORK;
    const facts = known.get(origin.resource) ?? resourceFacts(origin.resource, source.serviceName);
    known.set(origin.resource, facts);
    const span = read();
    spans.push({ span, facts, http: span.kind === SPAN_KIND.server ? httpFacts(span.attributes) : null });
  }
  return spans;
}

function traceAndPlace({ span, facts }: ReadSpan): string {
  return `${span.traceId}\n${facts.place}`;
}

function serversByTrace(spans: readonly ReadSpan[]): Map<string, ReadSpan[]> {
  const servers = new Map<string, ReadSpan[]>();
  for (const read of spans) {
    if (read.http === null || read.span.traceId === '') continue;
    const others = servers.get(read.span.traceId);
    if (others === undefined) servers.set(read.span.traceId, [read]);
    else others.push(read);
  }
  return servers;
}

function spanException(
  read: ReadSpan,
  event: OtlpSpanException,
  servers: readonly ReadSpan[],
  source: OtlpSource,
): ForeignEvent {
  const { span, facts } = read;
  const exception = exceptionFacts(event.attributes, facts.language);
  const server = read.http === null ? serverAround(read, servers) : read;
  const isReceiver = span.kind === SPAN_KIND.server || span.kind === SPAN_KIND.consumer;
  const http = server?.http ?? null;
  return exceptionEvent({
    facts,
    exception,
    place: placeOf(span),
    occurredAt: isoOf(event.timeNano || span.endNano || span.startNano, source.receivedAtMs),
    handled: !exception.isEscaped && !(isReceiver && span.statusCode === STATUS_ERROR),
    ...(server === null || http === null
      ? {}
      : { request: requestOf(http), response: responseOf(http, server.span) }),
    attributes: keptAttributes([event.attributes, span.attributes], isKeptOf(span)),
    user: userOf(event.attributes, span.attributes, server?.span.attributes ?? {}),
    session: sessionOf(span),
    requestId: requestIdOf(http, span),
  });
}

/**
 * Returns the request during which something of a trace happened: one of the same service, if that has one in the trace,
 * and the one that started last before it.
 */
function serverAround({ span, facts }: ReadSpan, servers: readonly ReadSpan[]): ReadSpan | null {
  const own = servers.filter((each) => each.facts.place === facts.place);
  let around: ReadSpan | null = null;
  for (const server of own.length > 0 ? own : servers) {
    if (server.span.startNano > span.startNano && around !== null) continue;
    if (around === null || server.span.startNano >= around.span.startNano) around = server;
  }
  return around;
}

/** The event of a span itself: a request, or a failure of another protocol. */
function spanEvent(read: ReadSpan, hasException: boolean, source: OtlpSource): ForeignEvent | null {
  const { span, http } = read;
  if (span.kind !== SPAN_KIND.server && span.kind !== SPAN_KIND.consumer) return null;
  const isFailed = span.statusCode === STATUS_ERROR;
  // A request that got no answer is a failure of which there is no status to judge it by.
  if (http !== null && (http.status !== null || !isFailed || hasException)) {
    return requestEvent(read, http, hasException, source);
  }
  return isFailed && !hasException ? failureEvent(read, source) : null;
}

function requestEvent(
  { span, facts }: ReadSpan,
  http: HttpFacts,
  hasException: boolean,
  source: OtlpSource,
): ForeignEvent {
  const attributes = keptAttributes([span.attributes], (name) => isKeptOf(span)(name) && !isOfHttp(name));
  return {
    event: {
      ...spanHead(span, facts, http, source),
      event_type: 'request_event',
      context: contextOf(facts, placeOf(span), attributes, userOf(span.attributes)),
      payload: filled({
        ...requestOf(http),
        response_status: http.status ?? 0,
        duration_ms: durationMs(span),
        response_headers: http.responseHeaders,
      }),
    },
    isContext: hasException,
  };
}

function failureEvent({ span, facts, http }: ReadSpan, source: OtlpSource): ForeignEvent {
  const named = span.name === '' ? 'Span' : span.name;
  const reason = span.statusMessage || textOf(span.attributes, REASONS, ID_CHARS_MAX) || 'failed';
  return {
    event: {
      ...spanHead(span, facts, http, source),
      event_type: 'log_event',
      context: contextOf(facts, placeOf(span), {}, userOf(span.attributes)),
      payload: filled({
        message: `${named}: ${reason}`,
        level: 'error',
        attributes: keptAttributes([span.attributes], isKeptOf(span)),
        device: facts.device,
      }),
    },
    isContext: false,
  };
}

/** The attributes in which instrumentations describe a failure besides its status. */
const REASONS = ['error.message', 'error.type', 'rpc.response.status_code', 'rpc.grpc.status_code'];

function spanHead(
  span: OtlpSpan,
  facts: ResourceFacts,
  http: HttpFacts | null,
  source: OtlpSource,
): JsonObject {
  return eventHead(facts, placeOf(span), {
    eventId: span.traceId === '' ? null : `otlp_${digestOf(span.traceId, span.spanId)}`,
    occurredAt: isoOf(span.endNano || span.startNano, source.receivedAtMs),
    session: sessionOf(span),
    requestId: requestIdOf(http, span),
  });
}

function placeOf({ traceId, spanId, parentSpanId, name }: OtlpSpan): TracePlace {
  return { traceId, spanId, parentSpanId, name };
}

function requestOf({ method, path, query, headers, route }: HttpFacts): JsonObject {
  return filled({ method, path, query, headers, route_template: route });
}

function responseOf({ status, responseHeaders }: HttpFacts, span: OtlpSpan): JsonObject {
  return filled({ status_code: status, headers: responseHeaders, duration_ms: durationMs(span) });
}

function durationMs({ startNano, endNano }: OtlpSpan): number | null {
  return startNano === 0n || endNano < startNano ? null : Number((endNano - startNano) / 1_000n) / 1_000;
}

function sessionOf(span: OtlpSpan): string | null {
  return textOf(span.attributes, ['session.id'], ID_CHARS_MAX);
}

function requestIdOf(http: HttpFacts | null, { attributes }: OtlpSpan): string | null {
  return (
    textOf(http?.headers ?? {}, ['x-request-id'], ID_CHARS_MAX) ??
    textOf(attributes, ['request_id', 'request.id', 'http.request_id'], ID_CHARS_MAX)
  );
}

/** The other side of a request to a server is a person's. */
const PEER = /^(?:net\.(?:sock\.)?peer|network\.peer)\./;

function isKeptOf({ kind }: OtlpSpan): (name: string) => boolean {
  const isServer = kind === SPAN_KIND.server;
  return (name) => !isOfException(name) && !isPersonal(name) && !(isServer && PEER.test(name));
}
