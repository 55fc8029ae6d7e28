import type { HttpRequest, HttpResponse, NormalizedEvent } from './event.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { getOwn } from './own-property.ts';
import { filledObjectOrNull } from './read-json.ts';

/**
 * How many of the blocks request, response, user, breadcrumbs, probe data, runtime and correlation ids an event
 * brings, 0 to 7 (incidents.md 3.3). The richest occurrence is kept for its evidence.
 */
export function eventRichness(event: NormalizedEvent): number {
  const { payload, correlation } = event;
  const isException = payload.kind === 'exception';
  const http = isException || payload.kind === 'request' ? payload : null;
  const blocks = [
    http !== null && hasRequest(http.request),
    http !== null && hasResponse(http.response),
    correlation.userIdHash !== null || filledObjectOrNull(getOwn(event.context, 'user')) !== null,
    isException && payload.breadcrumbs.length > 0,
    isException && payload.probeData.length > 0,
    isException && payload.runtime !== null,
    correlation.requestId !== null || correlation.traceId !== null || correlation.sessionId !== null,
  ];
  return blocks.filter((isFilled) => isFilled).length;
}

function hasRequest(request: HttpRequest | null): boolean {
  if (request === null) return false;
  return (
    request.method !== null ||
    request.path !== null ||
    request.routeTemplate !== null ||
    isFilledMap(request.query) ||
    isFilledMap(request.headers) ||
    isFilledBody(request.body)
  );
}

function hasResponse(response: HttpResponse | null): boolean {
  if (response === null) return false;
  return (
    response.statusCode !== null ||
    response.durationMs !== null ||
    isFilledMap(response.headers) ||
    isFilledBody(response.body)
  );
}

function isFilledMap(map: JsonObject): boolean {
  return filledObjectOrNull(map) !== null;
}

function isFilledBody(body: JsonValue): boolean {
  return body !== null && body !== '';
}
