import { isSecretKey, REDACTED } from '@culprit/contract/events/secret-keys';
import type { NetworkRequest, RequestBlock } from '@culprit/contract/incidents/bundle-context';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { compareText } from '../evidence/choose-evidence.ts';
import { headerText } from '../evidence/read-open-map.ts';
import { NO_BODY, type ReplayBody, replayBody } from './replay-body.ts';
import { splitAddress } from './request-target.ts';
import { hasControlCharacter } from './shell-quote.ts';

/** A request that can be sent again. All of it is redacted already. */
export interface ReplayRequest {
  method: string;
  /** Scheme and host; null when unknown. */
  origin: string | null;
  path: string;
  query: JsonObject;
  /** Sorted by lower-case name. */
  headers: [name: string, value: string][];
  body: ReplayBody;
  isCredentialRedacted: boolean;
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/** Requests without a body: libraries that write one for them describe an empty input. */
const BODILESS_METHODS = new Set(['GET', 'HEAD']);

/** Set by the sending side or by proxies on the way (docs/contract/incidents.md 4.3, headers dropped). */
const DROPPED_HEADERS = new Set([
  'host',
  'connection',
  'accept-encoding',
  'content-length',
  'cache-control',
  'user-agent',
  'te',
  'trailer',
  'upgrade',
  'via',
  'forwarded',
]);
const DROPPED_PREFIXES = ['x-forwarded-', 'sec-'];

/** A name HTTP allows. Anything else (a pseudo header such as `:path`) never was a header line. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;

/** The request of the request block; null when its method, path or a header can not be replayed (rule R2). */
export function replayOfBlock(
  block: RequestBlock,
  origin: string | null,
  body: JsonValue,
): ReplayRequest | null {
  const { method, path } = block;
  if (method === null || path === null || !isRequestLine(method, path)) return null;
  if (!areHeadersClean(block.headers)) return null;
  const headers = keptHeaders(block.headers);
  return {
    method,
    origin,
    path,
    query: block.query,
    headers,
    body: bodyOf(method, body, block.headers),
    isCredentialRedacted: headers.some(([name, value]) => isSecretKey(name) && value.includes(REDACTED)),
  };
}

/** A request from the trail of a browser; null under rule R2. A relative address belongs to the page. */
export function replayOfTrail(request: NetworkRequest, pageOrigin: string | null): ReplayRequest | null {
  const address = splitAddress(request.url ?? '');
  if (request.method === null || !isRequestLine(request.method, address.path)) return null;
  const body = BODILESS_METHODS.has(request.method) ? NO_BODY : trailBody(request.request_body ?? null);
  return {
    method: request.method,
    origin: address.origin ?? pageOrigin,
    path: address.path,
    query: {},
    // Libraries capture no request headers here, and without this one a JSON body would go out as a form.
    headers: body.text !== null && /^\s*[{[]/.test(body.text) ? [['content-type', 'application/json']] : [],
    body,
    isCredentialRedacted: false,
  };
}

function bodyOf(method: string, body: JsonValue, headers: JsonObject): ReplayBody {
  if (BODILESS_METHODS.has(method)) return NO_BODY;
  const captured = replayBody(body, headerText(headers, 'content-type'));
  return captured.text === null && hadBody(headers) ? { ...captured, isOmitted: true } : captured;
}

/** The headers announce a body; libraries send it only if the application allows that. */
function hadBody(headers: JsonObject): boolean {
  const length = headerText(headers, 'content-length')?.trim() ?? '';
  return /^0*[1-9]\d*$/.test(length) || /\bchunked\b/i.test(headerText(headers, 'transfer-encoding') ?? '');
}

/** The frontend block may already hold only the beginning of a body. */
function trailBody(body: JsonValue): ReplayBody {
  if (!isJsonObject(body) || body.truncated !== true || typeof body.head !== 'string')
    return replayBody(body, null);
  return { ...replayBody(body.head, null), value: body, isTruncated: true };
}

/** Rule R2 of method and path. */
export function isRequestLine(method: string, path: string): boolean {
  return METHODS.has(method) && path.startsWith('/') && !hasControlCharacter(path);
}

function areHeadersClean(headers: JsonObject): boolean {
  return Object.entries(headers).every(([name, value]) => {
    const text = headerValue(value);
    return !hasControlCharacter(name) && (text === null || !hasControlCharacter(text));
  });
}

function keptHeaders(headers: JsonObject): [string, string][] {
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    const lowerName = name.toLowerCase();
    const text = headerValue(value);
    if (text === null || !HEADER_NAME.test(name) || DROPPED_HEADERS.has(lowerName)) continue;
    if (DROPPED_PREFIXES.some((prefix) => lowerName.startsWith(prefix))) continue;
    kept.push([name, text]);
  }
  return kept.sort(([a], [b]) => compareText(a.toLowerCase(), b.toLowerCase()) || compareText(a, b));
}

/**
 * One line of text without the blanks HTTP drops at its ends; a header that came several times is joined as HTTP
 * allows. Null for what is no header value.
 */
function headerValue(value: JsonValue): string | null {
  if (typeof value === 'string') return value.replace(/^[ \t]+|[ \t]+$/g, '');
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!Array.isArray(value)) return null;
  const texts = value.map(headerValue).filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join(', ');
}
