import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/events/envelope/json.ts';

/** Kinds of published client libraries whose events lie in `wire-forms`, as they come over the wire. */
export type LibraryKind =
  | 'browser-page'
  | 'go-server'
  | 'node-server'
  | 'php-server'
  | 'python-server'
  | 'ruby-server';

/** One event as a published library of this kind sends it; `payload` is laid over its own. */
export function wireForm(kind: LibraryKind, name: string, payload: JsonObject = {}): JsonObject {
  const forms = object(JSON.parse(readFileSync(new URL(`wire-forms/${kind}.json`, import.meta.url), 'utf8')));
  const event = object(forms[name]);
  return { ...event, payload: { ...object(event.payload), ...payload } };
}

function object(value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error('not a form of this library');
  return value;
}
