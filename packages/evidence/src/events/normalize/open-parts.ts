import { boundedMap, boundedValue } from '../envelope/bounded-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { EMPTY, filledObjectOrNull } from '../envelope/read-json.ts';

/** How the parts of an event are read that hold whatever a client puts there, which is most of a large event. */
export interface OpenParts {
  context(value: JsonObject): JsonObject;
  /** Headers, a query, or what no table names. */
  map(value: JsonValue | undefined): JsonObject;
  body(value: JsonValue | undefined): JsonValue;
}

/** As they are shown. */
export const WHOLE: OpenParts = { context: boundedMap, map: boundedMap, body: boundedValue };

/** What incidents are counted by besides the payload: severity, user, loss, and what would be news in a bundle. */
const COUNTED_KEYS = ['severity', 'user', 'capture_loss', 'environment', 'git', 'dependencies'] as const;
const FILLED: JsonObject = Object.freeze({ filled: true });

/**
 * As far as an event is counted by them: a few keys of the context, and of the rest whether there is anything. Nearly all
 * events are counted and no more; for those of 25 KB, this takes two fifths off the time to normalize and judge them.
 */
export const OUTLINED: OpenParts = {
  context(value) {
    const counted: JsonObject = {};
    for (const key of COUNTED_KEYS) {
      const found = getOwn(value, key);
      if (found !== undefined) counted[key] = found;
    }
    return filledObjectOrNull(counted) === null ? outlineOf(value) : boundedMap(counted);
  },
  map: outlineOf,
  body(value) {
    if (typeof value === 'string' || Array.isArray(value)) return value.length === 0 ? value : FILLED;
    return isJsonObject(value) ? outlineOf(value) : boundedValue(value);
  },
};

function outlineOf(value: JsonValue | undefined): JsonObject {
  return filledObjectOrNull(value) === null ? EMPTY : FILLED;
}
