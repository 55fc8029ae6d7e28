import { readFileSync } from 'node:fs';
import { REDACTED } from '@culprit/contract/events/secret-keys';
import type { ReproductionRequest } from '@culprit/contract/incidents/reproduction';
import { CliError, usageError } from '../cli-error.ts';
import { isObject } from '../config/json-file.ts';
import { EXIT } from '../exit-codes.ts';

/** The request that will be sent, made of data and never of a shell's words. */
export interface BuiltRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string | null;
  /** Headers that were left out because their values are redacted. */
  leftOut: string[];
}

const METHOD = /^[A-Z]{3,10}$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Set by the client itself, or dangerous to take from an event. */
const NOT_SENT = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-authorization',
]);

interface Changes {
  /** Replaces the captured origin. */
  baseUrl: string | null;
  /** `name: value` each. */
  headers: readonly string[];
  /** `json.path=value` each. */
  sets: readonly string[];
}

/** Makes the request of captured data and what was typed. Throws for whatever is not a plain HTTP request. */
export function buildRequest(
  spec: ReproductionRequest,
  { baseUrl, headers: typed, sets }: Changes,
): BuiltRequest {
  const method = spec.method.toUpperCase();
  if (!METHOD.test(method)) throw unusable('its method is not valid');
  const url = urlOf(spec, baseUrl);
  const headers: Record<string, string> = {};
  const leftOut: string[] = [];
  for (const [name, value] of Object.entries(spec.headers)) {
    if (NOT_SENT.has(name.toLowerCase())) continue;
    if (value.includes(REDACTED)) leftOut.push(name);
    else setHeader(headers, name, value);
  }
  for (const text of typed) {
    const colon = text.indexOf(':');
    if (colon <= 0) throw usageError(`"${text}" is not NAME:VALUE.`);
    const name = text.slice(0, colon).trim();
    setHeader(headers, name, typedValue(text.slice(colon + 1).trim()));
    const at = leftOut.findIndex((each) => each.toLowerCase() === name.toLowerCase());
    if (at >= 0) leftOut.splice(at, 1);
  }
  const body = bodyOf(spec.body, sets);
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  if (body !== null && !hasType && typeof spec.body !== 'string')
    headers['content-type'] = 'application/json';
  return { method, url, headers, body, leftOut };
}

function urlOf(spec: ReproductionRequest, baseUrl: string | null): URL {
  let url: URL;
  try {
    url = new URL(spec.url);
  } catch {
    // Captured without an origin: the typed one is needed.
    if (baseUrl === null)
      throw usageError(
        'The request was captured without an origin.',
        'give it: --base-url http://localhost:3000',
      );
    url = new URL(spec.url, 'http://placeholder.invalid');
  }
  if (baseUrl !== null) {
    let base: URL;
    try {
      base = new URL(baseUrl);
    } catch {
      throw usageError(`"${baseUrl}" is not an address.`);
    }
    url = new URL(`${url.pathname}${url.search}`, base.origin);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw unusable(`${url.protocol} is not an HTTP address`);
  if (url.username !== '' || url.password !== '') throw unusable('its address contains a password');
  for (const [key, value] of Object.entries(spec.query)) {
    for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(key, textOf(each));
  }
  return url;
}

function setHeader(headers: Record<string, string>, name: string, value: string): void {
  // Line breaks would begin a header or a request of their own.
  if (!HEADER_NAME.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw unusable(`its header "${name}" is none`);
  for (const known of Object.keys(headers))
    if (known.toLowerCase() === name.toLowerCase()) delete headers[known];
  headers[name] = value;
}

function bodyOf(body: unknown, sets: readonly string[]): string | null {
  if (sets.length === 0) return body === null || body === undefined ? null : textOf(body);
  const changed: unknown = structuredClone(body ?? {});
  if (!isObject(changed)) throw usageError('--set needs a JSON body, and this body is not JSON.');
  for (const text of sets) {
    const equals = text.indexOf('=');
    if (equals <= 0) throw usageError(`"${text}" is not PATH=VALUE.`);
    setPath(changed, text.slice(0, equals).split('.'), parsed(typedValue(text.slice(equals + 1))));
  }
  return JSON.stringify(changed);
}

function setPath(holder: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first = '', ...rest] = path;
  if (first === '__proto__') throw usageError('That is not a path.');
  if (rest.length === 0) {
    holder[first] = value;
    return;
  }
  const inner = holder[first];
  const next = isObject(inner) ? inner : {};
  holder[first] = next;
  setPath(next, rest, value);
}

/** `@FILE` is what the file holds. */
function typedValue(text: string): string {
  return text.startsWith('@') ? readFileSync(text.slice(1), 'utf8').replace(/\n$/, '') : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function unusable(why: string): CliError {
  return new CliError(`The captured request is not sent: ${why}.`, {
    exit: EXIT.refused,
    code: 'unusable_request',
  });
}
