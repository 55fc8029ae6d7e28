import type { JsonObject, JsonValue } from '../events/envelope/json.ts';
import { getOwn, setOwn } from '../events/envelope/own-property.ts';

/** Pairs as a map, as own libraries send a query: a name that is there more than once has a list. */
export function mapOfPairs(pairs: Iterable<readonly [string, JsonValue]>, entriesMax: number): JsonObject {
  const map: JsonObject = {};
  let entries = 0;
  for (const [name, value] of pairs) {
    if (entries >= entriesMax) break;
    entries += 1;
    const known = getOwn(map, name);
    setOwn(map, name, known === undefined ? value : [known, value].flat());
  }
  return map;
}
