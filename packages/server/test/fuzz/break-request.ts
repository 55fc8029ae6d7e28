import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import fc from 'fast-check';
import { newUuid } from '../../src/platform/ids.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { bytesOf, type Draft, escaped } from './draft-request.ts';
import {
  HOSTILE_CURSORS,
  HOSTILE_ESCAPES,
  HOSTILE_HEADERS,
  HOSTILE_JSON,
  HOSTILE_TEXTS,
  METHODS,
  WRONG_BODIES,
  WRONG_MEDIA_TYPES,
} from './hostile-values.ts';
import { valuesOf } from './schema-values.ts';

/** One way to change a request. False when there is nothing in this one to change so. */
type Change = (draft: Draft, endpoint: Endpoint, random: SeededRandom) => boolean;

/** Other requests that the schemas allow. */
const VARIATIONS: Readonly<Record<string, Change>> = {
  'another body': (draft, { body }, random) => {
    // What is wrong already would be put right again.
    if (draft.isWrong || !isJsonObject(draft.json) || body === undefined || body === 'none') return false;
    const made = sampleOf(body, random);
    if (!isJsonObject(made)) return false;
    // Ids of things that exist, and often the rest too: other ids are not found, and nothing behind that is reached.
    const kept = Object.entries(draft.json).filter(([name]) => /_ids?$/.test(name) || random.chance(0.5));
    draft.json = { ...made, ...Object.fromEntries(kept) };
    return true;
  },
  'another query': (draft, { query }, random) => {
    if (draft.isWrong || query === undefined) return false;
    const made = sampleOf(query, random);
    if (!isJsonObject(made)) return false;
    const kept = draft.query.filter(([name]) => /_ids?$/.test(name) || random.chance(0.5));
    const names = kept.map(([name]) => name);
    const others = Object.entries(made).filter(([name]) => !names.includes(name) && !/_ids?$/.test(name));
    draft.query = [
      ...kept,
      ...others.map(([name, value]): [string, string] => [escaped(name), escaped(String(value))]),
    ];
    return true;
  },
};

/** Changes after which most requests are refused, and some are another request. */
const BREAKS: Readonly<Record<string, Change>> = {
  'a field less': (draft, { body, isBodyOptional }, random) => {
    const { json } = draft;
    // The field that is wrong may be the one that goes.
    if (draft.isWrong || !isJsonObject(json) || Object.keys(json).length === 0) return false;
    const name = random.pick(Object.keys(json));
    delete json[name];
    const required: unknown = typeof body === 'object' && 'required' in body ? body.required : [];
    const isMissed = Array.isArray(required) && required.includes(name) && isBodyOptional !== true;
    draft.isWrong = isMissed && isStrict(draft);
    return true;
  },
  'a field more': (draft, _endpoint, random) => {
    const { json } = draft;
    if (!isJsonObject(json)) return false;
    const name = random.pick(['is_admin', 'user_id', '__proto__', 'constructor', '', '\0', '$where', 'é']);
    draft.json = Object.fromEntries([...Object.entries(json), [name, { role: 'owner' }]]);
    draft.isWrong ||= isStrict(draft);
    return true;
  },
  'a hostile text': (draft, _endpoint, random) => replaceOne(draft, random, random.pick(HOSTILE_TEXTS)),
  'a hostile value': (draft, _endpoint, random) => {
    const hole = `hole ${random.integer(0, 1e9)}`;
    if (draft.bytes !== null || !replaceOne(draft, random, hole)) return false;
    const text = JSON.stringify(draft.json).replace(JSON.stringify(hole), () => random.pick(HOSTILE_JSON));
    draft.bytes = Buffer.from(text);
    return true;
  },
  'a body that is none': (draft, endpoint, random) => {
    if (endpoint.body === undefined) return false;
    draft.bytes = random.pick(WRONG_BODIES);
    draft.isWrong ||= isStrict(draft) && endpoint.body !== 'none';
    return true;
  },
  'a body cut off': (draft, _endpoint, random) => {
    const bytes = bytesOf(draft);
    if (bytes === null || bytes.length < 2) return false;
    draft.bytes = bytes.subarray(0, random.integer(1, bytes.length - 1));
    return true;
  },
  'a body nobody asked for': (draft, { body }, random) => {
    if (body !== undefined && body !== 'none') return false;
    draft.bytes = Buffer.from(random.pick(['{}', '{"a":1}', 'x', ' '.repeat(5_000)]));
    return true;
  },
  'another media type': (draft, { body, isBodyOptional }, random) => {
    if (bytesOf(draft) === null) return false;
    setHeader(draft, 'content-type', random.pick(WRONG_MEDIA_TYPES));
    // An empty object is no body where the body is optional (docs/contract/notifications.md 3.7), and has no type.
    const isNoBody = isBodyOptional === true && JSON.stringify(draft.json) === '{}';
    const hasBody = body !== undefined && body !== 'none' && draft.bytes === null && !isNoBody;
    draft.isWrong ||= isStrict(draft) && hasBody;
    return true;
  },
  'another path': (draft, _endpoint, random) => {
    const names = [...draft.params.keys()];
    if (names.length === 0) return false;
    const name = random.pick(names);
    const kept = draft.params.get(name) ?? '';
    draft.params.set(
      name,
      random.pick([
        random.pick(HOSTILE_ESCAPES),
        escaped(random.pick(HOSTILE_TEXTS)),
        newUuid(),
        kept.toUpperCase(),
        `${kept}%20`,
        `${kept}${random.pick(HOSTILE_ESCAPES)}`,
        kept.slice(1),
        kept.replace(/^[a-z]+_/, 'tok_'),
      ]),
    );
    return true;
  },
  'an unknown query parameter': (draft, { ignoresUnknownQuery }, random) => {
    const name = random.pick(['unknown', '__proto__', 'limit%5B%5D', 'a[b]', 'constructor', 'access_token']);
    draft.query.splice(random.integer(0, draft.query.length), 0, [name, 'x']);
    draft.isWrong ||= isStrict(draft) && ignoresUnknownQuery !== true;
    return true;
  },
  'a query parameter twice': (draft, _endpoint, random) => {
    if (draft.query.length === 0) return false;
    const [name] = random.pick(draft.query);
    draft.query.push([name, random.pick(['x', '', '1'])]);
    draft.isWrong ||= isStrict(draft);
    return true;
  },
  'a hostile query parameter': (draft, { query }, random) => {
    // It takes the place of those of its name.
    if (draft.isWrong) return false;
    const names = [...Object.keys(query?.properties ?? {}), 'unknown'];
    const value = random.pick([
      random.pick(HOSTILE_ESCAPES),
      escaped(random.pick(HOSTILE_TEXTS)),
      random.pick(['0', '101', '-1', '1e1', '1.0', '+5', '05', '0x5', '%EF%BC%95']),
      escaped(random.pick(HOSTILE_CURSORS)),
    ]);
    const name = random.pick(names);
    draft.query = draft.query.filter(([other]) => other !== name);
    draft.query.push([name, random.chance(0.1) ? null : value]);
    return true;
  },
  'another method': (draft, { method }, random) => {
    draft.method = random.pick(METHODS.filter((other) => other !== method));
    return true;
  },
  'a hostile header': (draft, _endpoint, random) => {
    const [name, value] = random.pick(HOSTILE_HEADERS);
    setHeader(draft, name, value);
    return true;
  },
  'another credential': (draft, _endpoint, random) => {
    const kept = draft.headers.find(([name]) => name === 'authorization')?.[1] ?? 'Bearer svc_mem_';
    const value = random.pick([
      '',
      'Bearer',
      `${kept}x`,
      kept.slice(0, -1),
      kept.replace('Bearer ', ''),
      kept.replace('Bearer', 'Basic'),
      `${kept}, ${kept}`,
      'Bearer svc_mem___proto__',
      `Bearer ${'a'.repeat(4_000)}`,
      'Bearer \u00e4\u00ff',
      "Bearer svc_mem_' or '1'='1",
    ]);
    setHeader(draft, 'authorization', value);
    return true;
  },
};

/** Changes a request in `count` ways: of each other, of what is allowed too. */
export function breakRequest(draft: Draft, endpoint: Endpoint, random: SeededRandom, count: number): void {
  change(draft, endpoint, random, { ...VARIATIONS, ...BREAKS }, count);
}

/** Makes another request of it that the schemas allow. */
export function varyRequest(draft: Draft, endpoint: Endpoint, random: SeededRandom): void {
  change(draft, endpoint, random, VARIATIONS, 2);
}

function change(
  draft: Draft,
  endpoint: Endpoint,
  random: SeededRandom,
  changes: Readonly<Record<string, Change>>,
  count: number,
): void {
  for (let left = count; left > 0; left -= 1) {
    const name = random.pick(Object.keys(changes));
    if (changes[name]?.(draft, endpoint, random) === true) draft.breaks.push(name);
  }
}

function sampleOf(schema: unknown, random: SeededRandom): JsonValue {
  const [value = null] = fc.sample(valuesOf(schema), { seed: random.integer(0, 2 ** 31 - 1), numRuns: 1 });
  return value;
}

/** The rule of docs/contract/account.md 0 holds but for what judges its requests itself, event by event. */
function isStrict({ headers }: Draft): boolean {
  return !headers.some(([name, value]) => name === 'authorization' && value.includes('svc_proj_'));
}

function setHeader(draft: Draft, name: string, value: string): void {
  draft.headers = [...draft.headers.filter(([other]) => other !== name), [name, value]];
}

/** Puts a value in the place of one of the body's, at any depth. */
function replaceOne(draft: Draft, random: SeededRandom, value: JsonValue): boolean {
  const places = placesIn(draft.json ?? null);
  if (places.length === 0) return false;
  const { holder, key } = random.pick(places);
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else holder[key] = value;
  return true;
}

function placesIn(value: JsonValue): { holder: JsonObject | JsonValue[]; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [{ holder: value, key }, ...placesIn(item)]);
}
