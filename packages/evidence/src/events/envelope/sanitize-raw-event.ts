import { isRedactedKey, REDACTED_MARK, redactedKeys } from '../redact/redacted-keys.ts';
import { hashUserId } from '../redact/user-id-hash.ts';
import { TRUNCATED_MARK } from './clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { getOwn, setOwn } from './own-property.ts';

/** Intake refuses deeper events; what would lie deeper is not kept. */
const DEPTH_MAX = 64;

/**
 * The event as it may be stored (docs/contract/ingestion.md 1.5, docs/contract/incidents.md 3.7): without the
 * envelope's `project_token`, with the values of listed keys redacted at any depth, and with raw user ids of `context`
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
 * Whether `sanitizeRawEvent` could change any event in these bytes, a whole body or a single event. Decided in one
 * linear pass; false only when no event holds a key it looks for, however the key is spelled, or a listed key holds
 * the mark already, as client libraries leave it. Text that quotes such a key, or spells letters as escapes, may
 * answer true for nothing.
 */
export function mayNeedSanitizing(bytes: Buffer): boolean {
  return TELLTALE.test(bytes.toString('latin1'));
}

/**
 * A key stands between quotes and before a colon. One letter of it written as an escape is `\u002d`, `\u005f` or one
 * of the ASCII letters, so those escapes count as a find; others, such as the `\u003c` of HTML-safe encoders, cannot
 * be part of a listed key. `user` stands for `context.user.id`.
 */
const TELLTALE = new RegExp(
  `"(?:${[...redactedKeys, 'user_id', 'user'].join('|')})"\\s*:(?!\\s*(?-i:"\\[REDACTED\\]"))` +
    '|"project_token"\\s*:' +
    '|\\\\u00(?:2d|5f|[46][1-9a-f]|[57][0-9a])',
  'i',
);

function sanitizedValue(key: string, value: JsonValue, depthLeft: number): JsonValue {
  return isRedactedKey(key) ? REDACTED_MARK : sanitizedContent(value, depthLeft);
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

/** Null, empty and redacted text name nobody and stay; an id that is neither text nor a number is redacted. */
function hashProperty(object: JsonObject, key: string, projectUserKey: Uint8Array): void {
  const id = getOwn(object, key);
  if (id === undefined || id === null || id === '' || id === REDACTED_MARK) return;
  object[key] =
    typeof id === 'string' || typeof id === 'number' ? hashUserId(projectUserKey, String(id)) : REDACTED_MARK;
}
