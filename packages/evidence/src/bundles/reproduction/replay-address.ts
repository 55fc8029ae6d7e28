import type { JsonObject, JsonValue } from '../../events/envelope/json.ts';
import { compareText } from '../evidence/choose-evidence.ts';

const NESTED_DEPTH_MAX = 8;

/**
 * Returns a path in the form that a command needs: characters that no URL may contain are percent-encoded, existing
 * escapes stay. Brackets and braces are encoded too, because curl reads them as patterns.
 */
export function encodePath(path: string): string {
  return path.replace(/%(?![0-9a-fA-F]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, encodeCharacter);
}

/**
 * `?` and the parameters, keys sorted by code unit, percent-encoded; empty without parameters. A list repeats its key,
 * a nested object writes `key[member]`.
 */
export function encodeQuery(query: JsonObject): string {
  const pairs = encodePairs(query, true);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** A body of type `application/x-www-form-urlencoded`, keys as captured. */
export function encodeForm(fields: JsonObject): string {
  return encodePairs(fields, false).join('&');
}

function encodePairs(map: JsonObject, isSorted: boolean): string[] {
  const pairs: string[] = [];
  const keys = Object.keys(map);
  if (isSorted) keys.sort(compareText);
  for (const key of keys) appendPairs(pairs, key, map[key] ?? null, 0);
  return pairs;
}

function appendPairs(pairs: string[], name: string, value: JsonValue, depth: number): void {
  if (depth > NESTED_DEPTH_MAX) return;
  if (Array.isArray(value)) {
    for (const item of value) appendPairs(pairs, name, item, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value))
      appendPairs(pairs, `${name}[${key}]`, member, depth + 1);
  } else {
    pairs.push(`${encodeText(name)}=${value === null ? '' : encodeText(String(value))}`);
  }
}

/** `encodeURIComponent` throws on half a surrogate pair. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function encodeCharacter(character: string): string {
  // `encodeURIComponent` encodes everything that is matched here.
  return encodeText(character);
}
