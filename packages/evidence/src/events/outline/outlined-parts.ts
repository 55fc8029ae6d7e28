import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn, setOwn } from '../envelope/own-property.ts';
import { filledObjectOrNull } from '../envelope/read-json.ts';

type Value = JsonValue | undefined;

/** A part of an outline; what is undefined is left out of its text. */
export interface OutlineObject {
  [key: string]: Value | OutlineObject | OutlineObject[];
}

const FILLED: JsonObject = Object.freeze({ filled: true });
const SMALL_KEYS_MAX = 100;
const SMALL_CHARS_MAX = 8_192;

/** The values of some keys of an object. */
export function picked(object: JsonObject, keys: readonly string[]): OutlineObject {
  const found: OutlineObject = {};
  for (const key of keys) {
    const value = getOwn(object, key);
    if (value !== undefined) found[key] = value;
  }
  return found;
}

/** Returns whether an object has any content; a value that is no object stays whole. */
export function filledMap(value: Value): Value {
  return filledObjectOrNull(value) === null ? value : FILLED;
}

/** Returns whether a body has any content; a number is content. */
export function filledBody(value: Value): JsonValue {
  if (value === undefined || value === null || value === '') return value ?? null;
  const isEmpty = typeof value === 'object' && Object.keys(value).length === 0;
  return isEmpty ? null : 'x';
}

/** Returns whether a text has any content; a text that can be empty after its cleaning stays whole. */
export function filledText(value: Value): Value {
  return typeof value === 'string' && /^[!-~]/.test(value) ? 'x' : value;
}

/** The host of a plain address, which is all that counting takes of one. */
export function hostOnly(value: Value): Value {
  return typeof value === 'string' ? (PLAIN_ADDRESS.exec(value)?.[1] ?? value) : value;
}

const PLAIN_ADDRESS = /^(https?:\/\/[a-z\d.-]{1,100}\/)[^@]{0,2048}$/;

/** Returns true for a map that is nowhere near the bounds of an open map, so that each of its values is kept. */
export function isSmall(map: JsonObject): boolean {
  let keys = 0;
  let chars = 0;
  for (const key in map) {
    const value = map[key] ?? null;
    keys += 1;
    chars += key.length;
    if (typeof value === 'string') chars += value.length;
    else if (typeof value === 'object' && value !== null) chars += JSON.stringify(value).length;
    if (keys > SMALL_KEYS_MAX || chars > SMALL_CHARS_MAX) return false;
  }
  return true;
}

const LEFT_OUT_OF_DEVICE: ReadonlySet<string> = new Set(['screen', 'viewport']);

/** Browser, system and kind of a device; sizes and levels count nowhere. */
export function outlinedDevice(value: Value): Value {
  if (!isJsonObject(value)) return value;
  const outlined: JsonObject = {};
  for (const key in value) {
    const inner = value[key] ?? null;
    if (!LEFT_OUT_OF_DEVICE.has(key)) setOwn(outlined, key, typeof inner === 'number' ? 1 : inner);
  }
  return filledObjectOrNull(outlined) ?? filledMap(value);
}

/** The browser's words about an error, without the place in a bundle, and the page by its host. */
export function pageOf(value: Value): Value | OutlineObject {
  if (!isJsonObject(value)) return value;
  const { page, line_number: _line, column_number: _column, ...event } = value;
  if (!isJsonObject(page)) return { ...event, ...(page === undefined ? {} : { page }) };
  const { url, referrer: _referrer, ...others } = page;
  return { ...event, page: { ...others, url: hostOnly(url) } };
}
