import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { countOrNull, filledObjectOrNull, numberOrNull } from '../envelope/read-json.ts';
import { safeTextOrNull, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import type { HttpRequest, HttpResponse } from './event.ts';
import type { OpenParts } from './open-parts.ts';

const METHOD_CHARS_MAX = 32;

/** The request of an exception (docs/contract/ingestion.md 2.1.1); null when the client said nothing of one. */
export function normalizeRequest(value: JsonValue | undefined, open: OpenParts): HttpRequest | null {
  const request = filledObjectOrNull(value);
  if (request === null) return null;
  const { path, url } = pathAndUrl(request);
  return {
    method: safeTextOrNull(getOwn(request, 'method'), METHOD_CHARS_MAX),
    path,
    url,
    query: open.map(getOwn(request, 'query')),
    headers: open.map(getOwn(request, 'headers')),
    body: open.body(getOwn(request, 'body')),
    routeTemplate: safeTextOrNull(getOwn(request, 'route_template'), TEXT_CHARS_MAX.url),
  };
}

export function normalizeResponse(value: JsonValue | undefined, open: OpenParts): HttpResponse | null {
  const response = filledObjectOrNull(value);
  if (response === null) return null;
  return {
    statusCode: countOrNull(getOwn(response, 'status_code')),
    durationMs: durationOrNull(getOwn(response, 'duration_ms')),
    headers: open.map(getOwn(response, 'headers')),
    body: open.body(getOwn(response, 'body')),
  };
}

/** The two halves of a `request_event` (2.3). */
export function normalizeRequestEvent(
  payload: JsonObject,
  open: OpenParts,
): {
  request: HttpRequest & { method: string; path: string };
  response: HttpResponse & { statusCode: number };
} {
  const { path, url } = pathAndUrl(payload);
  return {
    request: {
      method: (safeTextOrNull(payload.method, METHOD_CHARS_MAX) ?? 'GET').toUpperCase(),
      path: path ?? '/',
      url,
      query: open.map(payload.query),
      headers: open.map(payload.headers ?? payload.request_headers),
      body: open.body(payload.body ?? payload.request_body),
      routeTemplate: safeTextOrNull(payload.route_template, TEXT_CHARS_MAX.url),
    },
    response: {
      statusCode: countOrNull(payload.response_status ?? payload.status_code) ?? 0,
      durationMs: numberOrNull(payload.duration_ms),
      headers: open.map(payload.response_headers),
      body: open.body(payload.response_body),
    },
  };
}

function durationOrNull(value: JsonValue | undefined): number | null {
  const duration = numberOrNull(value);
  return duration === null || duration < 0 ? null : duration;
}

/** `path` decides; a `url` beside it is kept. */
function pathAndUrl(source: JsonObject): { path: string | null; url: string | null } {
  const path = safeTextOrNull(getOwn(source, 'path'), TEXT_CHARS_MAX.url);
  const url = safeTextOrNull(getOwn(source, 'url'), TEXT_CHARS_MAX.url);
  return path === null ? { path: url, url: null } : { path, url };
}
