import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { setOwn } from '../envelope/own-property.ts';
import { filledObjectOrNull } from '../envelope/read-json.ts';

/** What an outline has of the value of a key. */
export type Outlining = (value: JsonValue) => JsonValue;
export type OutlineTable = ReadonlyMap<string, Outlining>;

/** Of a key that no table names it matters only that it is there. */
const UNNAMED = 1;
const FILLED: JsonObject = Object.freeze({ filled: true });

/** An object as its table has it; everything else as it is. */
export function outlinedObject(value: JsonValue, table: OutlineTable): JsonValue {
  return isJsonObject(value) ? outlinedKeys(value, table) : value;
}

export function outlinedKeys(object: JsonObject, table: OutlineTable): JsonObject {
  const outlined: JsonObject = {};
  for (const key in object) {
    const outlining = table.get(key);
    setOwn(outlined, key, outlining === undefined ? UNNAMED : outlining(object[key] ?? null));
  }
  return outlined;
}

/** The value itself. */
export const whole: Outlining = (value) => value;

/** Nothing: only that the key is there. */
export const nothing: Outlining = () => null;

/** Whether an object has any content; what is none is left whole. */
export const filledMap: Outlining = (value) => (filledObjectOrNull(value) === null ? value : FILLED);

/** Whether a body has any content; a number is some. */
export const filledBody: Outlining = (value) => {
  if (value === null || value === '') return value;
  const isEmpty = typeof value === 'object' && Object.keys(value).length === 0;
  return isEmpty ? null : 'x';
};

/** Whether a text has any content; one that begins with a character that may be taken out is left whole. */
export const filledText: Outlining = (value) =>
  typeof value === 'string' && /^[ -~]/.test(value) ? 'x' : value;

/** A time in either of its forms. */
export const anyTime: Outlining = (value) =>
  typeof value === 'number' ? 1 : typeof value === 'string' ? '' : value;

/** Numbers measure something; texts and flags describe it. */
export const withoutNumbers: Outlining = (value) => {
  if (typeof value === 'number') return 1;
  if (!isJsonObject(value)) return value;
  const outlined: JsonObject = {};
  for (const key in value) {
    const inner = value[key] ?? null;
    setOwn(outlined, key, typeof inner === 'number' ? 1 : inner);
  }
  return outlined;
};

/** The host of a plain address, which is all that counting takes of one. */
export const hostOnly: Outlining = (value) =>
  typeof value === 'string' ? (PLAIN_ADDRESS.exec(value)?.[1] ?? value) : value;

const PLAIN_ADDRESS = /^(https?:\/\/[a-z\d.-]{1,100}\/)[^@]{0,2048}$/;

/** The entries of a list by their table, each once, in an order of their own; null where it is left whole. */
export function outlinedEntries(
  value: JsonValue,
  entriesMax: number,
  outlining: (entry: JsonObject) => JsonObject | null,
): JsonValue {
  if (!Array.isArray(value) || value.length === 0 || value.length > entriesMax) return value;
  const entries = new Map<string, JsonObject>();
  for (const entry of value) {
    const outlined = isJsonObject(entry) ? outlining(entry) : null;
    if (outlined === null) return value;
    entries.set(JSON.stringify(outlined), outlined);
  }
  return [...entries.keys()].sort().map((text) => entries.get(text) ?? null);
}

const NULLED_OF_DEVICE: ReadonlySet<string> = new Set(['screen', 'viewport']);

/** Browser, system and kind of a device; sizes and levels count nowhere. */
export const outlinedDevice: Outlining = (value) => {
  if (!isJsonObject(value)) return value;
  const outlined: JsonObject = {};
  for (const key in value) {
    const inner = value[key] ?? null;
    setOwn(outlined, key, NULLED_OF_DEVICE.has(key) ? null : typeof inner === 'number' ? 1 : inner);
  }
  return outlined;
};
