import type { Step } from './client.ts';
import { isJsonObject } from './redaction/clean.ts';
import { samplingNumber } from './repeats/fnv1a.ts';
import { clientOf } from './sending/client-kind.ts';
import { readWebAddress, type WebAddress } from './sending/web-address.ts';
import type { CaptureRule, JsonObject, JsonValue, WireEvent } from './wire.ts';

/** The result of a matcher's key for an event; null if only the service can decide it. */
type Match = boolean | null;

/** Step 7 of docs/contract/clients.md 7.1: what the project's rules drop is not sent. */
export function createRulesStep(rules: () => readonly CaptureRule[], now: () => number): Step {
  return (event) => (isDroppedByRules(rules(), event, now()) ? 'rule' : event);
}

/**
 * Returns true if the rules, in evaluation order, drop an event (docs/contract/ingestion.md 5.3). The first that
 * matches decides; one that may match, because a key of it cannot be judged here, leaves the event to the service.
 */
export function isDroppedByRules(rules: readonly CaptureRule[], event: WireEvent, nowMs: number): boolean {
  const facts = readFacts(event);
  for (const rule of rules) {
    if (rule.expires_at !== null && rule.expires_at !== undefined && !(Date.parse(rule.expires_at) > nowMs))
      continue;
    const match = meets(rule, facts);
    if (match === false) continue;
    if (match === null) return false;
    if (rule.action === 'drop') return true;
    return (
      rule.action === 'sample' &&
      samplingNumber(`${rule.project_id}:${rule.id}:${event.event_id}`) >= (rule.sample_rate ?? 1)
    );
  }
  return false;
}

function meets({ matcher }: CaptureRule, facts: Facts): Match {
  let result: Match = true;
  for (const key of Object.keys(matcher)) {
    const match = KEYS.get(key)?.(matcher[key], facts) ?? null;
    if (match === false) return false;
    if (match === null) result = null;
  }
  return result;
}

interface Facts {
  event: WireEvent;
  isException: boolean;
  request: { address: WebAddress | null; status: number | null };
  resource: WebAddress | null;
  /** Undefined: only the service can decide. */
  browserEvent: JsonObject | null | undefined;
  message: string | null | undefined;
}

const KEYS: ReadonlyMap<string, (value: unknown, facts: Facts) => Match> = new Map(
  Object.entries<(value: unknown, facts: Facts) => Match>({
    fingerprint: () => null,
    event_types: (value, { event }) => isIn(value, event.event_type),
    services: (value, { event }) => isIn(value, event.service.name),
    environments: (value, { event }) => isIn(value, event.service.environment),
    runtime: (value, { event }) => isIn(typeof value === 'string' ? [value] : value, runtimeOf(event)),
    status_codes: (value, { request }) => request.status !== null && isIn(value, request.status),
    status_ranges: (value, { request: { status } }) =>
      !Array.isArray(value)
        ? null
        : status !== null && value.some((range) => range?.start <= status && status <= range?.end),
    browser_event_kind: (value, { browserEvent }) =>
      browserEvent === undefined ? null : browserEvent !== null && browserEvent.kind === value,
    browser_event_opaque: (value, { browserEvent }) =>
      browserEvent === undefined ? null : browserEvent !== null && browserEvent.opaque === value,
    error_name: (value, { event, isException }) => isException && event.payload.name === value,
    message_equals: (value, { message }) =>
      message === undefined ? null : message !== null && message === value,
    message_contains: (value, { message }) =>
      message === undefined ? null : message !== null && typeof value === 'string' && message.includes(value),
    resource_url: (value, { resource }) => meetsAddress(value, resource),
    request_url: (value, { request }) => meetsAddress(value, request.address),
    first_party: (value, facts) => firstParty(facts) === value,
    client_kind: (value, { event }) => clientFact(event)?.kind === value,
    bot_family: (value, { event }) => {
      const family = clientFact(event)?.family ?? null;
      return family !== null && family === value;
    },
  }),
);

function isIn(list: unknown, value: string | number): Match {
  return Array.isArray(list) ? list.includes(value) : null;
}

function runtimeOf({ service: { runtime } }: WireEvent): string {
  const name = runtime === 'nodejs' ? 'node' : runtime === 'golang' ? 'go' : runtime;
  return name !== null && /^(?:browser|node|python|php|java|go|ruby)$/.test(name) ? name : 'unknown';
}

function meetsAddress(value: unknown, address: WebAddress | null): Match {
  if (typeof value !== 'object' || value === null) return null;
  if (address === null) return false;
  const matcher: { [key: string]: unknown } = { ...value };
  let result: Match = true;
  for (const key of Object.keys(matcher)) {
    const match = meetsAddressKey(key, matcher[key], address);
    if (match === false) return false;
    if (match === null) result = null;
  }
  return result;
}

function meetsAddressKey(key: string, value: unknown, { host, hostAndPort, path }: WebAddress): Match {
  if (typeof value !== 'string') return null;
  const name = value.toLowerCase();
  switch (key) {
    case 'host':
      return host === name || hostAndPort === name;
    case 'host_suffix':
      return host?.endsWith(name) === true || hostAndPort?.endsWith(name) === true;
    case 'path_equals':
      return path === value;
    case 'path_prefix':
      return path.startsWith(value);
    default:
      return null;
  }
}

const SCRIPT_ERROR = /^\s*Script error\.?\s*$/;

function readFacts(event: WireEvent): Facts {
  const { payload, event_type: type } = event;
  const isException = type.endsWith('exception');
  const browserEvent = objectOrNull(payload.browser_event);
  const isFrontend = type === 'frontend_exception';
  const text = typeof payload.message === 'string' ? payload.message : '';
  return {
    event,
    isException,
    request: readRequest(event),
    resource: isFrontend
      ? (addressOf(objectOrNull(browserEvent?.target)?.source_url) ?? addressOf(browserEvent?.file_name))
      : null,
    // The service takes a hidden error for an opaque one when its stack has no frames.
    browserEvent: !isFrontend
      ? null
      : browserEvent === null && SCRIPT_ERROR.test(text)
        ? undefined
        : browserEvent,
    // Without a message the service reads one out of the stack.
    message: type === 'log_event' ? text : isException ? text || undefined : null,
  };
}

function readRequest({ payload, event_type: type }: WireEvent): Facts['request'] {
  if (type === 'request_event')
    return { address: addressOf(payload.path), status: numberOrNull(payload.response_status) };
  if (type === 'backend_exception') {
    return {
      address: addressOf(objectOrNull(payload.request)?.path),
      status: numberOrNull(objectOrNull(payload.response)?.status_code),
    };
  }
  if (type !== 'frontend_breadcrumb' || !/^network(?:_request)?$/.test(String(payload.breadcrumb_type))) {
    return { address: null, status: null };
  }
  const data = objectOrNull(payload.data);
  return {
    address: addressOf(data?.url),
    status: numberOrNull(data?.status_code) ?? numberOrNull(data?.status),
  };
}

/** Null where it is not known: neither value matches. */
function firstParty({ event: { event_type: type }, request, resource }: Facts): boolean | null {
  const address = type === 'frontend_exception' ? resource : request.address;
  if (address !== null) return !address.isAbsolute;
  return type === 'backend_exception' || type === 'request_event' ? true : null;
}

function clientFact({ event_type: type, payload }: WireEvent): ReturnType<typeof clientOf> | null {
  const device = objectOrNull(payload.device);
  const headers =
    type === 'request_event'
      ? payload.headers
      : type === 'backend_exception'
        ? objectOrNull(payload.request)?.headers
        : null;
  const agent = textOrNull(device?.user_agent) ?? headerIn(objectOrNull(headers), 'user-agent');
  return device === null && agent === null ? null : clientOf(agent);
}

function headerIn(headers: JsonObject | null, name: string): string | null {
  for (const key of Object.keys(headers ?? {})) {
    if (key.toLowerCase() !== name) continue;
    const value = headers?.[key];
    return textOrNull(Array.isArray(value) ? value[0] : value);
  }
  return null;
}

function addressOf(value: JsonValue | undefined): WebAddress | null {
  return typeof value === 'string' ? readWebAddress(value) : null;
}

function objectOrNull(value: JsonValue | undefined): JsonObject | null {
  return isJsonObject(value) && Object.keys(value).length > 0 ? value : null;
}

function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function numberOrNull(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}
