import { isJsonObject, type JsonValue } from './json.ts';

/** Events nest at most 32 levels; deeper values count as different. */
const DEPTH_MAX = 40;

/** Returns true if two JSON values are equal: lists in order, objects without regard to the order of their keys. */
export function sameJson(a: JsonValue, b: JsonValue): boolean {
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
