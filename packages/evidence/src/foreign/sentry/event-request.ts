import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import { mapOfPairs } from '../repeated-names.ts';
import { type OpenBudget, openMap, openValue } from './open-values.ts';
import { anyText, filled, namedValue, pairsOf, textOf } from './written-values.ts';

const URL_CHARS_MAX = 4_096;
const ENTRIES_MAX = 200;
const BODY_CHARS_MAX = 65_536;

/** The request of an event (docs/contract/foreign-protocols.md 5.5); null where it names none. */
export function requestOf(event: JsonObject, budget: OpenBudget): JsonObject | null {
  const request = objectOrEmpty(event.request);
  const url = textOf(request.url, URL_CHARS_MAX);
  const address = addressOf(url);
  const body = bodyOf(request.data);
  const mapped = filled({
    method: textOf(request.method, 32)?.toUpperCase(),
    path: address.path,
    query: openMap(queryOf(request.query_string) ?? queryOf(address.query), budget),
    headers: openMap(headersOf(request.headers, address.host), budget),
    body: body === null ? null : openValue(body, budget),
    route_template: Object.keys(request).length === 0 ? null : routeTemplate(event),
  });
  return Object.keys(mapped).length === 0 ? null : mapped;
}

/** Path, query and host of a full address or of a path. */
export function addressOf(url: string | null): {
  path: string | null;
  query: string | null;
  host: string | null;
} {
  if (url === null) return { path: null, query: null, host: null };
  const withoutFragment = url.split('#', 1)[0] ?? '';
  const mark = withoutFragment.indexOf('?');
  const whole = mark === -1 ? withoutFragment : withoutFragment.slice(0, mark);
  const query = mark === -1 ? null : withoutFragment.slice(mark + 1);
  const origin = /^(?:[a-z][a-z0-9+.-]{0,31}:)?\/\/(?:[^/@]{0,256}@)?([^/]{0,256})/i.exec(whole);
  if (origin === null) return { path: whole === '' ? '/' : whole, query, host: null };
  return { path: whole.slice(origin[0].length) || '/', query, host: origin[1] || null };
}

/** A query as text, map or list of pairs. */
export function queryOf(value: JsonValue | undefined): JsonObject | null {
  if (typeof value === 'string') {
    const text = value.startsWith('?') ? value.slice(1) : value;
    if (text === '') return null;
    return mapOfPairs(new URLSearchParams(text.slice(0, URL_CHARS_MAX * 2)), ENTRIES_MAX);
  }
  return mapOf(value);
}

function mapOf(value: JsonValue | undefined): JsonObject | null {
  const pairs = pairsOf(value, ENTRIES_MAX);
  return pairs.length === 0 ? null : mapOfPairs(pairs, ENTRIES_MAX);
}

/** A header of one line, whatever its form. */
function headerText(value: JsonValue): JsonValue {
  return Array.isArray(value) ? value.map((each) => anyText(each, URL_CHARS_MAX)).join(', ') : value;
}

function headersOf(value: JsonValue | undefined, host: string | null): JsonObject | null {
  const headers = mapOf(value) ?? {};
  for (const key of Object.keys(headers)) {
    // These contain the key of a DSN.
    if (/^(?:baggage|sentry-trace|x-sentry-auth)$/i.test(key)) delete headers[key];
    else setOwn(headers, key, headerText(headers[key] ?? null));
  }
  if (host !== null && namedValue(headers, 'host') === undefined) headers.host = host;
  return Object.keys(headers).length === 0 ? null : headers;
}

/** Text that is JSON is parsed. */
function bodyOf(value: JsonValue | undefined): JsonValue {
  if (typeof value !== 'string') return value ?? null;
  const text = value.trim();
  if (text === '') return null;
  if (text.length > BODY_CHARS_MAX || !/^[[{]/.test(text)) return value;
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) || Array.isArray(parsed) ? (parsed as JsonObject | JsonValue[]) : value;
  } catch {
    return value;
  }
}

const PARAMETER = /(?:^|\/)(?::\w|<[^>/]{1,100}>|\{[^}/]{1,100}\}|\[[^\]/]{1,100}\]|\*)|\(\?P?</;

/** The transaction without its method, where it is the pattern of a route. */
function routeTemplate(event: JsonObject): string | null {
  const transaction = textOf(event.transaction, 512);
  if (transaction === null) return null;
  const route = /^[A-Z]{3,10} (?=\S)/.test(transaction)
    ? transaction.slice(transaction.indexOf(' ') + 1)
    : transaction;
  const { source } = objectOrEmpty(event.transaction_info);
  if (source === 'route') return route;
  return route.startsWith('/') && PARAMETER.test(route) ? route : null;
}
