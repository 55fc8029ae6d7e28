import { REDACTED } from '@culprit/contract/events/secret-keys';
import { holdsSecret, isSecretKey } from '../redact/secret-members.ts';
import { hashUserId } from '../redact/user-id-hash.ts';
import { TRUNCATED_MARK } from './clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { getOwn, setOwn } from './own-property.ts';

/** The event intake refuses deeper events; deeper values are not kept. */
const DEPTH_MAX = 64;

/**
 * The event as it may be stored (docs/contract/ingestion.md 1.5, docs/contract/incidents.md 3.7): without the
 * envelope's `project_token`, with the values of secret keys redacted at any depth, and with raw user ids of `context`
 * and `payload.context` hashed. Returns new objects; keys such as `__proto__` stay plain data.
 */
export function sanitizeRawEvent(event: JsonObject, projectUserKey: Uint8Array): JsonObject {
  const sanitized: JsonObject = {};
  for (const key of Object.keys(event)) {
    if (key !== 'project_token') setOwn(sanitized, key, sanitizedValue(key, event[key] ?? null, DEPTH_MAX));
  }
  hashUserIds(getOwn(sanitized, 'context'), projectUserKey);
  const payload = getOwn(sanitized, 'payload');
  if (isJsonObject(payload)) hashUserIds(getOwn(payload, 'context'), projectUserKey);
  return sanitized;
}

/**
 * Returns true if `sanitizeRawEvent` could change any event in these bytes, a whole body or a single event. Decided in
 * one linear pass; false only when every key that it searches for holds the mark already, as client libraries leave it.
 * For a key with an escape the result can be true without need.
 */
export function mayNeedSanitizing(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  for (let open = text.indexOf('"'); open !== -1; ) {
    let close = text.indexOf('"', open + 1);
    while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
    if (close === -1) return false;
    const colon = behindBlanks(text, close + 1);
    if (text.charCodeAt(colon) === COLON && mayBeChanged(text, open + 1, close, colon + 1)) return true;
    open = text.indexOf('"', colon);
  }
  return false;
}

function mayBeChanged(text: string, start: number, end: number, value: number): boolean {
  const bytes = text.slice(start, Math.min(end, start + KEY_BYTES_MAX));
  const key = BEYOND_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
  return isSearchedKey(key) && !text.startsWith(MARK, behindBlanks(text, value));
}

/** Events have the same keys again and again, and to judge one takes ten times as long as to find it. */
const KEYS_REMEMBERED_MAX = 4_096;
const KEY_CHARS_REMEMBERED_MAX = 64;
const searchedKeys = new Map<string, boolean>();

function isSearchedKey(key: string): boolean {
  const known = searchedKeys.get(key);
  if (known !== undefined) return known;
  const isSearched = key.includes('\\') || USER_KEY.test(key) || isSecretKey(key);
  if (key.length > KEY_CHARS_REMEMBERED_MAX) return isSearched;
  if (searchedKeys.size >= KEYS_REMEMBERED_MAX) searchedKeys.clear();
  // A copy, because a part of a text keeps all of the text in memory.
  searchedKeys.set(Buffer.from(key).toString(), isSearched);
  return isSearched;
}

const BEYOND_ASCII = /[\x80-\xff]/;
const COLON = 0x3a;
/** The characters of a key that are judged (`secret-keys.ts`), in any script. */
const KEY_BYTES_MAX = 512;
const MARK = `"${REDACTED}"`;

function behindBlanks(json: string, from: number): number {
  let at = from;
  while (isBlank(json.charCodeAt(at))) at += 1;
  return at;
}

/** Space, tab, line feed and carriage return (RFC 8259 2). */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** By an odd number of backslashes. */
function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json.charCodeAt(before) === 0x5c) before -= 1;
  return (at - before) % 2 === 0;
}

/** `user` may be `context.user.id`. */
const USER_KEY = /^user(?:_id)?$/;

function sanitizedValue(key: string, value: JsonValue, depthLeft: number): JsonValue {
  return holdsSecret(key, value) ? REDACTED : sanitizedContent(value, depthLeft);
}

function sanitizedContent(value: JsonValue, depthLeft: number): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (depthLeft === 0) return TRUNCATED_MARK;
  if (Array.isArray(value)) return value.map((item) => sanitizedContent(item, depthLeft - 1));
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    setOwn(copy, key, sanitizedValue(key, value[key] ?? null, depthLeft - 1));
  }
  return copy;
}

/** `user_id` and `user.id` of a context; the objects are ours, so they are changed in place. */
function hashUserIds(context: JsonValue | undefined, projectUserKey: Uint8Array): void {
  if (!isJsonObject(context)) return;
  hashProperty(context, 'user_id', projectUserKey);
  const user = getOwn(context, 'user');
  if (isJsonObject(user)) hashProperty(user, 'id', projectUserKey);
}

/** Null, empty and redacted text name no user and stay; an id that is neither text nor a number is redacted. */
function hashProperty(object: JsonObject, key: string, projectUserKey: Uint8Array): void {
  const id = getOwn(object, key);
  if (id === undefined || id === null || id === '' || id === REDACTED) return;
  object[key] =
    typeof id === 'string' || typeof id === 'number' ? hashUserId(projectUserKey, String(id)) : REDACTED;
}
