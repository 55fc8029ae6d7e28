import type { EventFacts } from '../normalize/event-facts.ts';
import { readEventFacts } from '../normalize/read-event-facts.ts';
import { cleanText, isHighSurrogate } from './clean-text.ts';
import { below, type Fault } from './event-fault.ts';
import { type ReadyShape, readyEnvelope, readyPayloads } from './event-shapes.ts';
import { fieldFault } from './field-fault.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { equalPairFault, pairFault } from './pair-fault.ts';

/** A shape-valid event's facts, or the one reason of docs/contract/ingestion.md 3.6 why it is refused. */
type EventCheck = { ok: true; facts: EventFacts } | { ok: false; reason: string };

/** Characters of the event's own text that a reason repeats. */
const QUOTED_CHARS_MAX = 64;
const PATH_CHARS_MAX = 256;

/**
 * Checks one event of a batch by the tables of docs/contract/ingestion.md sections 1 and 2. Listed fields are walked in
 * table order, sub-objects at their place; then pairs that disagree; then unknown keys. The payload is checked after
 * all of that, so its faults are reported only when the envelope is valid. Takes any JSON value and never throws.
 */
export function checkEvent(value: unknown): EventCheck {
  if (!isJsonObject(value)) return { ok: false, reason: 'invalid_event' };
  const fault = firstFault(readyEnvelope, value) ?? payloadFault(value);
  return fault === null
    ? { ok: true, facts: readEventFacts(value) }
    : { ok: false, reason: reasonOf(fault, value) };
}

function payloadFault(event: JsonObject): Fault | null {
  const shape = readyPayloads.get(String(event.event_type));
  const { payload } = event;
  if (shape === undefined || !isJsonObject(payload)) return { kind: 'invalid', path: 'payload', other: '' };
  return below('payload', firstFault(shape, payload));
}

/** Listed fields, then pairs, then unknown keys (docs/contract/ingestion.md 3.6). */
function firstFault(shape: ReadyShape, object: JsonObject): Fault | null {
  const walk = { pairSeen: false };
  return (
    fieldFault(shape, object, walk) ??
    (walk.pairSeen ? pairFault(shape, object) : null) ??
    equalPairFault(shape, object) ??
    (shape.closed ? unknownKeyFault(shape, object) : null)
  );
}

/** Returns the first key that no table lists, in order of appearance, closed sub-objects at their place. */
function unknownKeyFault(shape: ReadyShape, object: JsonObject): Fault | null {
  for (const key in object) {
    const rule = shape.keys.get(key);
    if (rule === undefined) return { kind: 'unknown', path: key, other: '' };
    if (rule.kind !== 'object' || !rule.shape.closed) continue;
    const value = object[key];
    const fault = isJsonObject(value) ? unknownKeyFault(rule.shape, value) : null;
    if (fault !== null) return below(key, fault);
  }
  return null;
}

function reasonOf(fault: Fault, event: JsonObject): string {
  if (fault.kind === 'invalid' && fault.path === 'event_type') {
    return `Invalid event_type: ${quoted(event.event_type)}`;
  }
  const path = cleanText(fault.path, PATH_CHARS_MAX);
  return fault.kind === 'conflict'
    ? `invalid_event: conflicting fields "${path}" and "${fault.other}"`
    : `invalid_event: ${fault.kind} field "${path}"`;
}

/** Returns the value that replaces an event type; an object or a list is only named, because it can have any size. */
function quoted(value: JsonValue | undefined): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'array' : 'object';
  const text = String(value);
  const splitsPair = text.length > QUOTED_CHARS_MAX && isHighSurrogate(text.charCodeAt(QUOTED_CHARS_MAX - 1));
  return text.slice(0, splitsPair ? QUOTED_CHARS_MAX - 1 : QUOTED_CHARS_MAX).toWellFormed();
}
