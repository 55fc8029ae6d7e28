import { hash } from 'node:crypto';
import type {
  EventType,
  ExceptionPayload,
  LoggedError,
  LogPayload,
  NormalizedEvent,
  RequestPayload,
} from '../normalize/event.ts';
import { cutUnits } from './bounded-text.ts';
import { type BrowserFailure, browserFailure } from './browser-failure.ts';
import { type ApplicationFrame, selectFrames } from './frame-selection.ts';
import { messageTemplate } from './message-template.ts';
import { requestRoute } from './route-template.ts';
import { exceptionChain, parseStack } from './stack/parse-stack.ts';
import type { ParsedException } from './stack/parsed-stack.ts';

export interface FingerprintV1 {
  version: 'v1';
  /** 64 lower-case hex digits. */
  value: string;
  kind: 'exception' | 'request' | 'log' | 'window' | 'resource';
  /** The canonical JSON whose SHA-256 is `value`. */
  materialJson: string;
  /** Inputs of the grouping key (contract incidents 5.4.9). */
  matchedFields: string[];
  /** Outermost first; empty for requests, for browser failures and for logs without an error. */
  chain: ParsedException[];
  applicationFrame: ApplicationFrame | null;
}

type AvailabilityFingerprintV1 = Omit<FingerprintV1, 'kind'> & { kind: 'availability' };

/**
 * Fingerprint of one event by version `v1` (contract incidents 5.4), null for the types that have none.
 * Requests and logs get one whether or not they are signals. Never throws; work is bounded by the caps.
 */
export function fingerprintEventV1(event: NormalizedEvent): FingerprintV1 | null {
  const { payload } = event;
  if (payload.kind === 'exception') return exceptionFingerprint(event.eventType, payload);
  if (payload.kind === 'request') return requestFingerprint(payload);
  return payload.kind === 'log' ? logFingerprint(payload) : null;
}

/** Fingerprint of the incident of a failing availability check. */
export function availabilityFingerprintV1(checkId: string): AvailabilityFingerprintV1 {
  return sealed('availability', { check: checkId }, ['availability_check'], [], null);
}

const TYPE_CHARS_MAX = 200;

function exceptionFingerprint(eventType: EventType, payload: ExceptionPayload): FingerprintV1 {
  const failure = browserFailure(eventType, payload);
  if (failure !== null) return browserFingerprint(failure);
  const chain = exceptionChain(payload);
  const { frames, applicationFrame } = selectFrames(chain);
  const innermost = chain.at(-1);
  const material: Material = {
    type: cutUnits(chain[0]?.type ?? '', TYPE_CHARS_MAX),
    msg: rejectionTemplate(payload) ?? messageTemplate(innermost?.message ?? '', innermost?.type ?? ''),
  };
  const fields = ['error_type', 'normalized_message'];
  if (chain.length > 1) {
    material.cause = innermost?.type ?? '';
    fields.push('cause_type');
  }
  if (frames.length > 0) {
    material.frames = frames;
    fields.push('top_frames');
  } else {
    fields.push(...addRoute(material, payload));
  }
  return sealed('exception', material, fields, chain, applicationFrame);
}

/** The message of a rejection with something that is no error: what was rejected says more. */
function rejectionTemplate({ name, rejectionReason: reason }: ExceptionPayload): string | null {
  if (reason === null || reason.kind === 'error') return null;
  const text = [reason.message, reason.preview].find((part) => part !== null && part.trim() !== '');
  return text === undefined || text === null ? reason.kind : messageTemplate(text, name);
}

/** Without frames the route tells where. Returns the matched fields. */
function addRoute(material: Material, { request, route: pageRoute }: ExceptionPayload): string[] {
  const fields: string[] = [];
  const page = { routeTemplate: null, path: pageRoute, url: null };
  const route = (request === null ? null : requestRoute(request)) ?? requestRoute(page);
  if (route !== null) {
    material.route = route;
    fields.push('route_template');
  }
  const method = request?.method?.trim().toUpperCase() ?? '';
  if (method !== '') {
    material.method = method;
    fields.push('http_method');
  }
  return fields;
}

function browserFingerprint(failure: BrowserFailure): FingerprintV1 {
  if (failure.kind === 'window') {
    const material = { src: failure.source, msg: failure.messageTemplate };
    const fields = ['browser_event_kind', 'normalized_message', 'source_file'];
    return sealed('window', material, fields, [], null);
  }
  const { host, path, tag } = failure;
  const fields = ['browser_event_kind', 'resource_host', 'resource_path', 'resource_tag'];
  return sealed('resource', { host, path, tag }, fields, [], null);
}

function requestFingerprint({ request, response }: RequestPayload): FingerprintV1 {
  const material = {
    method: request.method.trim().toUpperCase(),
    route: requestRoute(request) ?? '/',
    status: response.statusCode,
  };
  return sealed('request', material, ['http_method', 'route_template', 'http_status'], [], null);
}

function logFingerprint({ message, error }: LogPayload): FingerprintV1 {
  const chain = error === null ? [] : loggedChain(error, message);
  const hasFrames = chain.some((member) => member.frames.length > 0);
  if (chain.length === 0 || (error?.isArgument && !hasFrames)) {
    return sealed('log', { msg: messageTemplate(message, '') }, ['normalized_message'], chain, null);
  }
  const type = chain[0]?.type ?? '';
  const { frames, applicationFrame } = selectFrames(chain);
  const material: Material = { msg: messageTemplate(message, type) };
  const fields = ['normalized_message'];
  if (type !== '') {
    material.type = cutUnits(type, TYPE_CHARS_MAX);
    fields.push('error_type');
  }
  if (frames.length > 0) {
    material.frames = frames;
    fields.push('top_frames');
  }
  return sealed('log', material, fields, chain, applicationFrame);
}

/** The chain of a logged error, outermost first; of one in an attribute only what its stack shows. */
function loggedChain({ isArgument, name, message, stack, causes }: LoggedError, line: string) {
  if (isArgument) return exceptionChain({ name: name ?? '', message: message ?? line, stack, causes });
  const [outermost, ...rest] = parseStack(stack);
  if (outermost === undefined) return [];
  return [{ ...outermost, type: name ?? outermost.type, message: outermost.message || line }, ...rest];
}

/** What distinguishes one fingerprint of a kind from another; `k` and `v` come with the seal. */
type Material = Record<string, string | number | string[]>;

function sealed<Kind extends FingerprintV1['kind'] | 'availability'>(
  kind: Kind,
  material: Material,
  fields: readonly string[],
  chain: ParsedException[],
  applicationFrame: ApplicationFrame | null,
): Omit<FingerprintV1, 'kind'> & { kind: Kind } {
  const materialJson = sortedJson({ ...material, k: kind, v: 1 });
  return {
    version: 'v1',
    value: hash('sha256', materialJson, 'hex'),
    kind,
    materialJson,
    matchedFields: ['environment', 'service', ...fields],
    chain,
    applicationFrame,
  };
}

/** Keys by code unit, no white space (contract incidents 5.4.1). */
function sortedJson(material: Material): string {
  const keys = Object.keys(material).sort();
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, material[key]])));
}
