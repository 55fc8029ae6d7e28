import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** The stack text that a log line carries in its attributes, null for none (contract incidents 5.4.2). */
export function logStack(attributes: JsonObject): string | null {
  const error = own(attributes, 'error');
  const candidates = [
    own(error, 'stack'),
    own(error, 'stacktrace'),
    own(attributes, 'stack'),
    own(attributes, 'stacktrace'),
    own(attributes, 'exception'),
  ];
  return candidates.find(isFilledText) ?? null;
}

/** The type that a log line names for its error; null when it names none. */
export function logError(attributes: JsonObject): { type: string | null } {
  const error = own(attributes, 'error');
  const type = [own(error, 'name'), own(error, 'type')].find(isFilledText) ?? null;
  return { type: type?.trim() ?? null };
}

function own(container: JsonValue, key: string): JsonValue {
  return isJsonObject(container) && Object.hasOwn(container, key) ? (container[key] ?? null) : null;
}

function isFilledText(value: JsonValue): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
