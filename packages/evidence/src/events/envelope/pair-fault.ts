import { below, type Fault } from './event-fault.ts';
import { type FieldSpelling, type ReadyRule, type ReadyShape, readSpelling } from './event-shapes.ts';
import { parseIsoTime } from './iso-time.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { EMPTY, isEmptyList } from './read-json.ts';

/** Events nest at most 32 levels; deeper values count as different. */
const DEPTH_MAX = 40;

/** Returns true if two JSON values are equal: lists in order, objects without regard to the order of their keys. */
function sameJson(a: JsonValue, b: JsonValue): boolean {
  return isSame(a, b, DEPTH_MAX);
}

function isSame(a: JsonValue, b: JsonValue, depthLeft: number): boolean {
  if (a === b) return true;
  if (depthLeft === 0) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => isSame(item, b[i] ?? null, depthLeft - 1));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key] ?? null, b[key] ?? null, depthLeft - 1));
}

/** Returns the first pair of spellings with different values, in table order, nested tables at their place. */
export function pairFault(shape: ReadyShape, object: JsonObject): Fault | null {
  for (const field of shape.fields) {
    if (field.spellings !== null && !field.mayDiffer) {
      const fault = spellingsFault(field.spellings, field.ready, object);
      if (fault !== null) return fault;
    }
    const value = object[field.spelling.key];
    if (value === undefined || value === null) continue;
    const fault = nestedPairFault(field.ready, value);
    if (fault !== null) return below(field.spelling.key, fault);
  }
  return null;
}

/** The first two fields of one fact that disagree, such as `sdk.name` and `sdk_name`. */
export function equalPairFault(shape: ReadyShape, object: JsonObject): Fault | null {
  for (const pair of shape.equalPairs) {
    const fault = spellingsFault(pair, null, object);
    if (fault !== null) return fault;
  }
  return null;
}

function nestedPairFault(rule: ReadyRule, value: JsonValue): Fault | null {
  if (rule.kind === 'object') return isJsonObject(value) ? pairFault(rule.shape, value) : null;
  if (rule.kind !== 'list' || rule.items.kind !== 'object' || !Array.isArray(value)) return null;
  for (let i = 0; i < value.length; i += 1) {
    const item = value[i];
    const fault = isJsonObject(item) ? pairFault(rule.items.shape, item) : null;
    if (fault !== null) return below(`[${i}]`, fault);
  }
  return null;
}

/** Null and empty text say nothing, so they contradict nothing. */
function spellingsFault(
  spellings: readonly FieldSpelling[],
  rule: ReadyRule | null,
  object: JsonObject,
): Fault | null {
  let first: FieldSpelling | null = null;
  let firstValue: JsonValue = null;
  for (const spelling of spellings) {
    const value = readSpelling(object, spelling);
    if (value === undefined || value === null || value === '') continue;
    if (first === null) {
      first = spelling;
      firstValue = value;
    } else if (!isSameFact(rule, firstValue, value)) {
      return { kind: 'conflict', path: first.name, other: spelling.name };
    }
  }
  return null;
}

/** Times are compared as instants, in the milliseconds the service keeps; everything else as JSON. */
function isSameFact(rule: ReadyRule | null, a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a === 'string' && typeof b === 'string') {
    const isTime = rule?.kind === 'time' || rule?.kind === 'either';
    const instant = isTime ? parseIsoTime(a) : null;
    return instant !== null && instant === parseIsoTime(b);
  }
  if (rule?.kind === 'map') return sameJson(isEmptyList(a) ? EMPTY : a, isEmptyList(b) ? EMPTY : b);
  return sameJson(a, b);
}
