import type { RecoveryFailure, ResourceFailureBlock } from '@culprit/contract/incidents/bundle-context';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { browserFailure } from '../../../events/fingerprint/browser-failure.ts';
import type { BrowserEvent, NormalizedEvent } from '../../../events/normalize/event.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { compareText, compareTime } from '../../evidence/choose-evidence.ts';
import { browserAddress, evidenceText, evidenceTextOrNull } from '../../evidence/evidence-text.ts';
import { numberAt, textAt } from '../../evidence/read-open-map.ts';
import { splitAddress } from '../../reproduction/request-target.ts';

const ROUTES_MAX = 20;
const RECOVERY_FAILURES_MAX = 10;
const RECOVERY_WINDOW_MS = 30_000;
/** Requests by which a page tries to get fresh access to a resource. */
const RECOVERY_PATH = /refresh|renew|retry|presign|(?:^|[^a-z])sign(?:ed|[-_/]|$)/i;

/**
 * Returns the resource that could not be loaded, its place, and the attempts to recover that failed as well. Resource
 * errors only.
 */
export function resourceFailureBlock(
  primary: NormalizedEvent,
  oldestFirst: readonly SampleEvidence[],
  failedRequests: readonly NormalizedEvent[],
): ResourceFailureBlock | null {
  const browserEvent = browserEventOf(primary);
  if (browserEvent?.kind !== 'resource_error') return null;
  const pageHost = hostOf(browserEvent.page?.url ?? null);
  const resource = resourceOf(primary);
  // A relative address is loaded from the page's own host.
  const host = resource === null ? null : resource.host || pageHost;
  return {
    version: 1,
    host: evidenceTextOrNull(host),
    path: evidenceTextOrNull(resource?.path ?? null),
    tag_name: evidenceTextOrNull(browserEvent.target?.tagName?.trim().toLowerCase() || null),
    first_party: host === null || pageHost === null ? null : isSameSite(host, pageHost),
    routes: routes(oldestFirst),
    recovery_failures: recoveryFailures(primary, failedRequests),
  };
}

/** Returns true if a primary event is about a resource of a page. */
export function isResourceError(event: NormalizedEvent): boolean {
  return browserEventOf(event)?.kind === 'resource_error';
}

function browserEventOf({ payload }: NormalizedEvent): BrowserEvent | null {
  return payload.kind === 'exception' ? payload.browserEvent : null;
}

/** Host and path as the fingerprint sees them; null when the browser named no address. */
function resourceOf({ eventType, payload }: NormalizedEvent): { host: string; path: string } | null {
  const failure = payload.kind === 'exception' ? browserFailure(eventType, payload) : null;
  return failure?.kind === 'resource' ? failure : null;
}

function hostOf(address: string | null): string | null {
  const origin = address === null ? null : splitAddress(address).origin;
  return origin === null ? null : origin.slice(origin.indexOf('//') + 2).toLowerCase();
}

/** The same host, or one below the other; ports do not matter. Without a list of registries this is as far as it goes. */
function isSameSite(a: string, b: string): boolean {
  const [hostA, hostB] = [a.replace(/:\d+$/, ''), b.replace(/:\d+$/, '')];
  return hostA === hostB || hostA.endsWith(`.${hostB}`) || hostB.endsWith(`.${hostA}`);
}

function routes(oldestFirst: readonly SampleEvidence[]): string[] {
  const distinct = new Set<string>();
  for (const { event } of oldestFirst) {
    if (event.payload.kind !== 'exception') continue;
    const pageUrl = event.payload.browserEvent?.page?.url ?? null;
    const route = event.payload.route ?? (pageUrl === null ? null : splitAddress(pageUrl).path);
    if (route !== null && route !== '') distinct.add(browserAddress(route));
  }
  return [...distinct].sort(compareText).slice(0, ROUTES_MAX);
}

function recoveryFailures(
  primary: NormalizedEvent,
  failedRequests: readonly NormalizedEvent[],
): RecoveryFailure[] {
  const sent = failedRequests.toSorted(compareTime).flatMap((event): RecoveryFailure[] => {
    if (event.payload.kind !== 'request') return [];
    const { request, response } = event.payload;
    return recoveryFailure(primary, request.method, request.path, response.statusCode, event.effectiveAtMs);
  });
  const trail = primary.payload.kind === 'exception' ? primary.payload.breadcrumbs : [];
  const seen = trail.flatMap((breadcrumb): RecoveryFailure[] => {
    const { data, timestampMs } = breadcrumb;
    const status = numberAt(data, 'status_code') ?? numberAt(data, 'status');
    if (status === null || timestampMs === null) return [];
    return recoveryFailure(primary, textAt(data, 'method'), textAt(data, 'url'), status, timestampMs);
  });
  return [...sent, ...seen].slice(0, RECOVERY_FAILURES_MAX);
}

function recoveryFailure(
  primary: NormalizedEvent,
  method: string | null,
  address: string | null,
  status: number,
  atMs: number,
): RecoveryFailure[] {
  const path = address === null ? null : splitAddress(address).path;
  const isFailure = status >= 400 && status <= 599;
  const isNear = Math.abs(atMs - primary.effectiveAtMs) <= RECOVERY_WINDOW_MS;
  if (!isFailure || !isNear || path === null || !RECOVERY_PATH.test(path)) return [];
  return [
    {
      method: evidenceTextOrNull(method?.toUpperCase() ?? null),
      path: evidenceText(path),
      status,
      occurred_at: formatTimestamp(atMs),
    },
  ];
}
