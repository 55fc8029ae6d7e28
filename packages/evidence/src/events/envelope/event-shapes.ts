import type { EventField, EventShape, FieldRule } from '@culprit/contract/events/event-field';
import { envelopeShape, payloadShapes } from '@culprit/contract/events/event-fields';
import type { EventType } from '../normalize/event.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** The place of one spelling of a field: a key, or a key of a sub-object. */
export interface FieldSpelling {
  readonly name: string;
  readonly key: string;
  readonly subKey: string | null;
}

export interface ReadyField extends EventField {
  readonly spelling: FieldSpelling;
  /** Null when the field has one spelling. */
  readonly spellings: readonly FieldSpelling[] | null;
  readonly ready: ReadyRule;
}

/** A rule whose nested shapes are ready, too. */
export type ReadyRule =
  | Exclude<FieldRule, { kind: 'object' | 'list' | 'either' | 'word' | 'lenient' }>
  | { readonly kind: 'word'; readonly allowed: ReadonlySet<string>; readonly anyCase: boolean }
  | { readonly kind: 'object'; readonly shape: ReadyShape }
  | { readonly kind: 'list'; readonly items: ReadyRule; readonly maxItems: number }
  | { readonly kind: 'either'; readonly rules: readonly ReadyRule[] }
  | { readonly kind: 'lenient'; readonly rule: ReadyRule };

/** A field table prepared for reading: look-ups are built once, not per event. */
export interface ReadyShape {
  readonly closed: boolean;
  readonly fields: readonly ReadyField[];
  /** Every accepted key of the object, with the rule of its content. */
  readonly keys: ReadonlyMap<string, ReadyRule>;
  readonly equalPairs: readonly (readonly [FieldSpelling, FieldSpelling])[];
}

const readyShapes = new Map<EventShape, ReadyShape>();

function readyShape(shape: EventShape): ReadyShape {
  const known = readyShapes.get(shape);
  if (known !== undefined) return known;
  const fields = shape.fields.map(readyField);
  const keys = new Map<string, ReadyRule>();
  for (const field of fields) {
    for (const spelling of field.spellings ?? [field.spelling]) {
      if (spelling.subKey === null) keys.set(spelling.key, field.ready);
    }
  }
  const equalPairs = shape.equalPairs.map(([a, b]) => [spellingOf(a), spellingOf(b)] as const);
  const ready = { closed: shape.closed, fields, keys, equalPairs };
  readyShapes.set(shape, ready);
  return ready;
}

function readyField(field: EventField): ReadyField {
  const spellings = field.names.map(spellingOf);
  return {
    ...field,
    spelling: spellingOf(field.names[0]),
    spellings: spellings.length > 1 ? spellings : null,
    ready: readyRule(field.rule),
  };
}

function readyRule(rule: FieldRule): ReadyRule {
  switch (rule.kind) {
    case 'object':
      return { kind: 'object', shape: readyShape(rule.shape) };
    case 'list':
      return { kind: 'list', items: readyRule(rule.items), maxItems: rule.maxItems };
    case 'either':
      return { kind: 'either', rules: rule.rules.map(readyRule) };
    case 'lenient':
      return { kind: 'lenient', rule: readyRule(rule.rule) };
    case 'word':
      return { kind: 'word', allowed: new Set(rule.words), anyCase: rule.anyCase };
    default:
      return rule;
  }
}

function spellingOf(name: string): FieldSpelling {
  const dot = name.indexOf('.');
  return dot === -1
    ? { name, key: name, subKey: null }
    : { name, key: name.slice(0, dot), subKey: name.slice(dot + 1) };
}

/**
 * The value under one spelling, undefined when absent. Names come from the tables and none of them exists on
 * `Object.prototype`, so a plain look-up cannot reach anything inherited.
 */
export function readSpelling(object: JsonObject, spelling: FieldSpelling): JsonValue | undefined {
  const value = object[spelling.key];
  if (spelling.subKey === null || value === undefined) return value;
  return isJsonObject(value) ? value[spelling.subKey] : undefined;
}

export const readyEnvelope: ReadyShape = readyShape(envelopeShape);

/** Payload tables by event type; a miss means that the type is unknown. */
export const readyPayloads: ReadonlyMap<string, ReadyShape> = new Map(
  Object.entries(payloadShapes).map(([type, shape]) => [type, readyShape(shape)]),
);

export function readyPayload(type: EventType): ReadyShape {
  const shape = readyPayloads.get(type);
  if (shape === undefined) throw new RangeError(`no payload table for ${type}`);
  return shape;
}
