import { cleanText, TRUNCATED_MARK } from '../../events/envelope/clean-text.ts';
import { parseIsoTime } from '../../events/envelope/iso-time.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { listOrEmpty, objectOrEmpty } from '../../events/envelope/read-json.ts';
import { nanoOf } from './attribute-values.ts';
import { finite } from './protobuf-values.ts';
import {
  KEY_CHARS_MAX,
  LEVELS_MAX,
  ofNextAttribute,
  textCharsMax,
  type ValueBudget,
} from './value-budget.ts';

/** The attributes of a list of `KeyValue`, of which 128 are kept. */
export function jsonAttributes(list: JsonValue | undefined, budget: ValueBudget): JsonObject {
  const attributes: JsonObject = {};
  const entries = isJsonObject(list) ? Object.entries(list).map(([key, value]) => ({ key, value })) : list;
  for (const entry of listOrEmpty(entries)) {
    const kept = ofNextAttribute(budget);
    if (kept.left <= 0) break;
    addEntry(entry, attributes, 1, kept);
  }
  return attributes;
}

/** The value of an `AnyValue` in its JSON form. */
export function jsonAnyValue(sent: JsonValue | undefined, level: number, budget: ValueBudget): JsonValue {
  const isKept = level <= LEVELS_MAX && budget.left > 0;
  budget.left -= 1;
  if (!isKept) return TRUNCATED_MARK;
  // Scripts write the value without its type.
  if (typeof sent === 'string') return jsonText(sent, textCharsMax(level));
  if (!isJsonObject(sent)) return typeof sent === 'number' || typeof sent === 'boolean' ? sent : null;
  if (sent.stringValue !== undefined) return jsonText(sent.stringValue, textCharsMax(level));
  if (sent.boolValue !== undefined) return sent.boolValue === true || sent.boolValue === 'true';
  if (sent.intValue !== undefined) return integer(sent.intValue);
  if (sent.doubleValue !== undefined) return finite(Number(scalarText(sent.doubleValue)));
  if (sent.arrayValue !== undefined) return arrayOf(sent.arrayValue, level, budget);
  if (sent.kvlistValue !== undefined) return mapOf(sent.kvlistValue, level, budget);
  if (sent.bytesValue !== undefined) return jsonText(sent.bytesValue, textCharsMax(LEVELS_MAX));
  return null;
}

function arrayOf(sent: JsonValue, level: number, budget: ValueBudget): JsonValue[] {
  const list: JsonValue[] = [];
  for (const item of listOrEmpty(objectOrEmpty(sent).values)) {
    if (budget.left <= 0) {
      list.push(TRUNCATED_MARK);
      break;
    }
    list.push(jsonAnyValue(item, level + 1, budget));
  }
  return list;
}

function mapOf(sent: JsonValue, level: number, budget: ValueBudget): JsonObject {
  const map: JsonObject = {};
  for (const entry of listOrEmpty(objectOrEmpty(sent).values)) {
    if (budget.left <= 0) break;
    addEntry(entry, map, level + 1, budget);
  }
  return map;
}

function addEntry(entry: JsonValue, map: JsonObject, level: number, budget: ValueBudget): void {
  const { key, value } = objectOrEmpty(entry);
  if (typeof key !== 'string' || key === '') return;
  setOwn(map, cleanText(key, KEY_CHARS_MAX), jsonAnyValue(value, level, budget));
}

export function jsonText(value: JsonValue | undefined, charsMax: number): string {
  const text = scalarText(value);
  return text.length > charsMax ? cleanText(text, charsMax) : text;
}

function scalarText(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

const DIGITS = /^-?\d{1,20}$/;

/** A number where it is exact, else its digits. */
function integer(value: JsonValue): JsonValue {
  if (typeof value === 'number') return finite(value);
  const text = jsonText(value, 64);
  const number = Number(text);
  return DIGITS.test(text) && Number.isSafeInteger(number) ? number : text;
}

/** An instant in nanoseconds, as digits or as a number, or as ISO 8601 has it; zero for anything else. */
export function jsonNano(value: JsonValue | undefined): bigint {
  if (typeof value === 'number') return value > 0 && value < 2 ** 64 ? nanoOf(BigInt(Math.trunc(value))) : 0n;
  if (typeof value !== 'string') return 0n;
  if (/^\d{1,20}$/.test(value)) return nanoOf(BigInt.asUintN(64, BigInt(value)));
  const ms = parseIsoTime(value);
  return ms === null || ms < 0 ? 0n : BigInt(ms) * 1_000_000n;
}

/** The number of an enumeration, which some encoders write as its name. */
export function jsonEnum(value: JsonValue | undefined, names: Readonly<Record<string, number>>): number {
  if (typeof value === 'string')
    return Object.hasOwn(names, value) ? (names[value] ?? 0) : Number(value) || 0;
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : 0;
}

/**
 * Returns the hexadecimal digits of an id. Encoders that do not know the protocol write base64, which has a different
 * length, with the final `=` or without. Empty for zeros and for anything else.
 */
export function jsonId(value: JsonValue | undefined, bytes: 8 | 16): string {
  if (typeof value !== 'string' || value.length > bytes * 2) return '';
  const isBase64 = value.replace(/={1,2}$/, '').length === Math.ceil((bytes * 4) / 3);
  const id = isBase64 ? Buffer.from(value, 'base64').toString('hex') : value.toLowerCase();
  return /^0*$/.test(id) || !HEX.test(id) ? '' : id;
}

const HEX = /^[0-9a-f]{1,32}$/;
