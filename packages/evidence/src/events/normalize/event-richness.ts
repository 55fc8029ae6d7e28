import { getOwn } from '../envelope/own-property.ts';
import { filledObjectOrNull } from '../envelope/read-json.ts';
import type { NormalizedEvent, ServerTrail } from './event.ts';
import { hasRequest, hasResponse } from './http-presence.ts';

/**
 * Returns how many of the blocks request, response, user, breadcrumbs, probe data, runtime and correlation ids an event
 * has, 0 to 7 (docs/contract/incidents.md 3.3). The richest occurrence is kept for its evidence.
 */
export function eventRichness(event: NormalizedEvent): number {
  const { payload, correlation } = event;
  const isException = payload.kind === 'exception';
  const http = isException || payload.kind === 'request' ? payload : null;
  const blocks = [
    http !== null && hasRequest(http.request),
    http !== null && hasResponse(http.response),
    correlation.userIdHash !== null || filledObjectOrNull(getOwn(event.context, 'user')) !== null,
    (isException && payload.breadcrumbs.length > 0) || (http !== null && hasTrail(http.trail)),
    isException && payload.probeData.length > 0,
    isException && payload.runtime !== null,
    correlation.requestId !== null || correlation.traceId !== null || correlation.sessionId !== null,
  ];
  return blocks.filter((isFilled) => isFilled).length;
}

function hasTrail({ logs, breadcrumbs }: ServerTrail): boolean {
  return logs.length > 0 || breadcrumbs.length > 0;
}
