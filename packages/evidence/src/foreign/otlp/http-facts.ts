import { readWebAddress } from '../../capture/web-address.ts';
import type { JsonObject, JsonValue } from '../../events/envelope/json.ts';
import { getOwn, setOwn } from '../../events/envelope/own-property.ts';
import { mapOfPairs } from '../repeated-names.ts';
import { countOf, textOf, unlessEmpty } from './attribute-values.ts';

/** The request that a server span describes, in either generation of names. */
export interface HttpFacts {
  method: string;
  path: string;
  query: JsonObject | undefined;
  route: string | null;
  headers: JsonObject | undefined;
  responseHeaders: JsonObject | undefined;
  /** Null where no answer was sent, or none is known. */
  status: number | null;
}

const URL_CHARS_MAX = 4_096;
const METHOD_CHARS_MAX = 32;
const QUERY_ENTRIES_MAX = 200;

/** Null for a span of another protocol. */
export function httpFacts(attributes: JsonObject): HttpFacts | null {
  const named = textOf(attributes, ['http.request.method', 'http.method'], METHOD_CHARS_MAX);
  if (named === null) return null;
  // `_OTHER` means a method that the instrumentation does not know.
  const original = named === '_OTHER' ? 'http.request.method_original' : '';
  const method = textOf(attributes, [original], METHOD_CHARS_MAX) ?? named;
  const target = textOf(attributes, ['http.target', 'url.full', 'http.url'], URL_CHARS_MAX);
  const route = textOf(attributes, ['http.route'], URL_CHARS_MAX);
  const path =
    textOf(attributes, ['url.path'], URL_CHARS_MAX) ??
    (target === null ? null : (readWebAddress(target)?.path ?? null));
  const status = countOf(attributes, ['http.response.status_code', 'http.status_code']);
  return {
    method: method.toUpperCase(),
    path: path ?? route ?? '/',
    query: queryOf(textOf(attributes, ['url.query'], URL_CHARS_MAX) ?? searchOf(target)),
    route,
    headers: headersOf(attributes, 'http.request.header.'),
    responseHeaders: headersOf(attributes, 'http.response.header.'),
    status: status === null || status > 999 ? null : status,
  };
}

/** Attributes of which each has a place in the request or its answer. */
const USED =
  /^(?:http\.(?:(?:request|response)\.header\..*|request\.method(?:_original)?|method|target|url|route|response\.status_code|status_code)|url\.(?:path|query|full))$/;

export function isOfHttp(name: string): boolean {
  return USED.test(name);
}

function searchOf(target: string | null): string | null {
  const from = target?.indexOf('?') ?? -1;
  return target === null || from === -1 ? null : (target.slice(from + 1).split('#', 1)[0] ?? null);
}

function queryOf(text: string | null): JsonObject | undefined {
  return text === null ? undefined : unlessEmpty(mapOfPairs(new URLSearchParams(text), QUERY_ENTRIES_MAX));
}

/** Instrumentations write a header as the list of its values, the older ones its name with underscores. */
function headersOf(attributes: JsonObject, prefix: string): JsonObject | undefined {
  const headers: JsonObject = {};
  for (const name of Object.keys(attributes)) {
    if (!name.startsWith(prefix)) continue;
    const value = headerText(getOwn(attributes, name) ?? null);
    if (value !== null) setOwn(headers, name.slice(prefix.length).toLowerCase().replaceAll('_', '-'), value);
  }
  const agent = textOf(attributes, ['user_agent.original', 'http.user_agent'], 1_024);
  if (prefix === REQUEST_PREFIX && agent !== null && headers['user-agent'] === undefined) {
    headers['user-agent'] = agent;
  }
  return unlessEmpty(headers);
}

const REQUEST_PREFIX = 'http.request.header.';

function headerText(value: JsonValue): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  return value.filter((each) => typeof each === 'string').join(', ');
}
