import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';

/** The value under a key the client chose; null when absent. Own keys only, so `__proto__` reads nothing. */
export function valueAt(map: JsonObject | null, key: string): JsonValue {
  return map !== null && Object.hasOwn(map, key) ? (map[key] ?? null) : null;
}

/** A non-blank string under the key, else null. */
export function textAt(map: JsonObject | null, key: string): string | null {
  const value = valueAt(map, key);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** A finite number under the key, else null. */
export function numberAt(map: JsonObject | null, key: string): number | null {
  const value = valueAt(map, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A boolean under the key, else null. */
export function booleanAt(map: JsonObject | null, key: string): boolean | null {
  const value = valueAt(map, key);
  return typeof value === 'boolean' ? value : null;
}

/** A non-empty object under the key, else null. */
export function mapAt(map: JsonObject | null, key: string): JsonObject | null {
  const value = valueAt(map, key);
  return isJsonObject(value) && Object.keys(value).length > 0 ? value : null;
}

/** The value of a header, whatever its letter case; a list gives its first member. Null when absent or not text. */
export function headerText(headers: JsonObject, name: string): string | null {
  for (const key of Object.keys(headers)) {
    if (key.toLowerCase() !== name) continue;
    const value = valueAt(headers, key);
    const first = Array.isArray(value) ? value[0] : value;
    if (typeof first === 'string' && first.trim() !== '') return first.trim();
  }
  return null;
}
