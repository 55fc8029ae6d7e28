import type { JsonObject } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { TEXT_CHARS_MAX } from '../../events/envelope/safe-text.ts';
import type { Sliced } from '../../events/envelope/sliced.ts';
import type { ForeignEvent } from '../foreign-event.ts';
import { levelOfWord } from '../level-word.ts';
import { anyText, filled, isoOf, keptAttributes, textOf } from './attribute-values.ts';
import { chooseItems, EVENTS_MAX } from './choose-items.ts';
import { digestOf, exceptionFacts, holdsException, isOfException } from './exception-facts.ts';
import { levelIn, type StructuredLine, structuredLine } from './log-body.ts';
import { contextOf, eventHead, exceptionEvent, type TracePlace } from './map-exception.ts';
import type { OtlpMapped, OtlpSource } from './map-traces.ts';
import type { FoundItems, OtlpRecord } from './otlp-items.ts';
import { isPersonal, userOf } from './person.ts';
import { type ResourceFacts, resourceFacts } from './resource-facts.ts';

const EVENT_WORK = 4_096;
const ID_CHARS_MAX = 256;

/** The events of the records of a request (docs/contract/foreign-protocols.md 8.5). Never throws for any content. */
export function* mapLogs(items: FoundItems<OtlpRecord>, source: OtlpSource): Sliced<OtlpMapped> {
  const chosen = chooseItems(items);
  const known = new Map<JsonObject, ResourceFacts>();
  const equal = new Map<string, number>();
  const mapped: OtlpMapped = { events: [], notTaken: items.notTaken, overLimit: chosen.overLimit };
  for (const { origin, read } of chosen.items) {
    yield EVENT_WORK;
    const facts = known.get(origin.resource) ?? resourceFacts(origin.resource, source.serviceName);
    known.set(origin.resource, facts);
    const record = read();
    const line = { record, facts, scope: origin.scope, said: structuredLine(record.body) };
    if (mapped.events.length >= EVENTS_MAX) mapped.overLimit += 1;
    else
      mapped.events.push(
        isException(line.record) ? recordException(line, source) : logEvent(line, equal, source),
      );
  }
  return mapped;
}

interface Line {
  record: OtlpRecord;
  facts: ResourceFacts;
  scope: string;
  /** The body's content if it is the line of a structured logger. */
  said: StructuredLine | null;
}

function messageOf({ record, said }: Line): string {
  return said?.message ?? anyText(record.body, TEXT_CHARS_MAX.message);
}

/** An exception whose record has no level at all is an error, and so are those of level `error` and above. */
function isException(record: OtlpRecord): boolean {
  if (!holdsException(record.attributes)) return false;
  const level = levelOf(record);
  return level === null || ERRORS.has(level);
}

const ERRORS: ReadonlySet<string> = new Set(['error', 'critical', 'alert', 'emergency', 'fatal']);
/** The levels of the severity numbers 1 to 24, each level four times. */
const LEVELS = ['debug', 'debug', 'info', 'warning', 'error', 'fatal'] as const;

/** Null for a record that names no level. */
function levelOf({ severityNumber, severityText }: OtlpRecord): string | null {
  return LEVELS[Math.ceil(severityNumber / 4) - 1] ?? levelOfWord(severityText);
}

/** Reporters of crashes of phones send the record when the program is gone. */
const CRASH = /(?:^|\.)crash$/;

function recordException(line: Line, source: OtlpSource): ForeignEvent {
  const { record, facts, scope } = line;
  const exception = exceptionFacts(record.attributes, facts.language);
  const hasEnded = levelOf(record) === 'fatal' || CRASH.test(eventNameOf(record));
  const occurredAt = isoOf(record.timeNano, source.receivedAtMs);
  return exceptionEvent({
    facts,
    exception,
    place: placeOf(record),
    occurredAt,
    handled: !exception.isEscaped && !hasEnded,
    attributes: keptAttributes([named(record)], isKept),
    user: userOf(record.attributes),
    session: textOf(record.attributes, ['session.id'], ID_CHARS_MAX),
    requestId: requestIdOf(record),
    line: filled({
      level: levelOf(record) ?? 'error',
      message: messageOf(line),
      ts: occurredAt,
      logger: scope || null,
    }),
  });
}

function logEvent(line: Line, equal: Map<string, number>, source: OtlpSource): ForeignEvent {
  const { record, facts, scope, said } = line;
  const place = placeOf(record);
  const payload = filled({
    message: messageOf(line),
    level: levelOf(record) ?? said?.level ?? levelIn(record.attributes) ?? 'info',
    attributes: keptAttributes([named(record), said?.rest ?? {}], (name) => !isPersonal(name)),
    logger: scope || null,
    device: facts.device,
  });
  const digest = digestOf(
    source.keyId,
    facts.place,
    String(record.timeNano),
    place.traceId,
    place.spanId,
    JSON.stringify(payload),
  );
  const nth = equal.get(digest) ?? 0;
  equal.set(digest, nth + 1);
  return {
    event: {
      ...eventHead(facts, place, {
        eventId: `log_${digestOf(digest, String(nth))}`,
        occurredAt: isoOf(record.timeNano, source.receivedAtMs),
        session: textOf(record.attributes, ['session.id'], ID_CHARS_MAX),
        requestId: requestIdOf(record),
      }),
      event_type: 'log_event',
      context: contextOf(facts, place, {}, userOf(record.attributes)),
      payload,
    },
    isContext: false,
  };
}

function eventNameOf({ attributes, eventName }: OtlpRecord): string {
  return eventName || (textOf(attributes, ['event.name'], ID_CHARS_MAX) ?? '');
}

/** The attributes with the name of the event, which some records have. */
function named({ attributes, eventName }: OtlpRecord): JsonObject {
  if (eventName === '' || Object.hasOwn(attributes, 'event.name')) return attributes;
  const all: JsonObject = { 'event.name': eventName };
  for (const name of Object.keys(attributes)) setOwn(all, name, attributes[name] ?? null);
  return all;
}

function isKept(name: string): boolean {
  return !isOfException(name) && !isPersonal(name);
}

function placeOf({ traceId, spanId }: OtlpRecord): TracePlace {
  return { traceId, spanId };
}

function requestIdOf({ attributes }: OtlpRecord): string | null {
  return textOf(attributes, ['request_id', 'request.id', 'requestId', 'http.request_id'], ID_CHARS_MAX);
}
