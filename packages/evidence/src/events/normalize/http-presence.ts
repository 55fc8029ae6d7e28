import type { JsonObject, JsonValue } from '../envelope/json.ts';
import type { HttpRequest, HttpResponse } from './event.ts';

/** The method and path that client libraries write if no request was handled, as in a command or a background job. */
const PLACEHOLDER_METHOD = 'UNKNOWN';
const PLACEHOLDER_PATH = '/';

/** The method in upper case; null when the client did not know it. */
export function knownMethod(method: string | null): string | null {
  const upper = upperCase(method);
  return upper === '' || upper === PLACEHOLDER_METHOD ? null : upper;
}

/**
 * Returns true if anything is known of the request: `UNKNOWN /` contains no information (docs/contract/incidents.md
 * 3.4).
 */
export function hasRequest(request: HttpRequest | null): request is HttpRequest {
  if (request === null) return false;
  const isPlaceholder = upperCase(request.method) === PLACEHOLDER_METHOD;
  const isNamed = [request.path, request.url, request.routeTemplate].some(
    (path) => path !== null && path !== '' && !(isPlaceholder && path === PLACEHOLDER_PATH),
  );
  return (
    isNamed ||
    knownMethod(request.method) !== null ||
    isFilledMap(request.query) ||
    isFilledMap(request.headers) ||
    isFilledBody(request.body)
  );
}

/** Returns true if an answer arrived: status 0 means that none did, and a duration alone is that of the wait. */
export function hasResponse(response: HttpResponse | null): response is HttpResponse {
  if (response === null) return false;
  return (
    (response.statusCode !== null && response.statusCode !== 0) ||
    isFilledMap(response.headers) ||
    isFilledBody(response.body)
  );
}

function upperCase(method: string | null): string {
  return method?.trim().toUpperCase() ?? '';
}

function isFilledMap(map: JsonObject): boolean {
  for (const _ in map) return true;
  return false;
}

/** An empty map or list means no body in languages that write one for null. */
function isFilledBody(body: JsonValue): boolean {
  if (typeof body !== 'object') return body !== '';
  return body !== null && Object.keys(body).length > 0;
}
