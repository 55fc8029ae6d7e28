import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { setOwn } from '../envelope/own-property.ts';
import { outlinedRequest, outlinedResponse } from './outlined-exchange.ts';
import { filledMap, hostOnly, type OutlineTable, type Outlining, whole } from './outlined-parts.ts';

/**
 * The keys of a context that count: those of `OUTLINED` in `open-parts.ts`, and those that are read for tags and for what
 * the payload lacks.
 */
const KEYS: OutlineTable = new Map<string, Outlining>([
  ['severity', whole],
  ['user', filledMap],
  ['capture_loss', whole],
  ['environment', whole],
  ['git', whole],
  ['dependencies', whole],
  ['release', whole],
  ['tags', whole],
  ['url', hostOnly],
  ['causes', whole],
  ['request', outlinedRequest],
  ['response', outlinedResponse],
]);

/** A context by the keys that count; of all others only that there are any. */
export function outlinedContext(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return null;
  const outlined: JsonObject = {};
  let hasOthers = false;
  for (const key in value) {
    const outlining = KEYS.get(key);
    if (outlining === undefined) hasOthers = true;
    else setOwn(outlined, key, outlining(value[key] ?? null));
  }
  if (hasOthers) outlined.filled = true;
  return outlined;
}
