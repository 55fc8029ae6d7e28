import type { RequestBlock, ResponseBlock } from '@culprit/contract/bundle-context';
import type { HttpRequest, HttpResponse, NormalizedEvent } from '../../events/event.ts';
import { pathRouteTemplate } from '../../events/fingerprint/route-template.ts';
import type { JsonValue } from '../../events/json.ts';
import type { SampleEvidence } from '../bundle-evidence.ts';
import { evidenceTextOrNull } from '../evidence-text.ts';
import { redactBody, redactMap } from '../redact-evidence.ts';
import { requestTarget } from '../request-target.ts';
import { boundCapturedBody, boundEntries, MESSAGE_BYTES_MAX } from '../size-bounds.ts';

/** The request and the response of one event; either may be missing, they are never taken from two events. */
export interface ExchangeEvidence {
  request: RequestBlock | null;
  response: ResponseBlock | null;
  /** Of the request: scheme and host, null when unknown. */
  origin: string | null;
  /** The whole body of the request, redacted but not yet cut. */
  requestBody: JsonValue;
}

const NOTHING: ExchangeEvidence = { request: null, response: null, origin: null, requestBody: null };

/**
 * The first event with a request, in block order, then the correlated request (incidents.md 3.4). When none has one,
 * the first event with a response.
 */
export function exchangeEvidence(
  blockOrder: readonly SampleEvidence[],
  correlatedRequest: NormalizedEvent | null,
): ExchangeEvidence {
  const events = blockOrder.map((sample) => sample.event);
  if (correlatedRequest !== null) events.push(correlatedRequest);
  const event =
    events.find((candidate) => hasRequest(requestOf(candidate))) ??
    events.find((candidate) => hasResponse(responseOf(candidate)));
  if (event === undefined) return NOTHING;

  const request = requestOf(event);
  const response = responseOf(event);
  return {
    ...(hasRequest(request) ? requestSide(request, event.correlation.requestId) : NOTHING),
    response: hasResponse(response) ? responseBlock(response) : null,
  };
}

/** Status codes that the occurrences and their correlated request were answered with. */
export function statusCodes(events: readonly NormalizedEvent[]): number[] {
  const codes = events.map((event) => responseOf(event)?.statusCode ?? null);
  return codes.filter((code) => code !== null);
}

/** The request that came with an event. */
export function requestOf({ payload }: NormalizedEvent): HttpRequest | null {
  if (payload.kind === 'request') return payload.request;
  return payload.kind === 'exception' ? payload.request : null;
}

/** The response that came with an event. */
export function responseOf({ payload }: NormalizedEvent): HttpResponse | null {
  if (payload.kind === 'request') return payload.response;
  return payload.kind === 'exception' ? payload.response : null;
}

/** Whether anything is known of it. */
export function hasRequest(request: HttpRequest | null): request is HttpRequest {
  if (request === null) return false;
  const isNamed = request.method !== null || request.path !== null || request.url !== null;
  return isNamed || request.body !== null || !isEmpty(request.query) || !isEmpty(request.headers);
}

/** Whether anything is known of it. */
export function hasResponse(response: HttpResponse | null): response is HttpResponse {
  if (response === null) return false;
  const isTimed = response.statusCode !== null || response.durationMs !== null;
  return isTimed || response.body !== null || !isEmpty(response.headers);
}

function requestSide(
  request: HttpRequest,
  requestId: string | null,
): Pick<ExchangeEvidence, 'request' | 'origin' | 'requestBody'> {
  const target = requestTarget(request);
  const requestBody = redactBody(request.body);
  return {
    origin: target.origin,
    requestBody,
    request: {
      version: 1,
      method: evidenceTextOrNull(request.method?.toUpperCase() ?? null),
      path: evidenceTextOrNull(target.path, MESSAGE_BYTES_MAX),
      // As the framework wrote it, because that text is found in the code; else worked out from the path.
      route_template: evidenceTextOrNull(
        request.routeTemplate ?? (target.path === null ? null : pathRouteTemplate(target.path)),
        MESSAGE_BYTES_MAX,
      ),
      query: boundEntries(redactMap(target.query)),
      headers: boundEntries(redactMap(request.headers)),
      body: boundCapturedBody(requestBody),
      request_id: evidenceTextOrNull(requestId),
    },
  };
}

function responseBlock(response: HttpResponse): ResponseBlock {
  return {
    version: 1,
    status_code: response.statusCode,
    duration_ms: response.durationMs,
    headers: boundEntries(redactMap(response.headers)),
    body: boundCapturedBody(redactBody(response.body)),
  };
}

function isEmpty(map: object): boolean {
  return Object.keys(map).length === 0;
}
