import type { JsonObject } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { TEXT_CHARS_MAX } from '../../events/envelope/safe-text.ts';
import type { Sliced } from '../../events/envelope/sliced.ts';
import type { ForeignEvent } from '../foreign-event.ts';
import { levelOfWord } from '../level-word.ts';
import { anyText, filled, isoOf, keptAttributes, textOf } from './attribute-values.ts';
import { chooseItems, EVENTS_MAX } from './choose-items.ts';
import { digestOf, exceptionFacts, holdsException, isOfException } from './exception-facts.ts';
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
    const line = { record: read(), facts, scope: origin.scope };
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
}

/** An exception whose record has no level at all is an error, and so are those of level `error` and above. */
function isException(record: OtlpRecord): boolean {
  if (!holdsException(record.attributes)) return false;
  const level = levelOf(record);
  return level === null || ERRORS.has(level);
}

const ERRORS: ReadonlySet<string> = new Set(['error', 'critical', 'alert', 'emergency', 'fatal']);
/** Of the severity numbers 1 to 24, each level four times. */
const LEVELS = ['debug', 'debug', 'info', 'warning', 'error', 'fatal'] as const;

/** Null for a record that names no level. */
function levelOf({ severityNumber, severityText }: OtlpRecord): string | null {
  return LEVELS[Math.ceil(severityNumber / 4) - 1] ?? levelOfWord(severityText);
}

function recordException({ record, facts, scope }: Line, source: OtlpSource): ForeignEvent {
  const occurredAt = isoOf(record.timeNano, source.receivedAtMs);
  return exceptionEvent({
    facts,
    exception: exceptionFacts(record.attributes, facts.language),
    place: placeOf(record),
    occurredAt,
    handled: true,
    attributes: keptAttributes([named(record)], isKept),
    user: userOf(record.attributes),
    session: textOf(record.attributes, ['session.id'], ID_CHARS_MAX),
    requestId: requestIdOf(record),
    line: filled({
      level: levelOf(record) ?? 'error',
      message: anyText(record.body, TEXT_CHARS_MAX.message),
      ts: occurredAt,
      logger: scope || null,
    }),
  });
}

function logEvent(
  { record, facts, scope }: Line,
  equal: Map<string, number>,
  source: OtlpSource,
): ForeignEvent {
  const place = placeOf(record);
  const payload = filled({
    message: anyText(record.body, TEXT_CHARS_MAX.message),
    level: levelOf(record) ?? 'info',
    attributes: keptAttributes([named(record)], (name) => !isPersonal(name)),
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
