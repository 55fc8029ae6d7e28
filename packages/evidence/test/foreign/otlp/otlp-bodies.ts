import type { JsonObject, JsonValue } from '../../../src/events/envelope/json.ts';
import type { Sliced } from '../../../src/events/envelope/sliced.ts';
import type { OtlpSource } from '../../../src/foreign/otlp/map-traces.ts';
import type { OtlpForm, OtlpSignal } from '../../../src/foreign/otlp/otlp-form.ts';
import { type OtlpReading, readOtlp } from '../../../src/foreign/otlp/read-otlp.ts';
import { encodeOtlp } from './encode-otlp.ts';

export const SOURCE: OtlpSource = {
  serviceName: 'key-service',
  keyId: 'key-1',
  receivedAtMs: Date.UTC(2026, 2, 24, 10, 30, 0),
};

export const TRACE_ID = '5b8efff798038103d269b633813fc60c';
export const SPAN_ID = 'eee19b7ec3c1b174';
/** 2026-03-24T10:29:58.250Z and a quarter of a second later. */
export const START = '1774348198250000000';
export const END = '1774348198500123456';

/** Attributes as exporters write them. */
export function attributes(values: Record<string, unknown>): JsonObject[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));
}

export function anyValue(value: unknown): JsonObject {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    default:
      if (value === null || value === undefined) return {};
      return Array.isArray(value)
        ? { arrayValue: { values: value.map(anyValue) } }
        : { kvlistValue: { values: attributes(value as Record<string, unknown>) } };
  }
}

export const RESOURCE = {
  'service.name': 'shop',
  'service.version': '4.2.0',
  'deployment.environment.name': 'staging',
  'telemetry.sdk.language': 'nodejs',
  'telemetry.sdk.version': '2.1.0',
};

/** Fields of a message, its attributes as plain `values`. */
export type Fields = { values?: Record<string, unknown>; [field: string]: unknown };

export function span(own: Fields): JsonObject {
  const { values, ...rest } = own;
  return {
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    name: 'GET /orders/:id',
    kind: 2,
    startTimeUnixNano: START,
    endTimeUnixNano: END,
    ...(values === undefined ? {} : { attributes: attributes(values) }),
    ...rest,
  } as JsonObject;
}

export function exceptionEvent(values: Record<string, unknown>): JsonObject {
  return { timeUnixNano: END, name: 'exception', attributes: attributes(values) };
}

export function tracesOf(spans: JsonValue[], resource: Record<string, unknown> = RESOURCE): JsonObject {
  return {
    resourceSpans: [
      { resource: { attributes: attributes(resource) }, scopeSpans: [{ scope: { name: 'app' }, spans }] },
    ],
  };
}

export function logsOf(logRecords: JsonValue[], resource: Record<string, unknown> = RESOURCE): JsonObject {
  return {
    resourceLogs: [
      {
        resource: { attributes: attributes(resource) },
        scopeLogs: [{ scope: { name: 'app.log' }, logRecords }],
      },
    ],
  };
}

const REQUESTS = { traces: 'ExportTraceServiceRequest', logs: 'ExportLogsServiceRequest' } as const;

export function bodyOf(form: OtlpForm, signal: OtlpSignal, request: JsonObject): Buffer {
  return form === 'json' ? Buffer.from(JSON.stringify(request)) : encodeOtlp(REQUESTS[signal], request);
}

export function readBody(bytes: Buffer, form: OtlpForm, signal: OtlpSignal, source = SOURCE): OtlpReading {
  return finish(readOtlp(bytes, { form, signal }, source));
}

/** The events of a request, which both forms must give alike. */
export function eventsOf(signal: OtlpSignal, request: JsonObject, source = SOURCE) {
  const [protobuf, json] = (['protobuf', 'json'] as const).map((form) =>
    readBody(bodyOf(form, signal, request), form, signal, source),
  );
  if (protobuf?.ok !== true || json?.ok !== true) throw new Error('a body could not be read');
  if (JSON.stringify(protobuf) !== JSON.stringify(json)) {
    throw new Error(`the forms differ:\n${JSON.stringify(protobuf)}\n${JSON.stringify(json)}`);
  }
  return protobuf;
}

function finish<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
