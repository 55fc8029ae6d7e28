import type { LogItem } from '@culprit/contract/incidents/bundle-context';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { JsonObject } from '../../../events/envelope/json.ts';
import type {
  AttachedLog,
  Breadcrumb,
  LogLevel,
  NormalizedEvent,
  ServerTrail,
} from '../../../events/normalize/event.ts';
import { readLogLevel } from '../../../events/normalize/log-level.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { browserAddress, evidenceText } from '../../evidence/evidence-text.ts';
import { numberAt, textAt, valueAt } from '../../evidence/read-open-map.ts';
import { redactBody, redactMap, redactTrace } from '../../evidence/redact-evidence.ts';
import { boundMap, LOG_ATTRIBUTES_BYTES_MAX, LOG_MESSAGE_BYTES_MAX } from '../size-bounds.ts';
import { isInterfaceTrail, isNetworkRequest } from './breadcrumb-lists.ts';

/** Outgoing calls from this status on have failed. */
const FAILED_STATUS = 500;
const REFUSED_STATUS = 400;
const TOO_MANY_REQUESTS = 429;

/** A line of the logs block, and what orders it among the others. */
export interface TrailLine {
  atMs: number;
  /** Id of the event that is the line, or that carried it, and its position there. */
  source: string;
  position: number;
  item: LogItem;
}

/** The trail of a service that an event carries; null when it carries none. */
export function serverTrailOf({ payload }: NormalizedEvent): ServerTrail | null {
  if (payload.kind !== 'exception' && payload.kind !== 'request') return null;
  const { trail } = payload;
  return trail.logs.length === 0 && trail.breadcrumbs.length === 0 ? null : trail;
}

/** Returns a person's steps before a server event, as applications with their own screens send them; else null. */
export function interfaceTrailOf(event: NormalizedEvent): Breadcrumb[] | null {
  const breadcrumbs = serverTrailOf(event)?.breadcrumbs ?? [];
  return isInterfaceTrail(breadcrumbs) ? breadcrumbs : null;
}

/**
 * Lines of the trail of the primary event, in the order of their times: its log lines, and its breadcrumbs unless the
 * frontend block shows these. The trail of an older occurrence would be read as what led to this failure.
 */
export function trailLines({ event }: SampleEvidence): TrailLine[] {
  const trail = serverTrailOf(event);
  if (trail === null) return [];
  const breadcrumbs = isInterfaceTrail(trail.breadcrumbs) ? [] : trail.breadcrumbs;
  return [...trail.logs, ...breadcrumbs.map(breadcrumbLine)]
    .map((each, position) => logLine(each, each.timestampMs ?? event.effectiveAtMs, event.eventId, position))
    .sort((a, b) => a.atMs - b.atMs);
}

/** Breadcrumbs of the calls that the service of the primary event made to others. */
export function outgoingCalls({ event }: SampleEvidence): Breadcrumb[] {
  const breadcrumbs = serverTrailOf(event)?.breadcrumbs ?? [];
  return isInterfaceTrail(breadcrumbs) ? [] : breadcrumbs.filter(isNetworkRequest);
}

/** Returns the result of an outgoing call: its status, null when no answer arrived, and if it failed. */
export function callOutcome({ data }: Breadcrumb): {
  status: number | null;
  isFailed: boolean;
  isDegraded: boolean;
} {
  const status = numberAt(data, 'status_code') ?? numberAt(data, 'status');
  const isAnswered = status !== null && status !== 0;
  const hasReason = textAt(data, 'failure_kind') !== null || textAt(data, 'failure_reason') !== null;
  return {
    status: isAnswered ? status : null,
    isFailed: isAnswered ? status >= FAILED_STATUS : status === 0 || hasReason,
    isDegraded: status === TOO_MANY_REQUESTS,
  };
}

/** A breadcrumb as a log line shows it. */
function breadcrumbLine(breadcrumb: Breadcrumb): AttachedLog {
  const { breadcrumbType, data, timestampMs } = breadcrumb;
  const isCall = isNetworkRequest(breadcrumb);
  return {
    level: isCall ? callLevel(breadcrumb) : readLogLevel(textAt(data, 'level') ?? undefined).level,
    message: isCall ? callText(breadcrumb) : (textAt(data, 'message') ?? breadcrumbType),
    attributes: shownData(breadcrumb),
    timestampMs,
  };
}

/** The data as the frontend block shows its like: addresses, bodies and traces are redacted by what they are. */
function shownData({ breadcrumbType, route, data }: Breadcrumb): JsonObject {
  const shown: JsonObject = { ...data, breadcrumb_type: breadcrumbType };
  const url = textAt(data, 'url');
  if (url !== null) shown.url = browserAddress(url);
  if (route !== null) shown.route = browserAddress(route);
  for (const key of ['request_body', 'response_body']) {
    if (Object.hasOwn(data, key)) shown[key] = redactBody(valueAt(data, key));
  }
  if (Object.hasOwn(data, 'caller_trace')) shown.caller_trace = redactTrace(valueAt(data, 'caller_trace'));
  return shown;
}

function callLevel(breadcrumb: Breadcrumb): LogLevel {
  const { status, isFailed } = callOutcome(breadcrumb);
  return isFailed || (status !== null && status >= REFUSED_STATUS) ? 'warning' : 'info';
}

/** Returns a text such as `GET https://api.example/x: 503 after 120 ms`. */
function callText(breadcrumb: Breadcrumb): string {
  const { data } = breadcrumb;
  const address = textAt(data, 'url');
  const method = textAt(data, 'method')?.toUpperCase();
  const call = [method, address === null ? null : browserAddress(address)].filter((part) => part).join(' ');
  return `${call || breadcrumb.breadcrumbType}: ${outcomeText(breadcrumb)}`;
}

/** The end of a call in words: its status or what went wrong, and how long it took. */
export function outcomeText(breadcrumb: Breadcrumb): string {
  const { data } = breadcrumb;
  const { status, isFailed } = callOutcome(breadcrumb);
  const duration = numberAt(data, 'duration_ms');
  const reason = textAt(data, 'failure_reason') ?? textAt(data, 'failure_kind');
  const end = status === null ? (reason ?? (isFailed ? 'no answer' : 'sent')) : String(status);
  return duration === null ? end : `${end} after ${Math.round(duration)} ms`;
}

/** Returns the line of a log, which is a separate event or part of one. */
export function logLine(
  { level, message, attributes }: Pick<AttachedLog, 'level' | 'message' | 'attributes'>,
  atMs: number,
  source: string,
  position = 0,
): TrailLine {
  return {
    atMs,
    source,
    position,
    item: {
      // One word per rank: `fatal` is shown as `critical`, as in the log rows (docs/contract/incidents.md 2.6).
      level: level === 'fatal' ? 'critical' : level,
      message: evidenceText(message, LOG_MESSAGE_BYTES_MAX),
      timestamp: formatTimestamp(atMs),
      attributes: boundMap(redactMap(attributes), LOG_ATTRIBUTES_BYTES_MAX),
    },
  };
}
