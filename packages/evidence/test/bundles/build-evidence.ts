import type {
  BundleEvidence,
  IncidentEvidence,
  SampleEvidence,
} from '../../src/bundles/evidence/bundle-evidence.ts';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import { fingerprintEvent } from '../../src/events/fingerprint/fingerprint.ts';
import type {
  Breadcrumb,
  BrowserEvent,
  EventPayload,
  EventType,
  ExceptionPayload,
  HttpRequest,
  HttpResponse,
  LogPayload,
  NormalizedEvent,
} from '../../src/events/normalize/event.ts';
import { loggedError } from '../../src/events/normalize/normalize-log.ts';
import { exceptionPayload as plainException } from '../events/build-event.ts';

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const MOMENT_MS = Date.UTC(2026, 2, 24, 10, 30);

/** Stack of fixture EX of the contract (docs/contract/incidents.md 9). */
export const EX_STACK = `TypeError: Cannot read properties of undefined (reading 'theme')
    at renderTheme (/srv/releases/20260324101500/src/checkout/theme.js:42:27)
    at async CheckoutService.submit (/srv/releases/20260324101500/src/checkout/service.js:118:12)
    at async /srv/releases/20260324101500/src/http/routes.js:77:5
    at Layer.handle [as handle_request] (/srv/releases/20260324101500/node_modules/express/lib/router/layer.js:95:5)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)`;

let lastEventNumber = 0;

/** An event with plain values; every one gets an id of its own. */
export function event(
  eventType: EventType,
  payload: EventPayload,
  fields: Partial<NormalizedEvent> = {},
): NormalizedEvent {
  lastEventNumber += 1;
  const atMs = fields.effectiveAtMs ?? MOMENT_MS;
  return {
    eventId: `evt_${String(lastEventNumber).padStart(6, '0')}`,
    eventType,
    occurredAtMs: atMs,
    effectiveAtMs: atMs,
    receivedAtMs: atMs + 500,
    service: { name: 'checkout-api', environment: 'production', runtime: null, framework: null },
    sdk: { name: 'custom', version: '1.0.0', language: null },
    correlation: { requestId: null, traceId: null, sessionId: null, userIdHash: null },
    schemaVersion: 'seed-1',
    context: {},
    extra: {},
    device: null,
    payload,
    ...fields,
  };
}

/** Fixture EX. */
export function exception(
  payload: Partial<ExceptionPayload> = {},
  fields: Partial<NormalizedEvent> = {},
): NormalizedEvent {
  return event('backend_exception', exceptionPayload(payload), fields);
}

export function frontendException(
  payload: Partial<ExceptionPayload> = {},
  fields: Partial<NormalizedEvent> = {},
): NormalizedEvent {
  return event('frontend_exception', exceptionPayload(payload), fields);
}

function exceptionPayload(payload: Partial<ExceptionPayload>): ExceptionPayload {
  return plainException({
    name: 'TypeError',
    message: "Cannot read properties of undefined (reading 'theme')",
    stack: EX_STACK,
    ...payload,
  });
}

export function browserEvent(fields: Partial<BrowserEvent>): BrowserEvent {
  return {
    kind: 'window_error',
    message: null,
    fileName: null,
    lineNumber: null,
    columnNumber: null,
    target: null,
    page: null,
    opaque: true,
    ...fields,
  };
}

export function request(fields: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'POST',
    path: '/api/checkout',
    url: null,
    query: {},
    headers: {},
    body: null,
    routeTemplate: null,
    ...fields,
  };
}

export function response(fields: Partial<HttpResponse> = {}): HttpResponse {
  return { statusCode: 500, durationMs: null, headers: {}, body: null, ...fields };
}

export function requestEvent(
  requestFields: Partial<HttpRequest> = {},
  responseFields: Partial<HttpResponse> = {},
  fields: Partial<NormalizedEvent> = {},
): NormalizedEvent {
  const { method, path, ...rest } = request(requestFields);
  const { statusCode, ...answer } = response(responseFields);
  return event(
    'request_event',
    {
      kind: 'request',
      request: { ...rest, method: method ?? 'GET', path: path ?? '/' },
      response: { ...answer, statusCode: statusCode ?? 0 },
      trail: { logs: [], breadcrumbs: [] },
    },
    fields,
  );
}

export function log(
  message: string,
  payload: Partial<LogPayload> = {},
  fields: Partial<NormalizedEvent> = {},
): NormalizedEvent {
  const error = loggedError(payload.attributes ?? {}, {});
  return event(
    'log_event',
    {
      kind: 'log',
      level: 'error',
      attributes: {},
      error,
      debugIds: [],
      aboutEventId: null,
      ...payload,
      message,
    },
    fields,
  );
}

export function breadcrumb(
  breadcrumbType: string,
  data: JsonObject,
  timestampMs: number | null = MOMENT_MS - 1000,
): Breadcrumb {
  return { breadcrumbType, route: null, data, timestampMs };
}

export function breadcrumbEvent(item: Breadcrumb, fields: Partial<NormalizedEvent> = {}): NormalizedEvent {
  return event(
    'frontend_breadcrumb',
    { kind: 'breadcrumb', breadcrumb: item },
    { effectiveAtMs: item.timestampMs ?? MOMENT_MS, ...fields },
  );
}

export function probe(
  label: string,
  data: JsonObject,
  fields: Partial<NormalizedEvent> = {},
): NormalizedEvent {
  return event(
    'probe_event',
    { kind: 'probe', label, data, activationId: null, labelPattern: label },
    fields,
  );
}

/** The occurrence with what the fingerprint says about its stack; by default it has every single role. */
export function sample(occurrence: NormalizedEvent, fields: Partial<SampleEvidence> = {}): SampleEvidence {
  const fingerprint = fingerprintEvent(occurrence);
  return {
    event: occurrence,
    severity: 'high',
    roles: ['first', 'latest', 'highest_severity', 'richest'],
    chain: fingerprint?.chain ?? [],
    applicationFrame: fingerprint?.applicationFrame ?? null,
    deployVersion: null,
    ...fields,
  };
}

/** Evidence of one occurrence of EX; everything can be replaced. */
export function evidenceOf(
  occurrence: NormalizedEvent,
  fields: Partial<BundleEvidence> = {},
  incident: Partial<IncidentEvidence> = {},
): BundleEvidence {
  const fingerprint = fingerprintEvent(occurrence);
  return {
    incident: {
      incidentId: 'inc_5f2a3a36-9b7c-4f63-8f44-2f0f6a1d7c02',
      bundleId: 'bun_5f2a3a36-9b7c-4f63-8f44-2f0f6a1d7c02',
      projectId: 'proj_7d6c1c36-4f3d-4e02-8a9c-5f1f5d0f9b01',
      title: "TypeError: Cannot read properties of undefined (reading 'theme')",
      severity: 'high',
      status: 'open',
      fingerprint: fingerprint?.value ?? '0'.repeat(64),
      fingerprintKind: fingerprint?.kind ?? 'exception',
      environment: 'production',
      serviceName: 'checkout-api',
      serviceId: '9b0f6c1e-2d3a-4b5c-8d7e-6f5a4b3c2d10',
      firstSeenAtMs: occurrence.effectiveAtMs,
      lastSeenAtMs: occurrence.effectiveAtMs,
      occurrenceCount: 1,
      affectedUsersEstimate: null,
      requestIds: { everyOccurrenceHadOne: false, distinctCount: 0 },
      occurrencesWithRequestBlock: 0,
      attributedSuppressedCount: 0,
      ...incident,
    },
    project: { slug: 'shop' },
    samples: [sample(occurrence)],
    correlated: [],
    deployments: [],
    constants: { baseUrl: 'https://api.culprit.example', appUrl: 'https://culprit.example' },
    generationNumber: 1,
    ...fields,
  };
}
