import type { Breadcrumb, EventType, HttpRequest, NormalizedEvent } from '../../events/normalize/event.ts';
import { hasRequest, hasResponse, knownMethod } from '../../events/normalize/http-presence.ts';
import type { BundleDocument } from '../document/bundle-document.ts';
import { isNetworkRequest } from '../document/context-blocks/breadcrumb-lists.ts';
import { environmentFacts, runtimeFacts } from '../document/context-blocks/environment-runtime.ts';
import { requestOf, responseOf } from '../document/context-blocks/request-response.ts';
import { interfaceTrailOf, serverTrailOf } from '../document/context-blocks/server-trail.ts';
import { isRequestLine } from '../reproduction/replay-request.ts';
import { requestTarget } from '../reproduction/request-target.ts';
import { mapAt, numberAt, valueAt } from './read-open-map.ts';

/**
 * The new content that an event can offer to a bundle: a context block that was never shown, or the change of
 * `reproduction.possible` (docs/contract/incidents.md 3.9). Bits, in the database too: append, never reorder. They are
 * computed quickly, from the event alone, while events are processed; occasionally an offer turns out to change
 * nothing.
 */
const OFFERS = [
  'request',
  'response',
  'logs',
  'frontend',
  'environment',
  'runtime',
  'git',
  'dependencies',
  'probe_data',
  'device',
  'error_chain',
  'custom',
  'deploy',
  'replayable_request',
  'unreplayable_request',
  'job_exception',
] as const;

export type Offer = (typeof OFFERS)[number];

/** The bits of some offers. */
export function offerBits(...offers: readonly Offer[]): number {
  return offers.reduce((bits, offer) => bits | (1 << OFFERS.indexOf(offer)), 0);
}

const BITS = Object.fromEntries(OFFERS.map((offer) => [offer, offerBits(offer)])) as Record<Offer, number>;

/** Returns the offers of an occurrence that leads the document: some blocks are taken from that one only. */
export function offeredByPrimary(event: NormalizedEvent): number {
  const { payload, context, service } = event;
  const exception = payload.kind === 'exception' ? payload : null;
  const request = requestOf(event);
  let bits = 0;
  if (hasRequest(request)) bits |= BITS.request | replayOffer(request);
  if (hasResponse(responseOf(event))) bits |= BITS.response;
  if (payload.kind === 'log') {
    bits |= BITS.logs;
    if (payload.error !== null && payload.error.causes.length > 0) bits |= BITS.error_chain;
  }
  const trail = serverTrailOf(event);
  if (trail !== null) {
    const isInterface = interfaceTrailOf(event) !== null;
    if (trail.logs.length > 0 || !isInterface) bits |= BITS.logs;
    if (isInterface) bits |= BITS.frontend;
    else if (trail.breadcrumbs.some(isNetworkRequest)) bits |= BITS.dependencies;
  }
  if (environmentFacts(event) !== null) bits |= BITS.environment;
  if (runtimeFacts(event) !== null || service.runtime !== null || service.framework !== null)
    bits |= BITS.runtime;
  if (event.device !== null || (exception !== null && exception.browser !== null)) bits |= BITS.device;
  if (exception !== null) {
    if (exception.breadcrumbs.length > 0 || exception.domContext !== null) bits |= BITS.frontend;
    if (exception.probeData.length > 0) bits |= BITS.probe_data;
    if (exception.causes.length > 0) bits |= BITS.error_chain;
    if (exception.breadcrumbs.some(isFailedRequest)) bits |= BITS.replayable_request;
  }
  if (!isEmpty(event.extra)) bits |= BITS.custom;
  if (isEmpty(context)) return bits;
  bits |= BITS.custom;
  if (mapAt(context, 'git') !== null) bits |= BITS.git;
  if (valueAt(context, 'dependencies') !== null) bits |= BITS.dependencies;
  return bits;
}

/** The offer that the chain of an error decides; what an event has besides decides the others. */
export const CHAIN_OFFER = offerBits('error_chain');

/** Returns the part of a primary occurrence's offers that it also has as any other occurrence. */
export function offeredBesidesPrimary(bits: number): number {
  return bits & ~(BITS.error_chain | BITS.custom);
}

/** Returns the offers of events of a type as context of an incident of the same trace, request or session. */
export function offeredByContext(eventType: EventType): number {
  switch (eventType) {
    case 'log_event':
      return BITS.logs;
    case 'request_event':
      return BITS.request | BITS.response;
    case 'probe_event':
      return BITS.probe_data;
    case 'frontend_breadcrumb':
    case 'frontend_exception':
      return BITS.frontend;
    case 'backend_exception':
      return BITS.job_exception;
    default:
      return 0;
  }
}

/** All that can come from context. */
export const CONTEXT_OFFERS = offerBits(
  'request',
  'response',
  'logs',
  'probe_data',
  'frontend',
  'job_exception',
);

/** A browser's trail may hold the request that makes its incident reproducible (4.2, R5). */
export function isFailedRequestTrail({ payload }: NormalizedEvent): boolean {
  return payload.kind === 'breadcrumb' && isFailedRequest(payload.breadcrumb);
}

/** Returns the offers that are no longer new after this document. */
export function shownOffers({ context, reproduction }: BundleDocument): number {
  const shown = OFFERS.filter((offer) => (blockOf(context, offer) ?? null) !== null);
  const replay = reproduction.possible ? 'replayable_request' : 'unreplayable_request';
  const isTold = reproduction.possible || context.request !== null;
  // No other document shows one.
  const isAwaited = context.heartbeat !== undefined && context.heartbeat.exceptions.length === 0;
  return offerBits(...shown) | (isTold ? BITS[replay] : 0) | (isAwaited ? 0 : BITS.job_exception);
}

function blockOf(context: BundleDocument['context'], offer: Offer): object | null | undefined {
  return offer === 'replayable_request' || offer === 'unreplayable_request' || offer === 'job_exception'
    ? null
    : context[offer];
}

function replayOffer(request: HttpRequest): number {
  const { path } = requestTarget(request);
  const method = knownMethod(request.method);
  return method !== null && path !== null && isRequestLine(method, path)
    ? BITS.replayable_request
    : BITS.unreplayable_request;
}

function isFailedRequest(breadcrumb: Breadcrumb): boolean {
  if (!isNetworkRequest(breadcrumb)) return false;
  const status = numberAt(breadcrumb.data, 'status_code') ?? numberAt(breadcrumb.data, 'status');
  return status !== null && (status === 0 || status >= 400);
}

function isEmpty(map: object): boolean {
  for (const _ in map) return false;
  return true;
}
