import { cleanText, TRUNCATED_MARK } from '../../events/envelope/clean-text.ts';
import type { JsonObject, JsonValue } from '../../events/envelope/json.ts';
import { getOwn, setOwn } from '../../events/envelope/own-property.ts';
import { INNER_TEXT_CHARS_MAX } from './value-budget.ts';

/** The first of these attributes that says something, as text; null where none does. */
export function textOf(attributes: JsonObject, names: readonly string[], charsMax: number): string | null {
  for (const name of names) {
    const value = getOwn(attributes, name);
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text === 'string' && text.trim() !== '') return cleanText(text, charsMax);
  }
  return null;
}

const DIGITS = /^\d{1,15}$/;

/** The first of these attributes that is a whole number of at least zero; some exporters write it as text. */
export function countOf(attributes: JsonObject, names: readonly string[]): number | null {
  for (const name of names) {
    const value = getOwn(attributes, name);
    const count = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count;
  }
  return null;
}

/** Any value as text; lists and maps as their JSON. */
export function anyText(value: JsonValue | undefined, charsMax: number): string {
  if (value === undefined || value === null) return '';
  return cleanText(typeof value === 'string' ? value : JSON.stringify(value), charsMax);
}

/** The values that are there. */
export function filled(values: Record<string, JsonValue | undefined>): JsonObject {
  const object: JsonObject = {};
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (value !== undefined && value !== null) object[key] = value;
  }
  return object;
}

/** Undefined for an object without keys, so that `filled` leaves it out. */
export function unlessEmpty(object: JsonObject): JsonObject | undefined {
  for (const _ in object) return object;
  return undefined;
}

/** The size of all attributes of an event together, about what the bundle shows of an open map. */
const KEPT_CHARS_MAX = 65_536;
const KEPT_MAX = 200;
/** The limit for a line that contains the trace of an error and is no error itself. */
const STACK_CHARS_MAX = 32_768;

/** The attributes that are kept as evidence, first come first kept, with text cut to its bound. */
export function keptAttributes(
  sources: readonly JsonObject[],
  isKept: (name: string) => boolean,
  { entriesMax = KEPT_MAX, charsMax = KEPT_CHARS_MAX } = {},
): JsonObject {
  const kept: JsonObject = {};
  let charsLeft = charsMax;
  let entriesLeft = entriesMax;
  for (const source of sources) {
    for (const name of Object.keys(source)) {
      if (!isKept(name) || Object.hasOwn(kept, name)) continue;
      const value = getOwn(source, name) ?? null;
      const isStack = name === 'exception.stacktrace';
      const cut =
        typeof value === 'string'
          ? cleanText(value, isStack ? STACK_CHARS_MAX : INNER_TEXT_CHARS_MAX)
          : value;
      charsLeft -= name.length + (typeof cut === 'string' ? cut.length : (JSON.stringify(cut)?.length ?? 4));
      entriesLeft -= 1;
      if (charsLeft < 0 || entriesLeft < 0) {
        kept[TRUNCATED_MARK] = TRUNCATED_MARK;
        return kept;
      }
      setOwn(kept, name, cut);
    }
  }
  return kept;
}

const MS_MAX = 253_402_300_799_999;

/**
 * Pipelines that are written by hand send seconds, milliseconds or microseconds where nanoseconds belong. As nanoseconds
 * these are all before March 1973.
 */
export function nanoOf(instant: bigint): bigint {
  if (instant >= 100_000_000_000_000_000n || instant < 100_000_000n) return instant;
  if (instant >= 100_000_000_000_000n) return instant * 1_000n;
  return instant * (instant >= 100_000_000_000n ? 1_000_000n : 1_000_000_000n);
}

/** An instant as event times are written; the receive time for none. */
export function isoOf(nano: bigint, receivedAtMs: number): string {
  const ms = nano === 0n ? receivedAtMs : Number(nanoOf(nano) / 1_000_000n);
  return new Date(Math.min(ms, MS_MAX)).toISOString();
}
