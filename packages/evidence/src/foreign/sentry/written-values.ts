import { cleanText } from '../../events/envelope/clean-text.ts';
import { parseIsoTime } from '../../events/envelope/iso-time.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { getOwn, setOwn } from '../../events/envelope/own-property.ts';
import { openValue } from './open-values.ts';

/** Text that says something, cut to its bound; numbers are read as text. Null for anything else. */
export function textOf(value: JsonValue | undefined, charsMax: number): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const text = value.length > charsMax ? cleanText(value, charsMax) : value;
  return text.trim() === '' ? null : text;
}

/** Any value as text; objects and lists as their JSON. */
export function anyText(value: JsonValue | undefined, charsMax: number): string {
  if (value === undefined || value === null) return '';
  const text =
    typeof value === 'string' ? value : JSON.stringify(openValue(value, { values: VALUES_WRITTEN_MAX }));
  return text.length > charsMax ? cleanText(text, charsMax) : text;
}

const VALUES_WRITTEN_MAX = 2_000;

/** A whole number from zero to the largest that is exact; some libraries write it as text. */
export function countOf(value: JsonValue | undefined): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** The entries of a map or of a list of pairs, in their order, the first `entriesMax` of them. */
export function pairsOf(value: JsonValue | undefined, entriesMax: number): [string, JsonValue][] {
  if (Array.isArray(value)) {
    return value.slice(0, entriesMax).flatMap((pair): [string, JsonValue][] => {
      const [key, content = null] = isJsonObject(pair)
        ? [pair.key ?? pair.name, pair.value]
        : Array.isArray(pair)
          ? pair
          : [];
      return typeof key === 'string' ? [[key, content]] : [];
    });
  }
  return isJsonObject(value) ? Object.entries(value).slice(0, entriesMax) : [];
}

/** The first value of a name, whatever its case, in a map or a list of pairs. */
export function namedValue(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (isJsonObject(value)) {
    const exact = getOwn(value, name);
    if (exact !== undefined) return exact;
  }
  return pairsOf(value, NAMES_SEARCHED_MAX).find(([key]) => key.toLowerCase() === name)?.[1];
}

const NAMES_SEARCHED_MAX = 200;

/** The first of the values of a header, which PHP and Go write as a list. */
export function firstOf(value: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** A list; PHP writes one with a gap, and Lua one of its tables, as an object with numbers for keys. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] | null {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return null;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d{1,6}$/.test(key)) ? Object.values(value) : null;
}

/** The list of an interface that comes as `{values: […]}`, as a list, or as its one entry. */
export function valuesOf(value: JsonValue | undefined): readonly JsonValue[] {
  const list = listOf(value);
  if (list !== null) return list;
  if (!isJsonObject(value)) return [];
  const { values } = value;
  const listed = listOf(values);
  if (listed !== null) return listed;
  return values === undefined ? [value] : isJsonObject(values) ? [values] : [];
}

/** An instant as seconds, milliseconds or finer since the epoch, as digits, or in ISO 8601; null if it is none. */
export function instantMs(value: JsonValue | undefined): number | null {
  if (typeof value === 'string') {
    if (SECONDS_AS_TEXT.test(value)) return numberMs(Number(value));
    return parseIsoTime(value.replace(/ (?:UTC|GMT)$/, 'Z')) ?? mailTimeMs(value);
  }
  return typeof value === 'number' ? numberMs(value) : null;
}

/** A time as mails and headers write it, RFC 5322. */
function mailTimeMs(text: string): number | null {
  const isMailTime =
    /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC|[+-]\d{4})$/.test(text);
  const ms = isMailTime ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}

const SECONDS_AS_TEXT = /^\d{1,19}(?:\.\d{1,12})?$/;
/**
 * The bounds of the units: as seconds these are beyond the year 5138, and as milliseconds or microseconds beyond it as
 * well.
 */
const MILLISECONDS_FROM = 1e11;
const MICROSECONDS_FROM = 1e14;
const NANOSECONDS_FROM = 1e17;

function numberMs(value: number): number | null {
  if (!(value > 0) || value >= 1e20) return null;
  if (value < MILLISECONDS_FROM) return Math.round(value * 1_000);
  if (value < MICROSECONDS_FROM) return Math.round(value);
  return Math.round(value < NANOSECONDS_FROM ? value / 1_000 : value / 1_000_000);
}

const TIME_MS_MAX = 253_402_300_799_999;
const TIME_MS_MIN = -62_135_596_800_000;

export function isoOf(ms: number): string {
  return new Date(Math.min(Math.max(Math.trunc(ms), TIME_MS_MIN), TIME_MS_MAX)).toISOString();
}

/** 32 hexadecimal digits in lower case, dashes removed; null for anything else. */
export function hexId(value: JsonValue | undefined): string | null {
  if (typeof value !== 'string' || value.length > 64) return null;
  const id = value.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(id) ? id : null;
}

/** An object of those values that are there. */
export function filled(values: Record<string, JsonValue | undefined>): JsonObject {
  const object: JsonObject = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined && value !== null) setOwn(object, key, value);
  }
  return object;
}
