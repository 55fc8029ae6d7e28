import { type ReadyShape, readyEnvelope } from '../../../evidence/src/events/envelope/event-shapes.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../evidence/src/events/envelope/json.ts';

/** Own and published name of the library in browsers: which of the two it was is kept. */
const OWN_LIBRARY = '@culprit/browser';
const PUBLISHED_LIBRARY = '@debugbundle/sdk-browser';
/** The fields of the envelope that only the server sets. */
const REMOVED_FIELDS = ['project_token', 'project_id', 'organization_id', 'event_class', 'fingerprint'];
/** With the token of a server they would raise what a browser has no say in. */
const REMOVED_CONTEXT = ['severity', 'verification', 'verification_type'];
const REMOVED_HEADERS = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'proxy-authorization',
]);
const HEADER_FIELDS = new Set(['headers', 'request_headers', 'response_headers']);

/** Changes an event of a browser into what may be sent with the token of a server (docs/contract/clients.md 12.2). */
export function rewriteEvent(
  event: JsonObject,
  { service, environment }: { service: string | null; environment: string | null },
): void {
  for (const key of REMOVED_FIELDS) delete event[key];
  removeUnknownKeys(readyEnvelope, event);
  removeFromContext(event.context);
  const { payload } = event;
  if (isJsonObject(payload)) {
    removeFromContext(payload.context);
    removeHeaders(payload);
  }
  nameLibrary(event);
  const named = event.service;
  if (!isJsonObject(named)) return;
  named.runtime = 'browser';
  if (service !== null) named.name = service;
  if (environment !== null) named.environment = environment;
}

/** Keys of closed objects that no table lists: the server would refuse the event for them. */
function removeUnknownKeys(shape: ReadyShape, object: JsonObject): void {
  for (const key of Object.keys(object)) {
    const rule = shape.keys.get(key);
    if (rule === undefined) {
      delete object[key];
      continue;
    }
    const value = object[key];
    if (rule.kind === 'object' && rule.shape.closed && isJsonObject(value))
      removeUnknownKeys(rule.shape, value);
  }
}

function removeFromContext(context: JsonValue | undefined): void {
  if (!isJsonObject(context)) return;
  for (const key of REMOVED_CONTEXT) delete context[key];
}

/** Wherever a payload has headers, those of breadcrumbs included. The depth of an event is bounded before. */
function removeHeaders(value: JsonValue | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) removeHeaders(item);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key of Object.keys(value)) {
    const inner = value[key];
    if (HEADER_FIELDS.has(key) && isJsonObject(inner)) removeSecretHeaders(inner);
    removeHeaders(inner);
  }
}

function removeSecretHeaders(headers: JsonObject): void {
  for (const name of Object.keys(headers)) {
    if (REMOVED_HEADERS.has(name.trim().toLowerCase())) delete headers[name];
  }
}

function nameLibrary(event: JsonObject): void {
  const { sdk } = event;
  const seed = isJsonObject(sdk) ? sdk : null;
  const isPublished = [event.sdk_name, seed?.name].includes(PUBLISHED_LIBRARY);
  const name = isPublished ? PUBLISHED_LIBRARY : OWN_LIBRARY;
  if (seed !== null) seed.name = name;
  if (seed === null || event.sdk_name !== undefined) event.sdk_name = name;
}
