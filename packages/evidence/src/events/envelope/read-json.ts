import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** The replacement of an absent object; frozen, because it is shared. */
export const EMPTY: JsonObject = Object.freeze({});

/** The object itself; an empty one for everything else, `[]` included. */
export function objectOrEmpty(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : EMPTY;
}

/** The object when it has at least one key, else null. */
export function filledObjectOrNull(value: JsonValue | undefined): JsonObject | null {
  if (!isJsonObject(value)) return null;
  for (const _ in value) return value;
  return null;
}

/** PHP writes an empty map this way. */
export function isEmptyList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length === 0;
}

export function listOrEmpty(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Finite, and never minus zero. */
export function numberOrNull(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value + 0 : null;
}

/** A whole number from zero to the largest that is exact. */
export function countOrNull(value: JsonValue | undefined): number | null {
  return Number.isSafeInteger(value) && typeof value === 'number' && value >= 0 ? value + 0 : null;
}

export function booleanOrNull(value: JsonValue | undefined): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** The first value that says something; null and empty text do not. */
export function firstFilled(...values: (JsonValue | undefined)[]): JsonValue | undefined {
  return values.find((value) => value !== undefined && value !== null && value !== '');
}
