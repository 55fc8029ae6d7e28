import { REDACTED } from '@culprit/contract/events/secret-keys';
import { holdsSecret } from '../redact/secret-members.ts';
import { TRUNCATED_MARK } from './clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { setOwn } from './own-property.ts';
import { safeText, TEXT_CHARS_MAX } from './safe-text.ts';

/** Bounds of an open map (docs/contract/ingestion.md 1.5). */
const DEPTH_MAX = 8;
const ENTRIES_MAX = 200;
const BYTES_MAX = 65_536;
const KEY_CHARS_MAX = 256;

/** Kept free for the marks that close each level of a map that is cut. */
const MARKS_BYTES = DEPTH_MAX * 48;

/** JSON writes one unit of text as at most six bytes. */
const BYTES_PER_UNIT_MAX = 6;

/**
 * A copy of an open map within its bounds: 8 levels, 200 entries a level, 64 KB of JSON; what lies beyond becomes
 * `[Truncated]`. Text is made safe, listed keys are redacted, numbers are finite. Anything but an object, the `[]` of
 * PHP included, gives an empty map.
 */
export function boundedMap(value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) return {};
  const size = { units: 0 };
  const copy = copyObject(value, DEPTH_MAX, size);
  return isTooLarge(copy, size) ? fitObject(copy, { bytes: BYTES_MAX - MARKS_BYTES }) : copy;
}

/** A body or another value of any kind: text up to its own bound, objects and lists bounded as open maps. */
export function boundedValue(value: JsonValue | undefined): JsonValue {
  if (typeof value === 'string') return safeText(value, TEXT_CHARS_MAX.body);
  const size = { units: 0 };
  const copy = copyValue(value ?? null, DEPTH_MAX, size);
  return isTooLarge(copy, size) ? fitValue(copy, { bytes: BYTES_MAX - MARKS_BYTES }) : copy;
}

/** Units of text and of punctuation that a copy holds. */
interface Size {
  units: number;
}

/** Small copies, which are nearly all, are known to fit without being written out. */
function isTooLarge(copy: JsonValue, size: Size): boolean {
  return (
    (size.units + 1) * BYTES_PER_UNIT_MAX > BYTES_MAX && Buffer.byteLength(JSON.stringify(copy)) > BYTES_MAX
  );
}

function copyValue(value: JsonValue, levelsLeft: number, size: Size): JsonValue {
  size.units += 1;
  switch (typeof value) {
    case 'string': {
      const text = safeText(value, TEXT_CHARS_MAX.other);
      size.units += text.length;
      return text;
    }
    case 'number':
      size.units += 4;
      // JSON has no Infinity, though a parser makes one of 1e400; and minus zero is zero.
      return Number.isFinite(value) ? value + 0 : null;
    case 'object':
      if (value === null) return null;
      if (levelsLeft === 0) return TRUNCATED_MARK;
      return Array.isArray(value) ? copyList(value, levelsLeft, size) : copyObject(value, levelsLeft, size);
    default:
      return value;
  }
}

function copyObject(source: JsonObject, levelsLeft: number, size: Size): JsonObject {
  const copy: JsonObject = {};
  let entries = 0;
  for (const key in source) {
    if (entries === ENTRIES_MAX) {
      copy[TRUNCATED_MARK] = TRUNCATED_MARK;
      break;
    }
    entries += 1;
    const safeKey = safeKeyOf(key);
    size.units += safeKey.length + 1;
    setOwn(
      copy,
      safeKey,
      holdsSecret(key, source[key]) ? REDACTED : copyValue(source[key] ?? null, levelsLeft - 1, size),
    );
  }
  return copy;
}

/** Applications send the same keys with every event, and making one safe takes as long as copying its value. */
const KEYS_REMEMBERED_MAX = 2_000;
const REMEMBERED_KEY_CHARS_MAX = 64;
const rememberedKeys = new Map<string, string>();

function safeKeyOf(key: string): string {
  const remembered = rememberedKeys.get(key);
  if (remembered !== undefined) return remembered;
  const safe = safeText(key, KEY_CHARS_MAX);
  if (key.length > REMEMBERED_KEY_CHARS_MAX) return safe;
  if (rememberedKeys.size >= KEYS_REMEMBERED_MAX) rememberedKeys.clear();
  rememberedKeys.set(key, safe);
  return safe;
}

function copyList(source: readonly JsonValue[], levelsLeft: number, size: Size): JsonValue[] {
  const kept = Math.min(source.length, ENTRIES_MAX);
  const copy: JsonValue[] = [];
  for (let i = 0; i < kept; i += 1) copy.push(copyValue(source[i] ?? null, levelsLeft - 1, size));
  if (source.length > kept) copy.push(TRUNCATED_MARK);
  return copy;
}

/** The space left for the rest of a copy; below zero, everything further is dropped. */
interface Capacity {
  bytes: number;
}

function fitValue(value: JsonValue, capacity: Capacity): JsonValue {
  if (Array.isArray(value)) return fitList(value, capacity);
  if (isJsonObject(value)) return fitObject(value, capacity);
  capacity.bytes -= jsonBytes(value);
  return capacity.bytes < 0 ? TRUNCATED_MARK : value;
}

function fitObject(value: JsonObject, capacity: Capacity): JsonObject {
  const fitted: JsonObject = {};
  capacity.bytes -= 2;
  for (const key of Object.keys(value)) {
    capacity.bytes -= jsonBytes(key) + 2;
    if (capacity.bytes < 0) {
      fitted[TRUNCATED_MARK] = TRUNCATED_MARK;
      break;
    }
    setOwn(fitted, key, fitValue(value[key] ?? null, capacity));
  }
  return fitted;
}

function fitList(value: readonly JsonValue[], capacity: Capacity): JsonValue[] {
  const fitted: JsonValue[] = [];
  capacity.bytes -= 2;
  for (const item of value) {
    capacity.bytes -= 1;
    if (capacity.bytes < 0) {
      fitted.push(TRUNCATED_MARK);
      break;
    }
    fitted.push(fitValue(item, capacity));
  }
  return fitted;
}

function jsonBytes(value: string | number | boolean | null): number {
  return Buffer.byteLength(JSON.stringify(value));
}
