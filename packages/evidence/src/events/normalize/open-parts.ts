import { boundedMap, boundedValue } from '../envelope/bounded-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { EMPTY, filledObjectOrNull } from '../envelope/read-json.ts';
import type { EventType } from './event.ts';

/**
 * The readers of an event's context, and of those parts of requests, responses and payloads that can hold anything a
 * client sends. Attributes of logs, trails and probe data are not among them.
 */
export interface OpenParts {
  context(value: JsonObject): JsonObject;
  /** Headers, a query, or what no table names. */
  map(value: JsonValue | undefined): JsonObject;
  body(value: JsonValue | undefined): JsonValue;
}

/** The parts in the form in which they are shown. */
export const WHOLE: OpenParts = { context: boundedMap, map: boundedMap, body: boundedValue };

/** The keys that incidents count besides the payload: severity, user, loss, and new content for a bundle. */
const COUNTED_KEYS = [
  'severity',
  'user',
  'capture_loss',
  'environment',
  'git',
  'dependencies',
  'release',
] as const;
const FILLED: JsonObject = Object.freeze({ filled: true });

/**
 * Reads only as much as counting needs: a few keys of the context, each within separate bounds, and for the rest only
 * if there is anything. Nearly all events are counted and no more; for those of 25 KB, this saves two fifths of the
 * time to normalize and judge them.
 */
const OUTLINED: OpenParts = {
  context(value) {
    const counted: JsonObject = {};
    for (const key of COUNTED_KEYS) {
      const found = getOwn(value, key);
      if (found !== undefined) Object.assign(counted, boundedMap({ [key]: found }));
    }
    return filledObjectOrNull(counted) === null ? outlineOf(value) : counted;
  },
  map: outlineOf,
  body(value) {
    if (typeof value === 'string' || Array.isArray(value)) return value.length === 0 ? value : FILLED;
    return isJsonObject(value) ? outlineOf(value) : boundedValue(value);
  },
};

/** Types that say everything in a few fields, all of which are asked for. */
const COUNTED_WHOLE: ReadonlySet<unknown> = new Set<EventType>([
  'deploy_metadata',
  'error_suppressed',
  'frontend_breadcrumb',
]);

/** Returns true if counting an event of this type requires all of it. */
export function isCountedWhole(eventType: unknown): boolean {
  return COUNTED_WHOLE.has(eventType);
}

/** Returns the parts of an event of this type that are read to count it. */
export function countedParts(eventType: unknown): OpenParts {
  return isCountedWhole(eventType) ? WHOLE : OUTLINED;
}

function outlineOf(value: JsonValue | undefined): JsonObject {
  return filledObjectOrNull(value) === null ? EMPTY : FILLED;
}
