import { below, type Fault, invalid, invalidAt, missing, WRONG } from './event-fault.ts';
import {
  type FieldSpelling,
  type ReadyField,
  type ReadyRule,
  type ReadyShape,
  readSpelling,
} from './event-shapes.ts';
import { parseIsoTime } from './iso-time.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { EMPTY, isEmptyList } from './read-json.ts';

/** The result of a walk over the fields besides the first fault. */
interface Walk {
  /** Some field came under two names; only then need pairs be compared. */
  pairSeen: boolean;
}

/**
 * Returns the first listed field, in table order, that is missing or holds a wrong value; sub-objects at their place.
 */
export function fieldFault(shape: ReadyShape, object: JsonObject, walk: Walk): Fault | null {
  const { fields } = shape;
  for (let i = 0; i < fields.length; i += 1) {
    const field = fields[i];
    if (field === undefined) break;
    const fault =
      field.spellings === null
        ? oneNameFault(field, object, walk)
        : manyNamesFault(field, field.spellings, object, walk);
    if (fault !== null) return fault;
  }
  return null;
}

function oneNameFault(field: ReadyField, object: JsonObject, walk: Walk): Fault | null {
  const value = object[field.spelling.key];
  if (value === undefined || value === null) {
    if (field.requiredWithout !== null && hasNoValue(object[field.requiredWithout])) return missing(field);
    if (value === undefined) return field.required ? missing(field) : null;
    return field.nullable || field.ready.kind === 'any' ? null : invalid(field);
  }
  const fault = valueFault(field.ready, value, !field.required, walk);
  if (fault !== null) return fault === WRONG ? invalid(field) : below(field.names[0], fault);
  if (field.notAfter !== null && isAfter(value, object[field.notAfter])) return invalid(field);
  return null;
}

function manyNamesFault(
  field: ReadyField,
  spellings: readonly FieldSpelling[],
  object: JsonObject,
  walk: Walk,
): Fault | null {
  let present = 0;
  for (let i = 0; i < spellings.length; i += 1) {
    const spelling = spellings[i];
    if (spelling === undefined) break;
    const value = readSpelling(object, spelling);
    if (value === undefined) continue;
    present += 1;
    if (value === null) {
      if (!field.nullable && field.ready.kind !== 'any') return invalid(field);
      continue;
    }
    const fault = valueFault(field.ready, value, !field.required, walk);
    if (fault !== null) return fault === WRONG ? invalid(field) : below(field.names[0], fault);
  }
  if (present > 1) walk.pairSeen = true;
  return present === 0 && field.required ? missing(field) : null;
}

/** @param isOptional an optional object or map may come as `[]`, the empty map of PHP */
function valueFault(rule: ReadyRule, value: JsonValue, isOptional: boolean, walk: Walk): Fault | null {
  switch (rule.kind) {
    case 'string':
      return typeof value === 'string' && isTextWithin(rule, value) ? null : WRONG;
    case 'object':
      if (isJsonObject(value)) return fieldFault(rule.shape, value, walk);
      return isOptional && isEmptyList(value) ? fieldFault(rule.shape, EMPTY, walk) : WRONG;
    case 'map':
      return isJsonObject(value) || (isOptional && isEmptyList(value)) ? null : WRONG;
    case 'word':
      if (typeof value !== 'string') return WRONG;
      return rule.allowed.has(value) || (rule.anyCase && isWordInAnyCase(rule.allowed, value)) ? null : WRONG;
    case 'time':
      return typeof value === 'string' && parseIsoTime(value) !== null ? null : WRONG;
    case 'integer':
      return Number.isInteger(value) && isBetween(rule, value) ? null : WRONG;
    case 'number':
      return Number.isFinite(value) &&
        isBetween(rule, value) &&
        !(rule.aboveMinimum && value === rule.minimum)
        ? null
        : WRONG;
    case 'boolean':
      return typeof value === 'boolean' ? null : WRONG;
    case 'activation_id':
      return typeof value === 'string' && value.length <= 40 && ACTIVATION_ID.test(value) ? null : WRONG;
    case 'list':
      return Array.isArray(value) ? listFault(rule, value, walk) : WRONG;
    case 'either':
      for (const each of rule.rules) if (valueFault(each, value, isOptional, walk) === null) return null;
      return WRONG;
    case 'number_map':
      return isNumberMap(value) ? null : WRONG;
    case 'any':
    case 'lenient':
      return null;
  }
}

/** Returns true if a value has the form that a rule requires; an object can be sent as `[]`. */
export function fits(rule: ReadyRule, value: JsonValue): boolean {
  return valueFault(rule, value, true, { pairSeen: false }) === null;
}

const ACTIVATION_ID = /^(?:act_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function isTextWithin(rule: Extract<ReadyRule, { kind: 'string' }>, value: string): boolean {
  const text = rule.trimmed ? value.trim() : value;
  if (text.length < rule.minLength) return false;
  if (text.length > rule.maxLength && !fitsInCharacters(text, rule.maxLength)) return false;
  return rule.controlsAllowed || !CONTROL.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Characters are code points, of which one takes at most two units. */
function fitsInCharacters(text: string, maxLength: number): boolean {
  if (text.length > maxLength * 2) return false;
  let count = 0;
  for (const _ of text) count += 1;
  return count <= maxLength;
}

/** Only ASCII letters change case here; words are short, so longer text is not folded at all. */
function isWordInAnyCase(allowed: ReadonlySet<string>, value: string): boolean {
  return value.length <= 16 && /^[A-Za-z]+$/.test(value) && allowed.has(value.toLowerCase());
}

function isBetween(rule: { minimum: number; maximum: number }, value: JsonValue): boolean {
  return typeof value === 'number' && value >= rule.minimum && value <= rule.maximum;
}

function isNumberMap(value: JsonValue): boolean {
  if (!isJsonObject(value)) return isEmptyList(value);
  for (const key of Object.keys(value)) {
    const each = value[key];
    if (each !== null && !Number.isFinite(each)) return false;
  }
  return true;
}

function listFault(
  rule: Extract<ReadyRule, { kind: 'list' }>,
  list: readonly JsonValue[],
  walk: Walk,
): Fault | null {
  if (list.length > rule.maxItems) return WRONG;
  for (let i = 0; i < list.length; i += 1) {
    const fault = valueFault(rule.items, list[i] ?? null, false, walk);
    if (fault !== null) return fault === WRONG ? invalidAt(`[${i}]`) : below(`[${i}]`, fault);
  }
  return null;
}

function hasNoValue(value: JsonValue | undefined): boolean {
  return value === undefined || value === null;
}

function isAfter(first: JsonValue, second: JsonValue | undefined): boolean {
  if (typeof first !== 'string' || typeof second !== 'string') return false;
  const [a, b] = [parseIsoTime(first), parseIsoTime(second)];
  return a !== null && b !== null && a > b;
}
