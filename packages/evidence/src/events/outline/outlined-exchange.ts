import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { filledObjectOrNull } from '../envelope/read-json.ts';
import { safeText, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import { pathRouteTemplate } from '../fingerprint/route-template.ts';
import type { EventType } from '../normalize/event.ts';
import { filledBody, filledMap, filledText, hostOnly, type OutlineObject } from './outlined-parts.ts';

type Value = JsonValue | undefined;

/** Begins with a slash and has nothing in it that a reader of addresses looks for. */
const PLAIN_PATH = /^\/[\w~.-][\w~./-]{0,1023}$/;
const PARAM = '{param}';

/** The requests of an event, of which code and labels have the same. */
export interface AddressedRequests {
  inPayload: OutlineObject | undefined;
  inContext: OutlineObject | undefined;
}

export function addressedRequests(
  type: EventType,
  payload: JsonObject,
  context: JsonObject,
): AddressedRequests {
  return {
    inPayload: type === 'backend_exception' ? addressedRequest(payload.request) : undefined,
    inContext: addressedRequest(getOwn(context, 'request')),
  };
}

/** A request by its method, its route and its host; undefined where there is none. */
function addressedRequest(value: Value): OutlineObject | undefined {
  const request = filledObjectOrNull(value);
  if (request === null) return undefined;
  const path = getOwn(request, 'path');
  const template = getOwn(request, 'route_template');
  const url = getOwn(request, 'url');
  const isNamed = typeof path === 'string' && path.trim() !== '';
  return {
    method: getOwn(request, 'method'),
    path: sameRoute(path, template),
    url: isNamed ? hostOnly(url) : url,
    route_template: template,
    // Any keeps the one in the context from being read.
    other: 1,
  };
}

/** Any path of the same route, where that is known; else the path. */
function sameRoute(path: Value, template: Value): Value {
  if (typeof path !== 'string' || !PLAIN_PATH.test(path)) return path;
  if (typeof template === 'string' && template.trim() !== '') return '/x';
  if (safeText(path, TEXT_CHARS_MAX.url) !== path) return path;
  return pathRouteTemplate(path).replaceAll(PARAM, '0');
}

/** A request by its method and by what it has. */
export function presentRequest(value: Value): OutlineObject | undefined {
  const request = filledObjectOrNull(value);
  if (request === null) return undefined;
  const path = getOwn(request, 'path');
  return {
    method: getOwn(request, 'method'),
    path: typeof path === 'string' && PLAIN_PATH.test(path) ? '/x' : path,
    url: hostOnly(getOwn(request, 'url')),
    route_template: filledText(getOwn(request, 'route_template')),
    query: filledMap(getOwn(request, 'query')),
    headers: filledMap(getOwn(request, 'headers')),
    body: filledBody(getOwn(request, 'body')),
  };
}

export function presentResponse(value: Value): OutlineObject | undefined {
  const response = filledObjectOrNull(value);
  if (response === null) return undefined;
  return {
    status_code: anyStatus(response),
    headers: filledMap(getOwn(response, 'headers')),
    body: filledBody(getOwn(response, 'body')),
  };
}

function anyStatus(response: JsonObject): Value {
  const status = getOwn(response, 'status_code');
  return Number.isSafeInteger(status) && Number(status) > 0 ? 1 : status;
}
