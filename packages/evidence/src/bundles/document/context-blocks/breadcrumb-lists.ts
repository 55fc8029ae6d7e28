import type {
  Click,
  ConsoleLog,
  FormSubmission,
  FrontendBlock,
  NetworkRequest,
  RouteChange,
} from '@culprit/contract/incidents/bundle-context';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Breadcrumb } from '../../../events/normalize/event.ts';
import { browserAddress, browserText } from '../../evidence/evidence-text.ts';
import { mapAt, numberAt, textAt, valueAt } from '../../evidence/read-open-map.ts';
import { redactBody, redactHeaders, redactTrace, redactValue } from '../../evidence/redact-evidence.ts';
import {
  boundBody,
  boundEntries,
  cutText,
  FRONTEND_ITEMS_MAX,
  LOG_MESSAGE_BYTES_MAX,
  SHORT_TEXT_BYTES_MAX,
} from '../size-bounds.ts';

type BreadcrumbLists = Pick<
  FrontendBlock,
  'route_changes' | 'clicks' | 'form_submissions' | 'console_logs' | 'network_requests'
>;

/**
 * Which list shows a breadcrumb; types of mobile libraries beside those of browsers (docs/contract/ingestion.md 2.5).
 */
const LIST_OF_TYPE: ReadonlyMap<string, keyof BreadcrumbLists> = new Map([
  ['route_change', 'route_changes'],
  ['screen_transition', 'route_changes'],
  ['screen', 'route_changes'],
  ['click', 'clicks'],
  ['user_action', 'clicks'],
  ['form_submit', 'form_submissions'],
  ['network_request', 'network_requests'],
  ['network', 'network_requests'],
]);

/**
 * Sorts breadcrumbs into the lists of the frontend block, oldest first; of more than 50 in one list the ones nearest to
 * the primary event stay. A type without a list is shown as a console line, so nothing is lost.
 */
export function breadcrumbLists(breadcrumbs: readonly Breadcrumb[], primaryAtMs: number): BreadcrumbLists {
  const byList = Map.groupBy(breadcrumbs, (item) => LIST_OF_TYPE.get(item.breadcrumbType) ?? 'console_logs');
  const nearest = (list: keyof BreadcrumbLists): Breadcrumb[] =>
    nearestFifty(byList.get(list) ?? [], primaryAtMs);
  return {
    route_changes: routeChanges(nearest('route_changes')),
    clicks: nearest('clicks').map(click),
    form_submissions: nearest('form_submissions').map(formSubmission),
    console_logs: nearest('console_logs').map(consoleLog),
    network_requests: nearest('network_requests').map(networkRequest),
  };
}

/** Returns true if the frontend block shows the breadcrumb as a request. */
export function isNetworkRequest({ breadcrumbType }: Breadcrumb): boolean {
  return LIST_OF_TYPE.get(breadcrumbType) === 'network_requests';
}

const INTERFACE_LISTS: ReadonlySet<string | undefined> = new Set<keyof BreadcrumbLists>([
  'route_changes',
  'clicks',
  'form_submissions',
]);

/** Returns true if these are the steps of a person, which the frontend block shows, rather than those of a service. */
export function isInterfaceTrail(breadcrumbs: readonly Breadcrumb[]): boolean {
  return breadcrumbs.some(({ breadcrumbType }) => INTERFACE_LISTS.has(LIST_OF_TYPE.get(breadcrumbType)));
}

/** A breadcrumb without a readable time counts as the oldest. */
function nearestFifty(breadcrumbs: readonly Breadcrumb[], primaryAtMs: number): Breadcrumb[] {
  const distance = ({ timestampMs }: Breadcrumb): number =>
    timestampMs === null ? Number.MAX_SAFE_INTEGER : Math.abs(timestampMs - primaryAtMs);
  return breadcrumbs
    .toSorted((a, b) => distance(a) - distance(b))
    .slice(0, FRONTEND_ITEMS_MAX)
    .sort((a, b) => (a.timestampMs ?? 0) - (b.timestampMs ?? 0));
}

/** The previous route of a page's first change, which can be unknown. */
const UNKNOWN_ROUTE = 'unknown';

/** A library that names only the new route leaves the old one to the change before. */
function routeChanges(breadcrumbs: readonly Breadcrumb[]): RouteChange[] {
  let previous: string | null = null;
  const changes: RouteChange[] = [];
  for (const { data, route, timestampMs } of breadcrumbs) {
    const from = addressOrNull(textAt(data, 'from')) ?? previous ?? UNKNOWN_ROUTE;
    const to = addressOrNull(textAt(data, 'to') ?? textAt(data, 'route') ?? textAt(data, 'screen') ?? route);
    changes.push({ from, to, ts: time(timestampMs) });
    previous = to;
  }
  return changes;
}

function click({ data, timestampMs }: Breadcrumb): Click {
  return {
    selector: shortText(textAt(data, 'selector') ?? textAt(data, 'target') ?? textAt(data, 'action')),
    label: shortText(textAt(data, 'label') ?? textAt(data, 'message')),
    ts: time(timestampMs),
  };
}

function formSubmission({ data, timestampMs }: Breadcrumb): FormSubmission {
  const fields = valueAt(data, 'fields');
  const fieldCount = numberAt(data, 'field_count');
  return {
    form: shortText(textAt(data, 'form') ?? textAt(data, 'selector')),
    fields: boundBody(
      fields === null && fieldCount !== null ? { field_count: fieldCount } : redactValue(fields),
      LOG_MESSAGE_BYTES_MAX,
    ),
    ts: time(timestampMs),
  };
}

function consoleLog({ breadcrumbType, data, timestampMs }: Breadcrumb): ConsoleLog {
  return {
    level: browserText(textAt(data, 'level') ?? 'info'),
    message: browserText(textAt(data, 'message') ?? breadcrumbType, LOG_MESSAGE_BYTES_MAX),
    source: shortText(textAt(data, 'source')),
    ts: time(timestampMs),
  };
}

function networkRequest({ data, timestampMs }: Breadcrumb): NetworkRequest {
  const durationMs = numberAt(data, 'duration_ms');
  const callerTrace = redactTrace(valueAt(data, 'caller_trace'));
  const requestBody = redactBody(valueAt(data, 'request_body'));
  const responseBody = redactBody(valueAt(data, 'response_body'));
  const responseHeaders = mapAt(data, 'response_headers');
  const responseLength = numberAt(data, 'response_content_length');
  return {
    method: shortText(textAt(data, 'method'))?.toUpperCase() ?? null,
    url: addressOrNull(textAt(data, 'url')),
    status: numberAt(data, 'status_code') ?? numberAt(data, 'status'),
    ts: time(timestampMs),
    ...(durationMs === null ? {} : { duration_ms: durationMs }),
    ...(callerTrace === null ? {} : { caller_trace: boundBody(callerTrace, SHORT_TEXT_BYTES_MAX) }),
    ...(responseBody === null ? {} : { response_body: boundBody(responseBody) }),
    ...(requestBody === null ? {} : { request_body: boundBody(requestBody) }),
    ...(responseHeaders === null ? {} : { response_headers: boundEntries(redactHeaders(responseHeaders)) }),
    ...(responseLength === null ? {} : { response_content_length: responseLength }),
  };
}

function shortText(text: string | null): string | null {
  return text === null ? null : browserText(text);
}

function addressOrNull(address: string | null): string | null {
  return address === null ? null : cutText(browserAddress(address), SHORT_TEXT_BYTES_MAX);
}

function time(timestampMs: number | null): string | null {
  return timestampMs === null ? null : formatTimestamp(timestampMs);
}
