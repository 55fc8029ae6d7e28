import { REDACTED } from '@culprit/contract/events/secret-keys';
import { TRUNCATED_MARK } from '../../events/envelope/clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { redactText } from '../../events/redact/redact-values.ts';
import { holdsSecret } from '../../events/redact/secret-members.ts';
import { stripAddress, stripAddresses, stripTraceAddresses } from '../../events/redact/strip-url-secrets.ts';

/** The depth limit is beyond what the event intake accepts (8 levels plus the document's own); a guard, not a rule. */
const DEPTH_MAX = 64;

/**
 * A copy of the value with listed keys and secret-looking text replaced (docs/contract/incidents.md 3.7). Must run
 * before text is cut: half a credential no longer looks like one. Maps have no prototype, so a key `__proto__` stays a
 * plain key.
 */
export function redactValue(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return TRUNCATED_MARK;
  if (Array.isArray(value)) return redactList(value, depth);
  return redactMap(value, depth);
}

const FLAG = /^--?[a-z]/i;

/** A list, also of arguments (`["--password", "hunter2"]`) and of pairs (`[["password", "hunter2"]]`). */
function redactList(list: readonly JsonValue[], depth: number): JsonValue[] {
  const isOfPairs = list.every((item) => Array.isArray(item) && item.length === 2);
  return list.map((item, at) => {
    const before = list[at - 1];
    if (typeof before === 'string' && FLAG.test(before) && typeof item === 'string' && !FLAG.test(item)) {
      if (holdsSecret(before, item)) return REDACTED;
    }
    if (isOfPairs && Array.isArray(item)) {
      const [name = null, value = null] = item;
      if (typeof name === 'string' && holdsSecret(name, value)) return [name, REDACTED];
    }
    return redactValue(item, depth + 1);
  });
}

/** A member that names the value beside it: `{name: 'password', value: 'hunter2'}`. */
const NAMING = ['name', 'key', 'field', 'header', 'label', 'id', 'Name', 'Key'] as const;
const NAMED = /(?:value|^content)$/i;

function isNamedSecret(map: JsonObject, key: string, value: JsonValue): boolean {
  if (!NAMED.test(key)) return false;
  // `ParameterValue` belongs to `ParameterKey`.
  const prefix = key.replace(NAMED, '');
  return NAMING.some((naming) => {
    const name = map[prefix + naming];
    return typeof name === 'string' && holdsSecret(name, value);
  });
}

/** `redactValue` of an object. Whatever else it holds, a map called headers is read as `redactHeaders` does. */
export function redactMap(map: JsonObject, depth = 0): JsonObject {
  const redacted: JsonObject = Object.create(null);
  for (const [key, value] of Object.entries(map)) {
    if (holdsSecret(key, value) || isNamedSecret(map, key, value)) redacted[key] = REDACTED;
    else if (isJsonObject(value) && map.kind === 'Secret' && MANIFEST_DATA.test(key))
      redacted[key] = Object.fromEntries(Object.keys(value).map((name) => [name, REDACTED]));
    else if (RAW_HEADERS.test(key) && Array.isArray(value))
      redacted[key] = redactRawHeaders(value, depth + 1);
    else if (isJsonObject(value) && HEADERS_KEY.test(key)) redacted[key] = redactHeaders(value, depth + 1);
    else redacted[key] = redactValue(value, depth + 1);
  }
  return redacted;
}

/** The members of a Kubernetes secret that hold its values. */
const MANIFEST_DATA = /^(?:data|stringData)$/;
const HEADERS_KEY = /headers$/i;
/** Node's list of names and values by turns. */
const RAW_HEADERS = /^raw_?headers$/i;

function redactRawHeaders(list: readonly JsonValue[], depth: number): JsonValue[] {
  return list.map((item, at) => {
    const name = at % 2 === 1 ? list[at - 1] : undefined;
    return typeof name === 'string' && holdsSecret(name, item) ? REDACTED : redactValue(item, depth + 1);
  });
}

/**
 * `redactMap` of HTTP headers, whose addresses lose user-info, query and fragment (docs/contract/incidents.md 3.7): a
 * `Referer` or `Location` often carries a password reset or a sign-in code. Absolute addresses are found in every
 * header, relative ones in those that hold nothing else.
 */
export function redactHeaders(headers: JsonObject, depth = 0): JsonObject {
  const redacted = redactMap(headers, depth);
  for (const [name, value] of Object.entries(redacted)) {
    redacted[name] = withoutQueries(value, ADDRESS_HEADER.test(name) ? stripAddress : stripAddresses);
  }
  return redacted;
}

/** `referer`, `origin`, `location`, `refresh`, `x-original-url`, `x-rewrite-url`, `hx-current-url`, `:path` … */
const ADDRESS_HEADER = /(?:^|[-_])(?:referr?er|origin|location|redirect|refresh|ur[il])$|^:path$/i;

/** The lines of a trace, as text, list or frame objects; their addresses lose what `redactHeaders` takes. */
export function redactTrace(trace: JsonValue): JsonValue {
  return withoutQueries(redactValue(trace), stripTraceAddresses);
}

function withoutQueries(value: JsonValue, strip: (text: string) => string, depth = 0): JsonValue {
  if (typeof value === 'string') return strip(value);
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((item) => withoutQueries(item, strip, depth + 1));
  const stripped: JsonObject = Object.create(null);
  for (const [key, member] of Object.entries(value)) stripped[key] = withoutQueries(member, strip, depth + 1);
  return stripped;
}

/**
 * `redactValue` of a request or response body. Libraries often capture a body as text, and JSON of any depth is read whole.
 * Text without a secret key keeps its bytes.
 */
export function redactBody(body: JsonValue): JsonValue {
  if (typeof body !== 'string') return redactValue(body);
  return redactText(redactJsonText(body) ?? body);
}

function redactJsonText(text: string): string | null {
  if (!/^\s*[{[]/.test(text)) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  return hasListedKey(parsed) ? JSON.stringify(redactValue(asJson(parsed))) : text;
}

/** Returns the result of `JSON.parse`, which is JSON by definition. */
function asJson(parsed: unknown): JsonValue {
  return parsed as JsonValue;
}

function hasListedKey(value: unknown, depth = 0): boolean {
  if (depth >= DEPTH_MAX) return true;
  if (Array.isArray(value)) return value.some((item) => hasListedKey(item, depth + 1));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, member]) => holdsSecret(key, member) || hasListedKey(member, depth + 1),
  );
}
