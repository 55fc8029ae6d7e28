import { boundedMap, boundedValue } from '../envelope/bounded-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { EMPTY, filledObjectOrNull } from '../envelope/read-json.ts';
import type { EventType } from './event.ts';

/**
 * How the context of an event is read, and those parts of requests, responses and payloads that may hold anything a client
 * sends. Attributes of logs, trails and probe data are not among them.
 */
export interface OpenParts {
  context(value: JsonObject): JsonObject;
  /** Headers, a query, or what no table names. */
  map(value: JsonValue | undefined): JsonObject;
  body(value: JsonValue | undefined): JsonValue;
}

/** As they are shown. */
export const WHOLE: OpenParts = { context: boundedMap, map: boundedMap, body: boundedValue };

/** What incidents are counted by besides the payload: severity, user, loss, and what would be news in a bundle. */
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
 * Only as much as counting needs: a few keys of the context, each within bounds of its own, and of the rest whether there
 * is anything. Nearly all events are counted and no more; for those of 25 KB, this takes two fifths off the time to
 * normalize and judge them.
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

/** Whether counting an event of this type takes all of it. */
export function isCountedWhole(eventType: unknown): boolean {
  return COUNTED_WHOLE.has(eventType);
}

/** What is read of an event of this type to count it. */
export function countedParts(eventType: unknown): OpenParts {
  return isCountedWhole(eventType) ? WHOLE : OUTLINED;
}

function outlineOf(value: JsonValue | undefined): JsonObject {
  return filledObjectOrNull(value) === null ? EMPTY : FILLED;
}
