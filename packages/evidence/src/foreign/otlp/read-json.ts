import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { listOrEmpty, objectOrEmpty } from '../../events/envelope/read-json.ts';
import { measureValue } from '../../events/envelope/scan-batch-body.ts';
import { SLICE_BYTES, type Sliced, WORK_PER_BYTE } from '../../events/envelope/sliced.ts';
import { toUtf8, withoutMark } from '../../events/envelope/utf8-body.ts';
import { jsonAnyValue, jsonAttributes, jsonEnum, jsonId, jsonNano, jsonText } from './json-values.ts';
import {
  type Found,
  type FoundItems,
  ITEMS_MAX,
  type OtlpOrigin,
  type OtlpRecord,
  type OtlpSpan,
  type OtlpSpanException,
} from './otlp-items.ts';
import { tooMany } from './read-protobuf.ts';
import { recordRank, spanRank } from './span-rank.ts';
import { UnreadableBody } from './unreadable-body.ts';
import { INNER_TEXT_CHARS_MAX, KEY_CHARS_MAX, valueBudget } from './value-budget.ts';

/**
 * The bounds of a body before it is parsed. The depth is that of a value of 100 levels in this form, beyond which the
 * other form is refused too: a body that is accepted in one form is accepted in both.
 */
const LIMITS = { depthMax: 400, valuesMax: 400_000 };
/** Between two slices. */
const ITEMS_IN_SLICE = 256;

/** The spans of an `ExportTraceServiceRequest` that may be taken. Throws `UnreadableBody`. */
export function readJsonTraces(bytes: Buffer): Sliced<FoundItems<OtlpSpan>> {
  return readRequest(bytes, { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans' }, findSpan);
}

/** The records of an `ExportLogsServiceRequest`. Throws `UnreadableBody`. */
export function readJsonLogs(bytes: Buffer): Sliced<FoundItems<OtlpRecord>> {
  return readRequest(
    bytes,
    { resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords' },
    findRecord,
  );
}

function* readRequest<Item>(
  bytes: Buffer,
  names: { resources: string; scopes: string; items: string },
  find: (item: JsonObject, origin: OtlpOrigin) => Found<Item> | null,
): Sliced<FoundItems<Item>> {
  const items: FoundItems<Item> = { found: [], notTaken: 0 };
  const request = yield* parsed(bytes);
  const other = Object.keys(request).find((name) => OTHER_REQUEST.test(name));
  if (other !== undefined && request[names.resources] === undefined) {
    throw new UnreadableBody(
      'invalid_payload',
      `The body has ${other}, but this address takes ${names.resources}.`,
    );
  }
  let seen = 0;
  for (const resourceItems of oneOrMore(request[names.resources]).map(objectOrEmpty)) {
    const { attributes } = objectOrEmpty(resourceItems.resource);
    const resource = jsonAttributes(attributes, valueBudget());
    // Exporters of before 2022 call scopes libraries.
    const library = names.scopes.replace('scope', 'instrumentationLibrary');
    const scopes = resourceItems[names.scopes] ?? resourceItems[library];
    for (const scopeItems of oneOrMore(scopes).map(objectOrEmpty)) {
      const origin = { resource, scope: jsonText(objectOrEmpty(scopeItems.scope).name, KEY_CHARS_MAX) };
      for (const item of oneOrMore(scopeItems[names.items])) {
        if (seen % ITEMS_IN_SLICE === 0) yield SLICE_BYTES;
        seen += 1;
        if (seen > ITEMS_MAX) throw tooMany();
        const found = find(objectOrEmpty(item), origin);
        if (found === null) items.notTaken += 1;
        else items.found.push(found);
      }
    }
  }
  return items;
}

/** The body of another signal. */
const OTHER_REQUEST = /^resource(?:Spans|Logs|Metrics|Profiles)$/;

/** A list, or its one item alone. */
function oneOrMore(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonObject(value) ? [value] : listOrEmpty(value);
}

function* parsed(bytes: Buffer): Sliced<JsonObject> {
  const text = yield* toUtf8(withoutMark(bytes));
  yield text.length * WORK_PER_BYTE;
  const size = measureValue(text);
  if (size !== null && size.nodes > LIMITS.valuesMax) {
    throw new UnreadableBody(
      'payload_too_large',
      `A request holds at most ${LIMITS.valuesMax} values of JSON.`,
    );
  }
  if (size === null || size.depth > LIMITS.depthMax) {
    throw new UnreadableBody('invalid_payload', 'The body is not JSON, or is nested too deep.');
  }
  yield text.length;
  let value: unknown;
  try {
    value = JSON.parse(text.toString('utf8'));
  } catch {
    throw new UnreadableBody('invalid_payload', 'The body is not JSON.');
  }
  if (!isJsonObject(value)) throw new UnreadableBody('invalid_payload', 'The body is not a JSON object.');
  return 'resource_spans' in value || 'resource_logs' in value ? withCamelCase(value) : value;
}

/** Encoders of protobuf can keep its own names of fields. Names of attributes are values here, and stay. */
function withCamelCase(value: JsonObject): JsonObject;
function withCamelCase(value: JsonValue): JsonValue;
function withCamelCase(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withCamelCase(item));
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const camelCase = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    setOwn(copy, camelCase, withCamelCase(value[name] ?? null));
  }
  return copy;
}

const KINDS = {
  SPAN_KIND_INTERNAL: 1,
  SPAN_KIND_SERVER: 2,
  SPAN_KIND_CLIENT: 3,
  SPAN_KIND_PRODUCER: 4,
  SPAN_KIND_CONSUMER: 5,
};
const STATUS_CODES = { STATUS_CODE_OK: 1, STATUS_CODE_ERROR: 2 };

function findSpan(span: JsonObject, origin: OtlpOrigin): Found<OtlpSpan> | null {
  const seen = spanRank({
    kind: jsonEnum(span.kind, KINDS),
    statusCode: jsonEnum(objectOrEmpty(span.status).code, STATUS_CODES),
    exceptions: listOrEmpty(span.events).filter(isException).length,
  });
  return seen === null ? null : { ...seen, origin, read: () => readSpan(span) };
}

function isException(event: JsonValue): boolean {
  return isJsonObject(event) && event.name === 'exception';
}

const EXCEPTIONS_MAX = 1_000;

function readSpan(span: JsonObject): OtlpSpan {
  const status = objectOrEmpty(span.status);
  return {
    traceId: jsonId(span.traceId, 16),
    spanId: jsonId(span.spanId, 8),
    parentSpanId: jsonId(span.parentSpanId, 8),
    name: jsonText(span.name, INNER_TEXT_CHARS_MAX),
    kind: jsonEnum(span.kind, KINDS),
    startNano: jsonNano(span.startTimeUnixNano),
    endNano: jsonNano(span.endTimeUnixNano),
    attributes: jsonAttributes(span.attributes, valueBudget()),
    statusCode: jsonEnum(status.code, STATUS_CODES),
    statusMessage: jsonText(status.message, INNER_TEXT_CHARS_MAX),
    exceptions: listOrEmpty(span.events).filter(isException).slice(0, EXCEPTIONS_MAX).map(readException),
  };
}

function readException(event: JsonValue): OtlpSpanException {
  const { timeUnixNano, attributes } = objectOrEmpty(event);
  return { timeNano: jsonNano(timeUnixNano), attributes: jsonAttributes(attributes, valueBudget()) };
}

/** `SEVERITY_NUMBER_ERROR2` and the like. */
const SEVERITIES: Readonly<Record<string, number>> = Object.fromEntries(
  ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((level, index) =>
    ['', '2', '3', '4'].map((step, offset) => [`SEVERITY_NUMBER_${level}${step}`, index * 4 + offset + 1]),
  ),
);

function findRecord(record: JsonObject, origin: OtlpOrigin): Found<OtlpRecord> {
  const severityNumber = jsonEnum(record.severityNumber, SEVERITIES);
  return { ...recordRank(severityNumber), origin, read: () => readRecord(record, severityNumber) };
}

function readRecord(record: JsonObject, severityNumber: number): OtlpRecord {
  const timeNano = jsonNano(record.timeUnixNano);
  const budget = valueBudget();
  return {
    timeNano: timeNano === 0n ? jsonNano(record.observedTimeUnixNano) : timeNano,
    severityNumber,
    severityText: jsonText(record.severityText, KEY_CHARS_MAX),
    body:
      record.body === undefined || record.body === null ? undefined : jsonAnyValue(record.body, 1, budget),
    attributes: jsonAttributes(record.attributes, budget),
    traceId: jsonId(record.traceId, 16),
    spanId: jsonId(record.spanId, 8),
    eventName: jsonText(record.eventName, KEY_CHARS_MAX),
  };
}
