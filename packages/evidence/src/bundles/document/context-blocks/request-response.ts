import type { RequestBlock, ResponseBlock } from '@culprit/contract/incidents/bundle-context';
import type { JsonValue } from '../../../events/envelope/json.ts';
import { pathRouteTemplate } from '../../../events/fingerprint/route-template.ts';
import type { HttpRequest, HttpResponse, NormalizedEvent } from '../../../events/normalize/event.ts';
import { hasRequest, hasResponse, knownMethod } from '../../../events/normalize/http-presence.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { evidenceTextOrNull } from '../../evidence/evidence-text.ts';
import { redactBody, redactHeaders, redactMap } from '../../evidence/redact-evidence.ts';
import { requestTarget } from '../../reproduction/request-target.ts';
import { boundCapturedBody, boundEntries, MESSAGE_BYTES_MAX } from '../size-bounds.ts';

/** The request and the response of one exchange; either may be missing, they are never taken from two. */
export interface ExchangeEvidence {
  request: RequestBlock | null;
  response: ResponseBlock | null;
  /** The scheme and host of the request; null when unknown. */
  origin: string | null;
  /** The whole body of the request, redacted but not yet cut. */
  requestBody: JsonValue;
}

const NOTHING: ExchangeEvidence = { request: null, response: null, origin: null, requestBody: null };

/**
 * The first event with a request, in block order, then the correlated request (docs/contract/incidents.md 3.4). When
 * none has one, the first event with a response.
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
  const own = responseOf(event);
  const response = hasResponse(own) ? own : responseOfSame(event, correlatedRequest);
  return {
    ...(hasRequest(request) ? requestSide(request, event.correlation.requestId) : NOTHING),
    response: hasResponse(response) ? responseBlock(response) : null,
  };
}

/**
 * Returns the response of a correlated request that is the same exchange: some libraries report an exception and its
 * request first, and the response later.
 */
function responseOfSame(event: NormalizedEvent, correlated: NormalizedEvent | null): HttpResponse | null {
  if (correlated === null || correlated.service.name !== event.service.name) return null;
  const [asked, answered] = [requestOf(event), requestOf(correlated)];
  const isSame =
    asked !== null &&
    answered !== null &&
    knownMethod(asked.method) === knownMethod(answered.method) &&
    bareAddress(asked.path) === bareAddress(answered.path);
  return isSame ? responseOf(correlated) : null;
}

function bareAddress(path: string | null): string {
  return (path ?? '').replace(/^[a-z][a-z0-9+.-]{0,31}:\/\/[^/?#]{0,256}/i, '').split(/[?#]/, 1)[0] ?? '';
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
      method: evidenceTextOrNull(knownMethod(request.method)),
      path: evidenceTextOrNull(target.path, MESSAGE_BYTES_MAX),
      // The framework's own template, because that text is found in the code; else one that is derived from the path.
      route_template: evidenceTextOrNull(
        request.routeTemplate ?? (target.path === null ? null : pathRouteTemplate(target.path)),
        MESSAGE_BYTES_MAX,
      ),
      query: boundEntries(redactMap(target.query)),
      headers: boundEntries(redactHeaders(request.headers)),
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
    headers: boundEntries(redactHeaders(response.headers)),
    body: boundCapturedBody(redactBody(response.body)),
  };
}
