import { REDACTED } from '@culprit/contract/events/secret-keys';
import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { getOwn, setOwn } from '../envelope/own-property.ts';
import { objectOrEmpty } from '../envelope/read-json.ts';
import { identifierOrNull } from '../envelope/safe-text.ts';
import { isHashedUserId } from '../redact/user-id-hash.ts';
import type { EventType, NormalizedEvent } from './event.ts';

const CORRELATION_CHARS_MAX = 256;

/**
 * Returns the context of an event before it is bounded: the envelope's, below it the payload's, then the fields that
 * docs/contract/ingestion.md 2 keeps in the context. An earlier value is never overwritten.
 */
export function mergedContext(type: EventType, event: JsonObject, payload: JsonObject): JsonObject {
  const merged: JsonObject = {};
  addMissing(merged, objectOrEmpty(event.context));
  addMissing(merged, objectOrEmpty(payload.context));
  addKept(merged, payload, 'source');
  const correlation = objectOrEmpty(event.correlation);
  addKept(merged, correlation, 'activity_trace_id');
  addKept(merged, correlation, 'activity_span_id');
  switch (type) {
    case 'backend_exception':
      addKept(merged, payload, 'hresult');
      addSecondUrl(merged, objectOrEmpty(payload.request));
      break;
    case 'frontend_exception':
      // Without a browser event there is no page to put it in.
      if (getOwn(payload, 'browser_event') === undefined) addKept(merged, payload, 'url');
      break;
    case 'request_event':
      for (const key of ['controller', 'action', 'attributes']) addKept(merged, payload, key);
      addSecondUrl(merged, payload);
      break;
  }
  return merged;
}

function addMissing(target: JsonObject, source: JsonObject): void {
  for (const key of Object.keys(source)) {
    if (!Object.hasOwn(target, key)) setOwn(target, key, source[key] ?? null);
  }
}

function addKept(target: JsonObject, source: JsonObject, key: string): void {
  const value = source[key];
  if (value !== undefined && value !== null && !Object.hasOwn(target, key)) target[key] = value;
}

/** A `url` beside a `path` decides nothing, but is kept. */
function addSecondUrl(target: JsonObject, request: JsonObject): void {
  if (typeof request.path === 'string') addKept(target, request, 'url');
}

/**
 * Correlation ids from `correlation`, else the context, else the payload (`trace_id`, `request_id`). The user is
 * `user_id_hash`, else the hashed `user_id` or `user.id` of the context (docs/contract/incidents.md 5.2).
 */
export function correlationOf(
  given: JsonObject,
  context: JsonObject,
  payload: JsonObject,
): NormalizedEvent['correlation'] {
  const from = (key: string) => correlationId(given[key]) ?? correlationId(getOwn(context, key));
  return {
    requestId: from('request_id') ?? correlationId(payload.request_id),
    traceId: from('trace_id') ?? correlationId(payload.trace_id),
    sessionId: from('session_id'),
    userIdHash:
      from('user_id_hash') ??
      hashedUserId(getOwn(context, 'user_id')) ??
      hashedUserId(getOwn(objectOrEmpty(getOwn(context, 'user')), 'id')),
  };
}

function correlationId(value: JsonValue | undefined): string | null {
  return identifierOrNull(value, CORRELATION_CHARS_MAX);
}

function hashedUserId(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && isHashedUserId(value) ? value : null;
}

/**
 * Redacts raw user ids. The event intake hashes them, and this code has no key to hash one that arrives here
 * nevertheless. Changes the passed context, which must be a copy.
 */
export function guardUserIds(context: JsonObject): JsonObject {
  guardUserId(context, 'user_id');
  guardUserId(objectOrEmpty(getOwn(context, 'user')), 'id');
  return context;
}

function guardUserId(object: JsonObject, key: string): void {
  const id = getOwn(object, key);
  if (id === undefined || id === null || id === '' || (typeof id === 'string' && isHashedUserId(id))) return;
  object[key] = REDACTED;
}
