import { TRUNCATED_MARK } from '../../events/envelope/clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';

/** The values that the open parts of one event can still hold; the event intake accepts 20,000 in total. */
export interface OpenBudget {
  values: number;
}

const VALUES_MAX = 9_000;
const LEVELS_MAX = 8;
const ENTRIES_MAX = 200;

export function openBudget(): OpenBudget {
  return { values: VALUES_MAX };
}

/**
 * Returns an open value within the bounds of an event: 8 levels, 200 entries a level, and what the budget has left. A
 * value that fits, as nearly all do, is returned unchanged.
 */
export function openValue(value: JsonValue | undefined, budget: OpenBudget): JsonValue {
  if (value === undefined) return null;
  const left = budget.values;
  if (isWithin(value, LEVELS_MAX, budget)) return value;
  budget.values = left;
  return cutValue(value, LEVELS_MAX, budget);
}

/** `openValue` of a map; undefined for an empty one and for anything else. */
export function openMap(value: JsonValue | undefined, budget: OpenBudget): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const map = openValue(value, budget);
  if (!isJsonObject(map)) return undefined;
  for (const _ in map) return map;
  return undefined;
}

function isWithin(value: JsonValue, levelsLeft: number, budget: OpenBudget): boolean {
  budget.values -= 1;
  if (budget.values < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (levelsLeft === 0) return false;
  if (Array.isArray(value)) {
    if (value.length > ENTRIES_MAX) return false;
    for (const item of value) if (!isWithin(item, levelsLeft - 1, budget)) return false;
    return true;
  }
  let entries = 0;
  for (const key in value) {
    entries += 1;
    if (entries > ENTRIES_MAX || !isWithin(value[key] ?? null, levelsLeft - 1, budget)) return false;
  }
  return true;
}

function cutValue(value: JsonValue, levelsLeft: number, budget: OpenBudget): JsonValue {
  budget.values -= 1;
  if (typeof value !== 'object' || value === null) return value;
  if (levelsLeft === 0 || budget.values < 0) return TRUNCATED_MARK;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      if (items.length === ENTRIES_MAX || budget.values <= 0) {
        items.push(TRUNCATED_MARK);
        break;
      }
      items.push(cutValue(item, levelsLeft - 1, budget));
    }
    return items;
  }
  const copy: JsonObject = {};
  let entries = 0;
  for (const key in value) {
    if (entries === ENTRIES_MAX || budget.values <= 0) {
      copy[TRUNCATED_MARK] = TRUNCATED_MARK;
      break;
    }
    entries += 1;
    setOwn(copy, key, cutValue(value[key] ?? null, levelsLeft - 1, budget));
  }
  return copy;
}
