import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import { setOwn } from '@culprit/evidence/events/envelope/own-property';
import { expect } from 'vitest';
import type { Answer } from '../support/send-events.ts';

/** The notation of the acceptance checklist, docs/contract/ingestion.md section 9. */

export interface CaseFile {
  fixtures: Map<string, JsonObject>;
  cases: ContractCase[];
}

export interface ContractCase {
  id: string;
  title: string;
  note: string | null;
  steps: CaseStep[];
}

/** `given`, `when` and `then` of a case or of one of its steps. */
interface CaseStep {
  given: string | null;
  request: JsonObject | null;
  expected: JsonObject | null;
  save: JsonObject;
}

const CASE_KEYS = new Set(['id', 'title', 'given', 'when', 'then', 'steps', 'save', 'note']);
const STEP_KEYS = new Set(['given', 'when', 'then', 'save']);

/** Reads fixtures and cases; a key the notation does not have is an error, so that nothing is passed over. */
export function readCaseFile(path: string): CaseFile {
  const fixtures = new Map<string, JsonObject>();
  const cases: ContractCase[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const entry: unknown = JSON.parse(line);
    if (!isJsonObject(entry)) throw new Error(`no case: ${line}`);
    if (typeof entry.fixture === 'string') fixtures.set(entry.fixture, objectAt(entry, 'event'));
    else cases.push(readCase(entry));
  }
  return { fixtures, cases };
}

function readCase(entry: JsonObject): ContractCase {
  assertKeys(entry, CASE_KEYS);
  const { id, title, note = null, steps = [] } = entry;
  if (typeof id !== 'string' || typeof title !== 'string' || !Array.isArray(steps)) {
    throw new Error(`no case: ${JSON.stringify(entry)}`);
  }
  const first = readStep(entry);
  const later = steps.map((step) => {
    if (!isJsonObject(step)) throw new Error(`no step in ${id}`);
    assertKeys(step, STEP_KEYS);
    return readStep(step);
  });
  return { id, title, note: textOrNull(note), steps: [first, ...later] };
}

function readStep(entry: JsonObject): CaseStep {
  return {
    given: textOrNull(entry.given ?? null),
    request: entry.when === undefined ? null : objectAt(entry, 'when'),
    expected: entry.then === undefined ? null : objectAt(entry, 'then'),
    save: entry.save === undefined ? {} : objectAt(entry, 'save'),
  };
}

function assertKeys(entry: JsonObject, known: ReadonlySet<string>): void {
  const unknown = Object.keys(entry).find((key) => !known.has(key));
  if (unknown !== undefined) throw new Error(`the notation has no "${unknown}"`);
}

function textOrNull(value: JsonValue): string | null {
  if (value !== null && typeof value !== 'string') throw new Error(`no text: ${JSON.stringify(value)}`);
  return value;
}

function objectAt(entry: JsonObject, key: string): JsonObject {
  const value = entry[key];
  if (!isJsonObject(value)) throw new Error(`no object "${key}": ${JSON.stringify(entry)}`);
  return value;
}

/** What stands behind names and saved values while a case runs. */
export interface CaseNames {
  fixtures: ReadonlyMap<string, JsonObject>;
  /** Saved by earlier steps, for `$name`. */
  saved: ReadonlyMap<string, string>;
  /** The token behind a name such as `SOLO`, or the id behind one such as `solo`; null for other text. */
  tokenNamed(name: string): string | null;
}

/** Writes out a value of a request: fixtures, saved values, token names, described values. */
export function writeOut(value: JsonValue, names: CaseNames): JsonValue {
  if (typeof value === 'string') return writeOutText(value, names);
  if (Array.isArray(value)) {
    return value.flatMap((item) =>
      isJsonObject(item) && item.$ev !== undefined ? fixtureEvents(item, names) : [writeOut(item, names)],
    );
  }
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, each] of Object.entries(value)) setOwn(copy, key, writeOut(each, names));
  return copy;
}

/** Text with `$name` in it, the name of a token, or the description of a value in angle brackets. */
export function writeOutText(text: string, names: CaseNames): string {
  const described = /^<(\d+) (characters|bytes)>$/.exec(text);
  if (described !== null) {
    const length = Number(described[1]);
    return described[2] === 'characters' ? 'x'.repeat(length) : bodyOfBytes(length, names);
  }
  return (
    names.tokenNamed(text) ??
    text.replace(/\$([a-z]+)/g, (_match, name: string) => {
      const saved = names.saved.get(name);
      if (saved === undefined) throw new Error(`no step saved "${name}"`);
      return saved;
    })
  );
}

/** A batch that is fine but for its size, so that nothing else can be the reason of a refusal. */
function bodyOfBytes(sizeBytes: number, names: CaseNames): string {
  const body = JSON.stringify({ events: fixtureEvents({ $ev: 'A', set: { 'payload.message': '' } }, names) });
  return body.replace('"message":""', `"message":"${'x'.repeat(sizeBytes - body.length)}"`);
}

function fixtureEvents(entry: JsonObject, names: CaseNames): JsonValue[] {
  const { $ev: name, set = {}, unset = [], n = 1, ...rest } = entry;
  const fixture = names.fixtures.get(String(name));
  if (fixture === undefined || !isJsonObject(set) || !Array.isArray(unset) || typeof n !== 'number') {
    throw new Error(`no fixture event: ${JSON.stringify(entry)}`);
  }
  assertKeys(rest, new Set());
  return Array.from({ length: n }, () => {
    const event = structuredClone(fixture);
    event.event_id = randomUUID();
    for (const [path, value] of Object.entries(set)) setAt(event, path, writeOut(value, names));
    for (const path of unset) unsetAt(event, String(path));
    return event;
  });
}

function setAt(event: JsonObject, path: string, value: JsonValue): void {
  const { holder, key } = holderOf(event, path);
  holder[key] = value;
}

function unsetAt(event: JsonObject, path: string): void {
  const { holder, key } = holderOf(event, path);
  delete holder[key];
}

function holderOf(event: JsonObject, path: string): { holder: JsonObject; key: string } {
  const steps = path.split('.');
  const key = steps.pop() ?? '';
  let holder = event;
  for (const step of steps) {
    holder[step] ??= {};
    const next = holder[step];
    if (!isJsonObject(next)) throw new Error(`nothing can be set at ${path}`);
    holder = next;
  }
  return { holder, key };
}

const THEN_KEYS = new Set(['status', 'headers', 'body', 'has', 'ack']);

/** Compares an answer with `then`: status, listed headers, exact body, listed paths. */
export function expectAnswer(answer: Answer, then: JsonObject): void {
  assertKeys(then, THEN_KEYS);
  const { status, headers = {}, ack } = then;
  if (ack === undefined) expect(answer.status).toBe(status);
  else
    expect({ status: answer.status, body: answer.body }).toStrictEqual({ status: 202, body: ackBody(ack) });
  for (const [name, value] of Object.entries(headers ?? {})) {
    expect({ [name]: answer.headers.get(name) }).toEqual({ [name]: expectedHeader(value) });
  }
  if (then.body !== undefined) expect(answer.body).toStrictEqual(expected(then.body));
  for (const [path, value] of Object.entries(then.has ?? {})) {
    expect({ [path]: valueAt(answer, path) }).toStrictEqual({ [path]: expected(value) });
  }
}

function ackBody(ack: JsonValue): object {
  if (!Array.isArray(ack)) throw new Error(`no ack: ${JSON.stringify(ack)}`);
  const [accepted, rejected, errors] = ack;
  return { accepted, rejected, errors, probe_directives: { active_probes: [] } };
}

/** The value at a dotted path of the answer's JSON, or of its headers below `headers`. */
export function valueAt(answer: Answer, path: string): unknown {
  const [first = '', ...steps] = path.split('.');
  if (first === 'headers') return answer.headers.get(steps.join('.'));
  let value: unknown = answer.body;
  for (const step of [first, ...steps]) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isJsonObject(value) ? value[step] : undefined;
  }
  return value;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** The expected JSON with its `~` words turned into matchers. */
function expected(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(expected);
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expected(each)]));
  }
  if (typeof value !== 'string' || !value.startsWith('~')) return value;
  const length = /^~len:(\d+)$/.exec(value)?.[1];
  if (length !== undefined) {
    return expect.toSatisfy((actual: unknown) => Array.isArray(actual) && actual.length === Number(length));
  }
  switch (value) {
    case '~int':
      return expect.toSatisfy((actual: unknown) => Number.isInteger(actual));
    case '~ts':
      return expect.stringMatching(TIME);
    case '~act':
      return expect.stringMatching(new RegExp(`^act_${UUID}$`));
    case '~uuid':
      return expect.stringMatching(new RegExp(`^${UUID}$`));
    case '~str':
      return expect.stringMatching(/./s);
    default:
      throw new Error(`the notation has no ${value}`);
  }
}

/** Headers are text, also where they stand for a number. */
function expectedHeader(value: JsonValue): unknown {
  return value === '~int' ? expect.stringMatching(/^\d+$/) : expected(value);
}
