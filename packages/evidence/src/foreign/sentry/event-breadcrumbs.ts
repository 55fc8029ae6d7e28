import { logLevelWords } from '@culprit/contract/events/event-fields';
import { REDACTED } from '@culprit/contract/events/secret-keys';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import { shiftedMs } from './event-head.ts';
import { type OpenBudget, openMap } from './open-values.ts';
import type { SentrySource } from './sentry-source.ts';
import { anyText, countOf, filled, textOf, valuesOf } from './written-values.ts';

const ENTRIES_MAX = 100;
const MESSAGE_CHARS_MAX = 8_192;
const URL_CHARS_MAX = 4_096;

/** The steps that led to an event: lines of a log, if it is a service's, and everything else. */
interface MappedTrail {
  logs: JsonObject[];
  breadcrumbs: JsonObject[];
}

/**
 * The last hundred breadcrumbs of an event (docs/contract/foreign-protocols.md 5.6).
 * @param isBrowser lines of a console are breadcrumbs, as our own library of pages sends them
 */
export function trailOf(
  event: JsonObject,
  source: SentrySource,
  { isBrowser, budget }: { isBrowser: boolean; budget: OpenBudget },
): MappedTrail {
  const trail: MappedTrail = { logs: [], breadcrumbs: [] };
  for (const crumb of valuesOf(event.breadcrumbs).slice(-ENTRIES_MAX)) {
    if (!isJsonObject(crumb)) continue;
    const ts = shiftedMs(crumb.timestamp, source);
    const category = textOf(crumb.category, 200);
    if (category === 'console' || crumb.type === 'log') {
      if (isBrowser) trail.breadcrumbs.push(filled({ ...consoleLine(crumb), ts }));
      else trail.logs.push(filled({ ...logLine(crumb, category, budget), ts, logger: category }));
      continue;
    }
    trail.breadcrumbs.push(filled({ ...breadcrumb(crumb, category, budget), ts }));
  }
  return trail;
}

function consoleLine(crumb: JsonObject): JsonObject {
  return {
    breadcrumb_type: 'console_log',
    data: filled({
      level: levelWord(crumb.level),
      message: crumbMessage(crumb) ?? '',
      source: textOf(objectOrEmpty(crumb.data).logger, 200),
    }),
  };
}

function logLine(crumb: JsonObject, category: string | null, budget: OpenBudget): JsonObject {
  const { arguments: _printed, logger: _logger, ...data } = objectOrEmpty(crumb.data);
  return filled({
    level: levelWord(crumb.level),
    message: crumbMessage(crumb) ?? '',
    attributes: openMap(isOfDatabase(category) ? withoutBoundValues(data) : data, budget),
  });
}

function crumbMessage(crumb: JsonObject): string | null {
  const message = crumb.message ?? null;
  return message === null ? null : anyText(message, MESSAGE_CHARS_MAX);
}

/** One of a known kind that names no route, element or call keeps what it says in the form of all others. */
function breadcrumb(crumb: JsonObject, category: string | null, budget: OpenBudget): JsonObject {
  return (
    knownBreadcrumb(crumb, category) ?? {
      breadcrumb_type: textOf(category ?? crumb.type, 64) ?? 'custom',
      data: filled({
        ...openMap(
          isOfDatabase(category) ? withoutBoundValues(objectOrEmpty(crumb.data)) : crumb.data,
          budget,
        ),
        message: crumbMessage(crumb),
        level: crumb.level === undefined || crumb.level === null ? null : levelWord(crumb.level),
      }),
    }
  );
}

function knownBreadcrumb(crumb: JsonObject, category: string | null): JsonObject | null {
  const data = objectOrEmpty(crumb.data);
  if (category === 'navigation') {
    const route = textOf(data.to, URL_CHARS_MAX);
    return route === null
      ? null
      : { breadcrumb_type: 'route_change', data: filled({ route, from: textOf(data.from, URL_CHARS_MAX) }) };
  }
  if (category === 'ui.click' || category === 'ui.tap') {
    // Elements of Compose have no id.
    const selector = crumbMessage(crumb) || (textOf(data['view.id'], 512) ?? textOf(data['view.tag'], 512));
    return selector === null ? null : { breadcrumb_type: 'click', data: { selector } };
  }
  if (crumb.type === 'http' || category === 'fetch' || category === 'xhr' || category === 'http') {
    const call = networkRequest(data);
    const isNamed = call.url !== undefined || call.status_code !== undefined;
    return isNamed ? { breadcrumb_type: 'network_request', data: call } : null;
  }
  return null;
}

/** Statements of Laravel, Symfony and Sentry's tracing (`db.`), Python (`query`) and Rails (`sql.`). */
const DATABASE = /^(?:db\b|query$|sql\.)/;
const BOUND_VALUES: ReadonlySet<string> = new Set([
  'bindings',
  'binds',
  'type_casted_binds',
  'params',
  'db.params',
  'db.query.parameters',
  'db.statement.parameters',
]);

function isOfDatabase(category: string | null): boolean {
  return category !== null && DATABASE.test(category);
}

/** Values that people entered are kept neither in a statement nor beside it. */
function withoutBoundValues(data: JsonObject): JsonObject {
  const entries = Object.entries(data).map(([key, value]) => [key, BOUND_VALUES.has(key) ? REDACTED : value]);
  return Object.fromEntries(entries);
}

function networkRequest(data: JsonObject): JsonObject {
  return filled({
    url: textOf(data.url, URL_CHARS_MAX) ?? textOf(data['http.url'], URL_CHARS_MAX),
    method: textOf(data.method ?? data['http.method'] ?? data['http.request.method'], 32),
    status_code: countOf(
      data.status_code ?? data.status ?? data['http.status_code'] ?? data['http.response.status_code'],
    ),
    duration_ms: durationMs(data),
  });
}

/** Libraries of apps send when the call began and ended, in milliseconds. */
function durationMs(data: JsonObject): number | null {
  const given = data.duration_ms ?? data.duration;
  if (typeof given === 'number' && given >= 0 && Number.isFinite(given)) return given;
  const start = data.start_timestamp ?? data['http.start_timestamp'];
  const end = data.end_timestamp ?? data['http.end_timestamp'];
  return typeof start === 'number' && typeof end === 'number' && end >= start ? end - start : null;
}

/** A word of ours for a level; `info` for one that is none. */
function levelWord(value: JsonValue | undefined): string {
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return Object.hasOwn(logLevelWords, word) ? word : 'info';
}
