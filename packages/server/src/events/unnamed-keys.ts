import type { ReadyRule, ReadyShape } from './event-shapes.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { setOwn } from './own-property.ts';

/** Unnamed content of so many items of one list is collected; the result is bounded as an open map anyway. */
const ITEMS_MAX = 200;

/**
 * The keys of an object that its table does not name, sub-objects and list items included, under the same nesting
 * (ingestion.md 1.6). Null when there are none. Values are the event's own; bound them before keeping them.
 */
export function collectUnnamed(shape: ReadyShape, object: JsonObject): JsonObject | null {
  let unnamed: JsonObject | null = null;
  for (const key in object) {
    const rule = shape.keys.get(key);
    const value = object[key];
    if (value === undefined) continue;
    const content = rule === undefined ? value : unnamedBelow(rule, value);
    if (content === null && rule !== undefined) continue;
    unnamed ??= {};
    setOwn(unnamed, key, content);
  }
  return unnamed;
}

function unnamedBelow(rule: ReadyRule, value: JsonValue): JsonObject | null {
  if (typeof value !== 'object' || value === null) return null;
  switch (rule.kind) {
    case 'object':
      return isJsonObject(value) ? collectUnnamed(rule.shape, value) : null;
    case 'list':
      return Array.isArray(value) ? unnamedOfItems(rule.items, value) : null;
    case 'either': {
      const kind = Array.isArray(value) ? 'list' : 'object';
      const fitting = rule.rules.find((each) => each.kind === kind);
      return fitting === undefined ? null : unnamedBelow(fitting, value);
    }
    default:
      return null;
  }
}

/** Keyed by the place in the list. */
function unnamedOfItems(rule: ReadyRule, items: readonly JsonValue[]): JsonObject | null {
  let unnamed: JsonObject | null = null;
  for (let i = 0; i < items.length && i < ITEMS_MAX; i += 1) {
    const content = unnamedBelow(rule, items[i] ?? null);
    if (content === null) continue;
    unnamed ??= {};
    unnamed[String(i)] = content;
  }
  return unnamed;
}
