import type { JsonObject } from '../../events/envelope/json.ts';
import type { ForeignEvent } from '../foreign-event.ts';
import { filled, unlessEmpty } from './attribute-values.ts';
import { digestOf, type ExceptionFacts } from './exception-facts.ts';
import type { ResourceFacts } from './resource-facts.ts';

/** The place of an occurrence in a trace. */
export interface TracePlace {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  /** Name of the span. */
  name?: string;
}

interface ExceptionParts {
  facts: ResourceFacts;
  exception: ExceptionFacts;
  place: TracePlace;
  occurredAt: string;
  handled: boolean;
  /** The request of a server. */
  request?: JsonObject;
  response?: JsonObject;
  attributes: JsonObject;
  user: JsonObject | undefined;
  session: string | null;
  requestId: string | null;
  /** The line of a log that carried it. */
  line?: JsonObject;
}

/** An exception of a span or of a log record, which are one where both hold it. */
export function exceptionEvent(parts: ExceptionParts): ForeignEvent {
  const { facts, exception, place } = parts;
  const { name, message, stack } = exception;
  const head = { name, message, stack, handled: parts.handled };
  const { line } = parts;
  const payload =
    facts.device === undefined
      ? filled({
          request: parts.request,
          response: parts.response,
          runtime: facts.runtime,
          logs: line === undefined ? undefined : [line],
        })
      : filled({ device: facts.device, breadcrumbs: line === undefined ? undefined : [crumbOf(line)] });
  return {
    event: {
      ...eventHead(facts, place, {
        eventId: place.traceId === '' ? null : exceptionId(place, exception),
        occurredAt: parts.occurredAt,
        session: parts.session,
        requestId: parts.requestId,
      }),
      event_type: facts.device === undefined ? 'backend_exception' : 'frontend_exception',
      context: contextOf(facts, place, parts.attributes, parts.user),
      payload: { ...head, ...payload },
    },
    isContext: false,
  };
}

function exceptionId({ traceId, spanId }: TracePlace, { identity }: ExceptionFacts): string {
  return `otlp_${digestOf(traceId, spanId, identity)}`;
}

function crumbOf({ ts, level, message }: JsonObject): JsonObject {
  return filled({ breadcrumb_type: 'console_log', ts, data: filled({ level, message }) });
}

/** The parts of an envelope that all events of a resource and a trace share. */
export function eventHead(
  facts: ResourceFacts,
  { traceId }: TracePlace,
  own: { eventId: string | null; occurredAt: string; session: string | null; requestId: string | null },
): JsonObject {
  const correlation = filled({
    trace_id: traceId === '' ? null : traceId,
    session_id: own.session,
    request_id: own.requestId,
  });
  return {
    ...facts.head,
    ...filled({ event_id: own.eventId, correlation: unlessEmpty(correlation) }),
    occurred_at: own.occurredAt,
  };
}

/** The only keys at the top of a context, so that no attribute can set one that has a meaning. */
export function contextOf(
  facts: ResourceFacts,
  { traceId, spanId, parentSpanId, name }: TracePlace,
  attributes: JsonObject,
  user: JsonObject | undefined,
): JsonObject {
  return filled({
    release: facts.release,
    user,
    attributes: unlessEmpty(attributes),
    trace: unlessEmpty(
      filled({
        trace_id: traceId || null,
        span_id: spanId || null,
        parent_span_id: parentSpanId || null,
        name: name || null,
      }),
    ),
    resource: facts.rest,
  });
}
