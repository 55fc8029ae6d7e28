/** Any value that `JSON.parse` can return. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object with keys we do not control; read it with `Object.hasOwn`, never merge it. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** True for a plain JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
