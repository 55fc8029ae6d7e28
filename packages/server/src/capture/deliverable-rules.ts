import type { CaptureMatcher, CaptureRule, UrlMatcher } from '@culprit/contract/capture/capture';
import type { EventType } from '@culprit/evidence/events/normalize/event';

/**
 * Which library reads rules. `own` leaves an event to the server as soon as an earlier rule that it cannot judge may
 * match (docs/contract/clients.md 9.2). A published library ignores matcher keys that it does not know, so its rule
 * would match more; only the one for browsers compares addresses of resources.
 */
export type RuleReader = 'own' | 'published_browser' | 'published_server';

/**
 * The rules that a library decides exactly as the server does (docs/contract/ingestion.md 7.3), in their order. What is
 * left out is decided by the server alone, and so is every later rule that could act on an event which a rule left out
 * would have kept.
 * @param rules those in force, in the order of their evaluation
 */
export function deliverableRules(rules: readonly CaptureRule[], reader: RuleReader): CaptureRule[] {
  if (reader === 'own') return [...rules];
  const delivered: CaptureRule[] = [];
  const keeping: RuleScope[] = [];
  for (const rule of rules) {
    const scope = scopeOf(rule.matcher);
    if (isExactIn(rule.matcher, reader) && !keeping.some((each) => mayMeetSameEvent(each, scope))) {
      delivered.push(rule);
    } else if (rule.action !== 'drop') {
      keeping.push(scope);
    }
  }
  return delivered;
}

/** Keys that no published library compares as the server does; some of its releases ignore them. */
const SERVER_ONLY_KEYS = [
  'fingerprint',
  'browser_event_kind',
  'browser_event_opaque',
  'client_kind',
  'bot_family',
] as const satisfies readonly (keyof CaptureMatcher)[];

function isExactIn(matcher: CaptureMatcher, reader: 'published_browser' | 'published_server'): boolean {
  if (SERVER_ONLY_KEYS.some((key) => matcher[key] !== undefined)) return false;
  if (matcher.resource_url !== undefined && reader !== 'published_browser') return false;
  return (
    textsOf(matcher).every((text) => text === text.trim()) &&
    isExactUrl(matcher.resource_url) &&
    isExactUrl(matcher.request_url)
  );
}

/** Texts that a published library trims, and ignores when nothing is left. */
function textsOf(matcher: CaptureMatcher): string[] {
  const { error_name, message_equals, message_contains } = matcher;
  return [
    ...(matcher.services ?? []),
    ...(matcher.environments ?? []),
    ...[error_name, message_equals, message_contains].filter((text) => text !== undefined),
    ...Object.values(matcher.resource_url ?? {}),
    ...Object.values(matcher.request_url ?? {}),
  ];
}

/** A published library compares hosts without their port, and completes paths before it compares them. */
function isExactUrl(matcher: UrlMatcher = {}): boolean {
  const { host, host_suffix, path_equals, path_prefix } = matcher;
  return (
    [host, host_suffix].every((name) => name?.includes(':') !== true) &&
    [path_equals, path_prefix].every((path) => path === undefined || /^\/[^?#]*$/.test(path))
  );
}

/** The events that a rule can be about, as far as that is cheap to compare. */
interface RuleScope {
  eventTypes: ReadonlySet<EventType> | null;
  runtimes: ReadonlySet<string> | null;
  services: ReadonlySet<string> | null;
  environments: ReadonlySet<string> | null;
}

const EXCEPTIONS: readonly EventType[] = ['backend_exception', 'frontend_exception'];
const REQUESTS: readonly EventType[] = ['backend_exception', 'request_event', 'frontend_breadcrumb'];
const FRONTEND: readonly EventType[] = ['frontend_exception'];

/** The event types that have the fact a key compares (docs/contract/ingestion.md 5.2); the other keys fit every type. */
const TYPES_OF_KEY = {
  resource_url: FRONTEND,
  browser_event_kind: FRONTEND,
  browser_event_opaque: FRONTEND,
  error_name: EXCEPTIONS,
  message_equals: [...EXCEPTIONS, 'log_event'],
  message_contains: [...EXCEPTIONS, 'log_event'],
  request_url: REQUESTS,
  status_codes: REQUESTS,
  status_ranges: REQUESTS,
  first_party: [...REQUESTS, 'frontend_exception'],
} as const satisfies { [Key in keyof CaptureMatcher]: readonly EventType[] };

/** Longer lists are not compared: every client polls, and a project may have 200 rules. */
const COMPARED_VALUES_MAX = 20;

function scopeOf(matcher: CaptureMatcher): RuleScope {
  let eventTypes = matcher.event_types === undefined ? null : new Set<EventType>(matcher.event_types);
  for (const [key, types] of Object.entries(TYPES_OF_KEY)) {
    if (!Object.hasOwn(matcher, key)) continue;
    const known: Set<EventType> | null = eventTypes;
    eventTypes = new Set(types.filter((type) => known === null || known.has(type)));
  }
  return {
    eventTypes,
    runtimes: comparedSet(matcher.runtime),
    services: comparedSet(matcher.services),
    environments: comparedSet(matcher.environments),
  };
}

function comparedSet(values: readonly string[] | undefined): ReadonlySet<string> | null {
  if (values === undefined) return null;
  const set = new Set(values);
  return set.size > COMPARED_VALUES_MAX ? null : set;
}

function mayMeetSameEvent(a: RuleScope, b: RuleScope): boolean {
  return (
    shareValue(a.eventTypes, b.eventTypes) &&
    shareValue(a.runtimes, b.runtimes) &&
    shareValue(a.services, b.services) &&
    shareValue(a.environments, b.environments)
  );
}

/** Null is every value. */
function shareValue(a: ReadonlySet<string> | null, b: ReadonlySet<string> | null): boolean {
  return a === null || b === null || [...a].some((value) => b.has(value));
}
