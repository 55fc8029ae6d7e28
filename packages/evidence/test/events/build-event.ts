import { isJsonObject, type JsonObject, type JsonValue } from '../../src/events/envelope/json.ts';
import type {
  BrowserEvent,
  EventPayload,
  EventType,
  ExceptionPayload,
  HttpRequest,
  LogPayload,
  NormalizedEvent,
  RequestPayload,
} from '../../src/events/normalize/event.ts';
import { loggedError } from '../../src/events/normalize/normalize-log.ts';

const MOMENT_MS = Date.UTC(2026, 2, 24, 10, 30);

/** A normalized event around a payload, with plain values everywhere else. */
export function buildEvent(eventType: EventType, payload: EventPayload): NormalizedEvent {
  return {
    eventId: 'evt_3f2b8c1e-0d4a-4a6f-9b7e-5c1d2e3f4a5b',
    eventType,
    occurredAtMs: MOMENT_MS,
    effectiveAtMs: MOMENT_MS,
    receivedAtMs: MOMENT_MS,
    service: { name: 'checkout-api', environment: 'production', runtime: null, framework: null },
    sdk: { name: 'custom', version: '1.0.0', language: null },
    correlation: { requestId: null, traceId: null, sessionId: null, userIdHash: null },
    schemaVersion: 'seed-1',
    context: {},
    extra: {},
    device: null,
    payload,
  };
}

export function backendException(fields: Partial<ExceptionPayload> = {}): NormalizedEvent {
  return buildEvent('backend_exception', exceptionPayload(fields));
}

export function frontendException(fields: Partial<ExceptionPayload> = {}): NormalizedEvent {
  return buildEvent('frontend_exception', exceptionPayload(fields));
}

export function exceptionPayload(fields: Partial<ExceptionPayload> = {}): ExceptionPayload {
  return {
    kind: 'exception',
    name: 'Error',
    message: 'it failed',
    stack: null,
    isStackOfMessage: false,
    handled: false,
    level: null,
    causes: [],
    request: null,
    response: null,
    runtime: null,
    probeData: [],
    trail: { logs: [], breadcrumbs: [] },
    debugIds: [],
    exceptions: [],
    route: null,
    browser: null,
    breadcrumbs: [],
    browserEvent: null,
    rejectionReason: null,
    domContext: null,
    ...fields,
  };
}

export function browserEvent(fields: Partial<BrowserEvent> = {}): BrowserEvent {
  return {
    kind: 'window_error',
    message: null,
    fileName: null,
    lineNumber: null,
    columnNumber: null,
    target: null,
    page: null,
    opaque: false,
    ...fields,
  };
}

export function httpRequest(fields: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: null,
    path: null,
    url: null,
    query: {},
    headers: {},
    body: null,
    routeTemplate: null,
    ...fields,
  };
}

export function requestEvent(
  method: string,
  path: string,
  statusCode: number,
  fields: Partial<HttpRequest> = {},
): NormalizedEvent {
  const payload: RequestPayload = {
    kind: 'request',
    request: { ...httpRequest(fields), method, path },
    response: { statusCode, durationMs: null, headers: {}, body: null },
    trail: { logs: [], breadcrumbs: [] },
  };
  return buildEvent('request_event', payload);
}

export function logEvent(message: string, attributes: JsonObject = {}): NormalizedEvent {
  const payload: LogPayload = {
    kind: 'log',
    level: 'error',
    message,
    attributes,
    error: loggedError(attributes, {}),
    debugIds: [],
    aboutEventId: null,
  };
  return buildEvent('log_event', payload);
}

/** Reads the few names that the contract's golden events use. */
export function eventFromGolden(raw: JsonValue): NormalizedEvent {
  const event = object(raw);
  const payload = object(event.payload ?? null);
  const built = fromPayload(text(event.event_type) ?? '', payload);
  const service = object(event.service ?? null);
  const name = text(service.name) ?? '';
  const environment = text(service.environment) ?? '';
  return { ...built, service: { ...built.service, name, environment } };
}

function fromPayload(eventType: string, payload: JsonObject): NormalizedEvent {
  if (eventType === 'request_event') {
    const statusCode = payload.response_status;
    if (typeof statusCode !== 'number') throw new Error('a golden request has a status');
    return requestEvent(text(payload.method)?.toUpperCase() ?? '', text(payload.path) ?? '', statusCode);
  }
  if (eventType === 'log_event')
    return logEvent(text(payload.message) ?? '', object(payload.attributes ?? null));
  const fields = {
    name: text(payload.error_class) ?? 'Error',
    message: text(payload.message) ?? '',
    stack: text(payload.stacktrace),
    route: text(payload.route),
  };
  if (eventType === 'backend_exception') return backendException(fields);
  if (eventType !== 'frontend_exception') throw new Error(`no golden event is a ${eventType}`);
  return frontendException({ ...fields, browserEvent: goldenBrowserEvent(payload.browser_event) });
}

function goldenBrowserEvent(raw: JsonValue | undefined): BrowserEvent | null {
  if (!isJsonObject(raw)) return null;
  const target = isJsonObject(raw.target) ? raw.target : null;
  return browserEvent({
    kind: raw.kind === 'resource_error' ? 'resource_error' : 'window_error',
    message: text(raw.message),
    fileName: text(raw.file_name),
    opaque: raw.opaque === true,
    target: target && { tagName: text(target.tag_name), sourceUrl: text(target.source_url), attributes: {} },
  });
}

function object(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw new Error('a golden event holds an object here');
  return value;
}

function text(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
