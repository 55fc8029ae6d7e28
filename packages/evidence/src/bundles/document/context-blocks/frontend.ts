import type { FrontendBlock, FrontendException } from '@culprit/contract/incidents/bundle-context';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Breadcrumb, ExceptionPayload, NormalizedEvent } from '../../../events/normalize/event.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { type CorrelatedContext, compareText, compareTime } from '../../evidence/choose-evidence.ts';
import { browserAddress, browserText } from '../../evidence/evidence-text.ts';
import { canonicalJson } from '../canonical-json.ts';
import { FRONTEND_ITEMS_MAX, HTML_EXCERPT_BYTES_MAX, MESSAGE_BYTES_MAX } from '../size-bounds.ts';
import { breadcrumbLists } from './breadcrumb-lists.ts';
import { interfaceTrailOf } from './server-trail.ts';

/** Window of browser events around the primary one (docs/contract/incidents.md 3.3). */
const BEFORE_MS = 5 * 60 * 1000;
const AFTER_MS = 30 * 1000;

/**
 * Returns the steps in the user's browser: the breadcrumbs of the exception, else those of the same trace or session.
 * Each list holds the 50 entries nearest to the primary event, oldest first.
 */
export function frontendBlock(
  blockOrder: readonly SampleEvidence[],
  context: CorrelatedContext,
  primaryAtMs: number,
): FrontendBlock | null {
  const breadcrumbs = ownBreadcrumbs(blockOrder) ?? correlatedBreadcrumbs(context, primaryAtMs);
  const exceptions = context.frontendExceptions.slice(0, FRONTEND_ITEMS_MAX).sort(compareTime);
  const domContext = domExcerpt(blockOrder, context);
  if (breadcrumbs.length === 0 && exceptions.length === 0 && domContext === null) return null;
  return {
    version: 1,
    ...breadcrumbLists(breadcrumbs, primaryAtMs),
    exceptions: exceptions.flatMap(frontendException),
    dom_context: domContext,
  };
}

/** The trail of the primary event alone: the trail of an older one would be read as what led to this failure. */
function ownBreadcrumbs([primary]: readonly SampleEvidence[]): Breadcrumb[] | null {
  if (primary === undefined) return null;
  const breadcrumbs = interfaceTrailOf(primary.event) ?? exceptionOf(primary.event)?.breadcrumbs ?? [];
  return breadcrumbs.length > 0 ? breadcrumbs : null;
}

/**
 * Standalone breadcrumbs, and those that came attached to a correlated exception: a browser sends most of them that
 * way. A breadcrumb that came both ways is shown once.
 */
function correlatedBreadcrumbs(context: CorrelatedContext, primaryAtMs: number): Breadcrumb[] {
  const distinct = new Map<string, Breadcrumb>();
  for (const event of [...context.breadcrumbs, ...context.frontendExceptions]) {
    const carried =
      event.payload.kind === 'breadcrumb'
        ? [event.payload.breadcrumb]
        : (exceptionOf(event)?.breadcrumbs ?? []);
    for (const breadcrumb of carried) {
      const atMs = breadcrumb.timestampMs ?? event.effectiveAtMs;
      if (atMs < primaryAtMs - BEFORE_MS || atMs > primaryAtMs + AFTER_MS) continue;
      distinct.set(canonicalJson(breadcrumb), breadcrumb);
    }
  }
  // By their own text, so that the order of events does not matter where times are equal.
  return [...distinct].sort(([a], [b]) => compareText(a, b)).map(([, breadcrumb]) => breadcrumb);
}

function frontendException(event: NormalizedEvent): FrontendException[] {
  const exception = exceptionOf(event);
  if (exception === null) return [];
  return [
    {
      event_id: event.eventId,
      service: browserText(event.service.name),
      name: browserText(exception.name),
      message: browserText(exception.message, MESSAGE_BYTES_MAX),
      route: exception.route === null ? null : browserAddress(exception.route),
      ts: formatTimestamp(event.effectiveAtMs),
    },
  ];
}

function domExcerpt(
  blockOrder: readonly SampleEvidence[],
  context: CorrelatedContext,
): FrontendBlock['dom_context'] {
  for (const event of [...blockOrder.map((sample) => sample.event), ...context.frontendExceptions]) {
    const domContext = exceptionOf(event)?.domContext ?? null;
    if (domContext === null) continue;
    return { mode: 'lightweight', html_excerpt: browserText(domContext.htmlExcerpt, HTML_EXCERPT_BYTES_MAX) };
  }
  return null;
}

function exceptionOf({ payload }: NormalizedEvent): ExceptionPayload | null {
  return payload.kind === 'exception' ? payload : null;
}
