import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';

/** The relay's cases of docs/contract/ingestion.md 9.8, as they stand there. */

const CHAPTER = join(import.meta.dirname, '../../../../docs/contract/ingestion.md');

interface RelayCase {
  id: string;
  title: string;
  given: string;
  steps: { when: JsonObject; expected: JsonObject }[];
}

interface Entries {
  fixtures: Map<string, JsonObject>;
  cases: RelayCase[];
}

/** The cases T114 to T129 and the fixtures that they name. */
export function readRelayCases(): Entries {
  const fixtures = new Map<string, JsonObject>();
  const cases: RelayCase[] = [];
  for (const line of readFileSync(CHAPTER, 'utf8').split('\n')) {
    if (!line.startsWith('{')) continue;
    const entry: unknown = JSON.parse(line);
    if (!isJsonObject(entry)) continue;
    const { id, fixture, event, title, given } = entry;
    if (typeof fixture === 'string' && isJsonObject(event)) fixtures.set(fixture, event);
    if (typeof id !== 'string' || !/^T1(?:1[4-9]|2\d)$/.test(id)) continue;
    const steps = Array.isArray(entry.steps) ? entry.steps : [entry];
    cases.push({
      id,
      title: String(title),
      given: typeof given === 'string' ? given : '',
      steps: steps
        .filter(isJsonObject)
        .map(({ when, then }) => ({ when: objectOf(when), expected: objectOf(then) })),
    });
  }
  return { fixtures, cases };
}

/** The body of a step with its events written out; `raw` is text as it stands. */
export function bodyOf(when: JsonObject, fixtures: ReadonlyMap<string, JsonObject>): string | null {
  if (typeof when.raw === 'string') {
    const [, bytes] = /^<(\d+) bytes>$/.exec(when.raw) ?? [];
    return bytes === undefined ? when.raw : 'x'.repeat(Number(bytes));
  }
  return when.body === undefined ? null : JSON.stringify(expand(when.body, fixtures));
}

function expand(value: JsonValue, fixtures: ReadonlyMap<string, JsonObject>): JsonValue {
  if (Array.isArray(value)) return value.map((item) => expand(item, fixtures));
  if (!isJsonObject(value)) return value;
  const name = value.$ev;
  if (typeof name !== 'string') {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner, fixtures)]));
  }
  const event = structuredClone(objectOf(fixtures.get(name)));
  event.event_id = crypto.randomUUID();
  for (const [path, inner] of Object.entries(objectOf(value.set ?? {}))) setAt(event, path.split('.'), inner);
  return event;
}

function setAt(object: JsonObject, [key = '', ...rest]: string[], value: JsonValue): void {
  if (rest.length === 0) {
    object[key] = value;
    return;
  }
  object[key] ??= {};
  setAt(objectOf(object[key]), rest, value);
}

/** The value at a dotted path; null when there is none. */
export function at(value: JsonValue, path: string): JsonValue {
  let found: JsonValue | undefined = value;
  for (const key of path.split('.')) {
    found = Array.isArray(found) ? found[Number(key)] : isJsonObject(found) ? found[key] : undefined;
  }
  return found ?? null;
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error(`no object: ${JSON.stringify(value)}`);
  return value;
}
