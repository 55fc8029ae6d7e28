import type { JsonObject, JsonValue } from '../../events/envelope/json.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import { contextOf } from './event-context.ts';
import { type EventHead, eventHead, shiftedMs, wireEvent } from './event-head.ts';
import { addressOf, requestOf } from './event-request.ts';
import { sentryPart } from './kept-apart.ts';
import { openBudget } from './open-values.ts';
import type { SentrySource } from './sentry-source.ts';
import { countOf, filled, namedValue, textOf } from './written-values.ts';

const SERVER_OPERATIONS: ReadonlySet<string> = new Set(['http.server', 'rack.request', 'rails.request']);

/** A request that a service answered (docs/contract/foreign-protocols.md 6.1); null for every other transaction. */
export function mapTransaction(
  event: JsonObject,
  source: SentrySource,
): { event: JsonObject; head: EventHead } | null {
  const trace = objectOrEmpty(objectOrEmpty(event.contexts).trace);
  const request = objectOrEmpty(event.request);
  const isServer = SERVER_OPERATIONS.has(textOf(trace.op, 64) ?? '') || textOf(request.method, 32) !== null;
  if (!isServer) return null;
  const head = eventHead(event, source);
  const budget = openBudget();
  const data = objectOrEmpty(trace.data);
  const { method, path, ...rest } = requestOf(event, budget) ?? {};
  const mapped = wireEvent('request_event', head, {
    event,
    source,
    context: contextOf(event, source, { budget, sentry: sentryPart(event, source) }),
    payload: filled({
      ...rest,
      method: textOf(method, 32) ?? methodOf(event, data),
      path: textOf(path, 4_096) ?? pathOf(event, data),
      response_status: statusOf(event, trace, data),
      duration_ms: durationOf(event, source),
    }),
  });
  return { event: mapped, head };
}

function methodOf(event: JsonObject, data: JsonObject): string {
  const named = textOf(data['http.request.method'] ?? data['http.method'], 32);
  if (named !== null) return named.toUpperCase();
  return /^([A-Z]{3,10}) \S/.exec(textOf(event.transaction, 64) ?? '')?.[1] ?? 'GET';
}

function pathOf(event: JsonObject, data: JsonObject): string {
  const url = textOf(data['url.path'] ?? data['http.target'] ?? data['url.full'] ?? data['http.url'], 4_096);
  const { path } = addressOf(url);
  if (path !== null) return path;
  const transaction = textOf(event.transaction, 1_024) ?? '';
  return /^(?:[A-Z]{3,10} )?(\/.*)$/.exec(transaction)?.[1] ?? (transaction || '/');
}

/** The words that a library sends instead of a number. */
const STATUS_WORDS: Readonly<Record<string, number>> = {
  ok: 200,
  invalid_argument: 400,
  failed_precondition: 400,
  out_of_range: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  already_exists: 409,
  aborted: 409,
  resource_exhausted: 429,
  cancelled: 499,
  internal_error: 500,
  unknown: 500,
  unknown_error: 500,
  data_loss: 500,
  unimplemented: 501,
  unavailable: 503,
  deadline_exceeded: 504,
};

export function statusOfWord(value: JsonValue | undefined): number {
  const word = textOf(value, 64)?.toLowerCase() ?? '';
  return Object.hasOwn(STATUS_WORDS, word) ? (STATUS_WORDS[word] ?? 0) : 0;
}

/** The first of the numbers that is a status of HTTP. */
export function statusOfNumbers(...values: readonly (JsonValue | undefined)[]): number | null {
  for (const value of values) {
    const status = countOf(value);
    if (status !== null && status >= 100 && status <= 999) return status;
  }
  return null;
}

function statusOf(event: JsonObject, trace: JsonObject, data: JsonObject): number {
  const { response } = objectOrEmpty(event.contexts);
  return (
    statusOfNumbers(
      objectOrEmpty(response).status_code,
      data['http.response.status_code'],
      data['http.status_code'],
      namedValue(event.tags, 'http.status_code'),
    ) ?? statusOfWord(trace.status)
  );
}

function durationOf(event: JsonObject, source: SentrySource): number | null {
  const [start, end] = [shiftedMs(event.start_timestamp, source), shiftedMs(event.timestamp, source)];
  return start === null || end === null || end < start ? null : end - start;
}
