import type { ReadyRule, ReadyShape } from '../envelope/event-shapes.ts';
import { fits } from '../envelope/field-fault.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { setOwn } from '../envelope/own-property.ts';

/** Unnamed content of so many items of one list is collected; the result is bounded as an open map anyway. */
const ITEMS_MAX = 200;

/**
 * The keys of an object that its table does not name, sub-objects and list items included, under the same nesting
 * (docs/contract/ingestion.md 1.6). Null when there are none. Values are the event's own; bound them before keeping
 * them.
 */
export function collectUnnamed(shape: ReadyShape, object: JsonObject): JsonObject | null {
  return unnamedOf(shape, object, unnamedBelow);
}

function unnamedOf(
  shape: ReadyShape,
  object: JsonObject,
  below: (rule: ReadyRule, value: JsonValue) => JsonValue,
): JsonObject | null {
  let unnamed: JsonObject | null = null;
  for (const key in object) {
    const rule = shape.keys.get(key);
    const value = object[key];
    if (value === undefined) continue;
    const content = rule === undefined ? value : below(rule, value);
    if (content === null && rule !== undefined) continue;
    unnamed ??= {};
    setOwn(unnamed, key, content);
  }
  return unnamed;
}

function unnamedBelow(rule: ReadyRule, value: JsonValue): JsonValue {
  if (rule.kind === 'lenient') return misfit(rule.rule, value);
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

/** Returns the unread part of a lenient field: the value, or the entries and members of it that do not fit. */
function misfit(rule: ReadyRule, value: JsonValue): JsonValue {
  if (value === null) return null;
  if (rule.kind === 'list' && Array.isArray(value)) {
    return unnamedOfItems({ kind: 'lenient', rule: rule.items }, value);
  }
  if (rule.kind === 'object' && isJsonObject(value)) return unnamedOf(rule.shape, value, misfit);
  return fits(rule, value) ? null : value;
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
