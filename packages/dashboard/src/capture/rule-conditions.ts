import type { CaptureMatcher } from '@culprit/contract/capture/capture';
import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import type { EventType } from '@culprit/evidence/events/normalize/event';

/** One line of a rule: a fact of an event, and what it must be. */
export interface Condition {
  fact: FactName;
  /** Lists are comma-separated. */
  value: string;
}

interface Fact {
  label: string;
  /** The continuation of a sentence after "events". */
  phrase: string;
  hint?: string;
  /** The types of events that have it; null is every one (docs/contract/ingestion.md 5.2). */
  types: readonly EventType[] | null;
  /** The values there are; none is free text. */
  choices?: Readonly<Record<string, string>>;
  isList?: true;
}

const EXCEPTIONS: readonly EventType[] = ['backend_exception', 'frontend_exception'];
const REQUESTS: readonly EventType[] = ['backend_exception', 'request_event', 'frontend_breadcrumb'];
const TEXTS: readonly EventType[] = [...EXCEPTIONS, 'log_event'];

export const TYPE_WORDS: Readonly<Record<EventType, string>> = {
  backend_exception: 'backend exceptions',
  frontend_exception: 'browser exceptions',
  request_event: 'requests',
  log_event: 'log lines',
  frontend_breadcrumb: 'breadcrumbs',
  deploy_metadata: 'deploys',
  error_suppressed: 'suppressed errors',
  probe_event: 'probe results',
};

const YES_NO = { true: 'yes', false: 'no' } as const;

/** Every fact that a rule can look at. */
const FACTS = {
  message_contains: { label: 'Message contains', phrase: 'whose message contains', types: TEXTS },
  message_equals: { label: 'Message is', phrase: 'whose message is', types: TEXTS },
  error_name: { label: 'Error type is', phrase: 'whose error is a', types: EXCEPTIONS },
  request_host: { label: 'Request to host', phrase: 'of requests to the host', types: REQUESTS },
  request_host_suffix: {
    label: 'Request host ends with',
    phrase: 'of requests to hosts that end with',
    types: REQUESTS,
  },
  request_path: { label: 'Request to path', phrase: 'of requests to the path', types: REQUESTS },
  request_path_prefix: {
    label: 'Request path begins with',
    phrase: 'of requests to paths that begin with',
    types: REQUESTS,
  },
  statuses: {
    label: 'Status of the answer',
    phrase: 'with the status',
    hint: 'Example: 404, 410, 500-599',
    types: REQUESTS,
    isList: true,
  },
  resource_host: {
    label: 'Resource of host',
    phrase: 'about resources of the host',
    types: ['frontend_exception'],
  },
  resource_host_suffix: {
    label: 'Resource host ends with',
    phrase: 'about resources of hosts that end with',
    types: ['frontend_exception'],
  },
  resource_path: {
    label: 'Resource at path',
    phrase: 'about the resource at',
    types: ['frontend_exception'],
  },
  resource_path_prefix: {
    label: 'Resource path begins with',
    phrase: 'about resources at paths that begin with',
    types: ['frontend_exception'],
  },
  browser_event_kind: {
    label: 'Kind of browser error',
    phrase: 'that are',
    types: ['frontend_exception'],
    choices: { window_error: 'window errors', resource_error: 'resources that did not load' },
  },
  browser_event_opaque: {
    label: 'Without details',
    phrase: 'without details:',
    types: ['frontend_exception'],
    choices: YES_NO,
  },
  client_kind: {
    label: 'Client is',
    phrase: 'caused by',
    types: null,
    choices: { human: 'people', bot: 'bots', unknown: 'unknown clients' },
  },
  bot_family: { label: 'Bot is', phrase: 'caused by', hint: 'Example: Googlebot', types: null },
  first_party: {
    label: 'Address is your own',
    phrase: 'of your own addresses:',
    types: [...EXCEPTIONS, 'request_event', 'frontend_breadcrumb'],
    choices: YES_NO,
  },
  services: { label: 'Service is', phrase: 'of', types: null, isList: true },
  environments: { label: 'Environment is', phrase: 'in', types: null, isList: true },
  runtime: {
    label: 'Runtime is',
    phrase: 'from',
    hint: 'One of: browser, node, python, php, java, go, ruby, unknown',
    types: null,
    isList: true,
  },
  event_types: {
    label: 'Event is one of',
    phrase: 'that are',
    hint: `One of: ${Object.keys(TYPE_WORDS).join(', ')}`,
    types: null,
    isList: true,
  },
  fingerprint: { label: 'Fingerprint is', phrase: 'with the fingerprint', types: EXCEPTIONS },
} as const satisfies Readonly<Record<string, Fact>>;

export type FactName = keyof typeof FACTS;

export function factOf(name: FactName): Fact {
  return FACTS[name];
}

function isFactName(name: string): name is FactName {
  return Object.hasOwn(FACTS, name);
}

export const FACT_NAMES: readonly FactName[] = Object.keys(FACTS).filter(isFactName);

/** Returns the facts that are possible beside the chosen ones: no event would have all of the others. */
export function factsBeside(chosen: readonly FactName[]): FactName[] {
  return FACT_NAMES.filter((name) => !chosen.includes(name) && typesOfAll([...chosen, name]).length > 0);
}

const ALL_TYPES: readonly EventType[] = [
  'backend_exception',
  'frontend_exception',
  'request_event',
  'log_event',
  'frontend_breadcrumb',
  'deploy_metadata',
  'error_suppressed',
  'probe_event',
];

function typesOfAll(names: readonly FactName[]): EventType[] {
  return ALL_TYPES.filter((type) => names.every((name) => factOf(name).types?.includes(type) ?? true));
}

export function listIn(value: string): string[] {
  return [...new Set(value.split(',').map((each) => each.trim()))].filter((each) => each !== '');
}

const RUNTIMES = ['browser', 'node', 'python', 'php', 'java', 'go', 'ruby', 'unknown'] as const;
const STATUS = /^([1-5]\d\d)(?:\s*-\s*([1-5]\d\d))?$/;

/** Why a line is not accepted; null when it is. */
export function faultOfCondition({ fact, value }: Condition): string | null {
  if (value.trim() === '') return 'Fill it in, or remove the line';
  const items = listIn(value);
  if (fact === 'statuses') {
    const isSound = items.every((item) => {
      const [, start, end = start] = STATUS.exec(item) ?? [];
      return start !== undefined && Number(start) <= Number(end);
    });
    return isSound ? null : 'Statuses or ranges, such as: 404, 500-599';
  }
  if (fact === 'runtime') return unknownOf(items, RUNTIMES);
  if (fact === 'event_types') return unknownOf(items, ALL_TYPES);
  return null;
}

function unknownOf(items: readonly string[], known: readonly string[]): string | null {
  const unknown = items.find((item) => !known.includes(item));
  return unknown === undefined ? null : `${unknown} is not one of them`;
}

/** The matcher that the lines make (docs/contract/ingestion.md 5.2): all must hold. */
export function matcherOf(conditions: readonly Condition[]): CaptureMatcher {
  const text = (fact: FactName) => conditions.find((each) => each.fact === fact)?.value.trim();
  const list = (fact: FactName) => listIn(text(fact) ?? '');
  const statuses = list('statuses').map((item) => STATUS.exec(item));
  const exact = statuses.flatMap((match) => (match?.[2] === undefined ? [Number(match?.[1])] : []));
  const ranges = statuses.flatMap((match) =>
    match?.[2] === undefined ? [] : [{ start: Number(match[1]), end: Number(match[2]) }],
  );
  const request = urlMatcher(text, 'request');
  const resource = urlMatcher(text, 'resource');
  const kind = oneOf(text('browser_event_kind'), ['window_error', 'resource_error']);
  const client = oneOf(text('client_kind'), ['human', 'bot', 'unknown']);
  const types = ALL_TYPES.filter((type) => list('event_types').includes(type));
  const runtimes = RUNTIMES.filter((runtime) => list('runtime').includes(runtime));
  return withoutAbsent({
    event_types: types.length === 0 ? undefined : types,
    services: list('services').length === 0 ? undefined : list('services'),
    environments: list('environments').length === 0 ? undefined : list('environments'),
    runtime: runtimes.length === 0 ? undefined : runtimes,
    fingerprint: fingerprintOf(text('fingerprint')),
    error_name: text('error_name'),
    message_equals: text('message_equals'),
    message_contains: text('message_contains'),
    browser_event_kind: kind,
    browser_event_opaque: yesOrNo(text('browser_event_opaque')),
    resource_url: resource,
    request_url: request,
    status_codes: exact.length === 0 ? undefined : exact,
    status_ranges: ranges.length === 0 ? undefined : ranges,
    first_party: yesOrNo(text('first_party')),
    client_kind: client,
    bot_family: text('bot_family'),
  });
}

type Optional<T> = { [Key in keyof T]: T[Key] | undefined };

function withoutAbsent(matcher: Optional<Required<CaptureMatcher>>): CaptureMatcher {
  return Object.fromEntries(Object.entries(matcher).filter(([, value]) => value !== undefined));
}

function urlMatcher(text: (fact: FactName) => string | undefined, of: 'request' | 'resource') {
  const parts = Object.entries({
    host: text(`${of}_host`),
    host_suffix: text(`${of}_host_suffix`),
    path_equals: text(`${of}_path`),
    path_prefix: text(`${of}_path_prefix`),
  }).filter(([, value]) => value !== undefined);
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

function oneOf<const Word extends string>(
  value: string | undefined,
  words: readonly Word[],
): Word | undefined {
  return words.find((word) => word === value);
}

function yesOrNo(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : value === 'true';
}

/** Version and value are in one line, such as `v2:3f2b…`. */
function fingerprintOf(text: string | undefined): CaptureMatcher['fingerprint'] | undefined {
  if (text === undefined) return undefined;
  const [, version = FINGERPRINT_VERSION, value = text] = /^(v\d+):(.+)$/.exec(text) ?? [];
  return { version, value };
}

/** The lines of a stored matcher. */
export function conditionsOf(matcher: CaptureMatcher): Condition[] {
  const { resource_url: resource, request_url: request, fingerprint } = matcher;
  const statuses = [
    ...(matcher.status_codes ?? []).map(String),
    ...(matcher.status_ranges ?? []).map(({ start, end }) => `${start}-${end}`),
  ];
  const values: Readonly<Record<FactName, string | undefined>> = {
    message_contains: matcher.message_contains,
    message_equals: matcher.message_equals,
    error_name: matcher.error_name,
    request_host: request?.host,
    request_host_suffix: request?.host_suffix,
    request_path: request?.path_equals,
    request_path_prefix: request?.path_prefix,
    statuses: statuses.length === 0 ? undefined : statuses.join(', '),
    resource_host: resource?.host,
    resource_host_suffix: resource?.host_suffix,
    resource_path: resource?.path_equals,
    resource_path_prefix: resource?.path_prefix,
    browser_event_kind: matcher.browser_event_kind,
    browser_event_opaque: matcher.browser_event_opaque?.toString(),
    client_kind: matcher.client_kind,
    bot_family: matcher.bot_family,
    first_party: matcher.first_party?.toString(),
    services: matcher.services?.join(', '),
    environments: matcher.environments?.join(', '),
    runtime: matcher.runtime?.join(', '),
    event_types: matcher.event_types?.join(', '),
    fingerprint: fingerprint === undefined ? undefined : `${fingerprint.version}:${fingerprint.value}`,
  };
  return FACT_NAMES.flatMap((fact) => {
    const value = values[fact];
    return value === undefined ? [] : [{ fact, value }];
  });
}
