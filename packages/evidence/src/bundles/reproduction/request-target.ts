import type { JsonObject, JsonValue } from '../../events/envelope/json.ts';
import type { HttpRequest } from '../../events/normalize/event.ts';
import { headerText } from '../evidence/read-open-map.ts';

/** The target of a captured request. */
interface RequestTarget {
  /** Scheme and host such as `https://api.shop.example`; null when unknown. */
  origin: string | null;
  /** Without origin, query and fragment; null when the event named none. */
  path: string | null;
  /** The captured query, with parameters of the address that it lacks. */
  query: JsonObject;
}

/** The parts of an address. */
interface AddressParts {
  origin: string | null;
  path: string;
  /** After `?`, without fragment; empty when there is none. */
  search: string;
}

/** Parameters read out of one address; more are not captured by any library. */
const PARAMETERS_MAX = 200;
/** Hosts on which hardly anybody has a certificate. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Returns the target of a request (docs/contract/incidents.md 4.2): the origin is that of an absolute address, else it
 * is built from headers. The query of the address is added to the query map, where redaction sees its keys.
 */
export function requestTarget(request: HttpRequest): RequestTarget {
  const address = request.path ?? request.url;
  const parts = splitAddress(address ?? '');
  const origin =
    parts.origin ??
    (request.url === null ? null : splitAddress(request.url).origin) ??
    headerOrigin(request.headers);
  return {
    origin,
    path: address === null ? null : parts.path,
    query: mergeQuery(request.query, parts.search),
  };
}

/** Splits an absolute or relative address. User-info is dropped; an origin that is no plain http(s) one is null. */
export function splitAddress(address: string): AddressParts {
  const absolute = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)/i.exec(address);
  const rest = absolute === null ? address : address.slice(absolute[0].length);
  const hashAt = rest.indexOf('#');
  const unfragmented = hashAt === -1 ? rest : rest.slice(0, hashAt);
  const queryAt = unfragmented.indexOf('?');
  const path = queryAt === -1 ? unfragmented : unfragmented.slice(0, queryAt);
  return {
    origin: absolute === null ? null : plainOrigin(absolute[1] ?? '', absolute[2] ?? ''),
    path: path === '' && absolute !== null ? '/' : path,
    search: queryAt === -1 ? '' : unfragmented.slice(queryAt + 1),
  };
}

function headerOrigin(headers: JsonObject): string | null {
  const host = firstOfList(headerText(headers, 'x-forwarded-host') ?? headerText(headers, 'host'));
  if (host === null) return null;
  const scheme =
    firstOfList(headerText(headers, 'x-forwarded-proto')) ??
    pageScheme(headers, host) ??
    (LOOPBACK.test(host) ? 'http' : 'https');
  return plainOrigin(scheme, host);
}

/** Returns the scheme of a page that calls its own server. */
function pageScheme(headers: JsonObject, host: string): string | null {
  for (const name of ['origin', 'referer']) {
    const [, scheme = '', authority] = /^(https?):\/\/([^/?#]*)/i.exec(headerText(headers, name) ?? '') ?? [];
    if (authority?.toLowerCase() === host.toLowerCase()) return scheme;
  }
  return null;
}

/** A chain of proxies lists the client's side first. */
function firstOfList(text: string | null): string | null {
  const first = text?.split(',', 1)[0]?.trim() ?? '';
  return first === '' ? null : first;
}

/** Only characters a host can have: the origin ends up in a shell command and must not surprise anybody there. */
function plainOrigin(scheme: string, authority: string): string | null {
  const lowerScheme = scheme.toLowerCase();
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (lowerScheme !== 'http' && lowerScheme !== 'https') return null;
  return /^(?:[A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/.test(host)
    ? `${lowerScheme}://${host}`
    : null;
}

function mergeQuery(query: JsonObject, search: string): JsonObject {
  if (search === '') return query;
  const merged: JsonObject = Object.create(null);
  for (const [key, value] of Object.entries(query)) merged[key] = value;
  let count = 0;
  for (const [key, value] of new URLSearchParams(search)) {
    if (++count > PARAMETERS_MAX) break;
    // Values that the library parsed itself are kept.
    if (!Object.hasOwn(query, key)) merged[key] = appendParameter(merged[key], value);
  }
  return merged;
}

function appendParameter(present: JsonValue | undefined, value: string): JsonValue {
  if (present === undefined) return value;
  return Array.isArray(present) ? [...present, value] : [present, value];
}
