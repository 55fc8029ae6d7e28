import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { getOwn } from '@culprit/evidence/events/envelope/own-property';
import { cutUnits } from '@culprit/evidence/events/fingerprint/bounded-text';
import { requestRoute } from '@culprit/evidence/events/fingerprint/route-template';
import { messageTemplate } from '@culprit/evidence/events/fingerprint/template/message-template';
import type {
  EventClass,
  LogPayload,
  NormalizedEvent,
  RequestPayload,
} from '@culprit/evidence/events/normalize/event';
import { hasRequest } from '@culprit/evidence/events/normalize/http-presence';
import { levelRank } from '../stored-events/event-codes.ts';
import { type PerSensitivity, SLOW_QUERY_MS, SLOW_REQUEST_MS } from './detectors.ts';
import type { Observation } from './observation.ts';

/**
 * The paths that scanners request from every host: login and admin pages of well-known software, by the first segments
 * of their paths. A GET for one that is not found is no information about the application (docs/contract/incidents.md
 * 6.2).
 */
const SCANNED: ReadonlySet<string> = new Set([
  ...['admin', 'administrator', 'admin.php', 'adminer', 'adminer.php', 'admin-console', 'cgi-bin', 'cpanel'],
  ...['wp-admin', 'wp-login.php', 'wp-content', 'wp-includes', 'wp-json', 'wordpress', 'wp', 'xmlrpc.php'],
  ...['phpmyadmin', 'pma', 'myadmin', 'dbadmin', 'phpinfo.php', 'info.php', 'login.php', 'login', 'signin'],
  ...['typo3', 'joomla', 'drupal', 'magento', 'solr', 'jmx-console', 'jenkins', 'actuator', 'autodiscover'],
  ...[
    'owa',
    'ecp',
    'boaform',
    'hnap1',
    'gponform',
    'manager/html',
    'user/login',
    'vendor/phpunit',
    'remote/login',
  ],
]);

/**
 * Returns true if a route is one that scanners probe for. Dot files are probed for in every folder; `.well-known` is
 * none.
 */
function isScannerPath(route: string): boolean {
  if (route.includes('/.')) return !route.startsWith('/.well-known');
  const [first = '', second = ''] = route.slice(1).toLowerCase().split('/', 2);
  return SCANNED.has(first) || SCANNED.has(`${first}/${second}`);
}

const NOTHING: readonly Observation[] = [];

const METHOD_CHARS_MAX = 16;
const ROUTE_CHARS_MAX = 512;
/** A template looks at no more of a text either. */
const TEXT_CHARS_MAX = 2000;
const WARNING_RANK = 2;

const DEPRECATION = /deprecat|will be removed in|is obsolete/i;

/**
 * Returns the detectors' observations in an event (docs/contract/incidents.md 6.2). Most events have none, and for
 * those this costs next to nothing: an exception is examined only if its trail holds console lines.
 */
export function observeEvent(
  event: NormalizedEvent,
  record: { eventClass: EventClass; isDemoted: boolean },
  correlation: bigint | null,
): readonly Observation[] {
  const { payload } = event;
  switch (payload.kind) {
    case 'exception':
      return payload.breadcrumbs.length === 0 ? NOTHING : observeTrail(payload.breadcrumbs);
    case 'request':
      return observeRequest(payload, record.eventClass === 'context_signal' || record.isDemoted, correlation);
    case 'log':
      return observeLog(payload, record.isDemoted);
    case 'breadcrumb':
      return observeTrail([payload.breadcrumb]);
    default:
      return NOTHING;
  }
}

/** Console lines that announce a deprecation, each template once: one event is one observation of it. */
function observeTrail(
  trail: readonly { breadcrumbType: string; data: JsonObject }[],
): readonly Observation[] {
  let found: Map<string, Observation> | null = null;
  for (const { breadcrumbType, data } of trail) {
    if (breadcrumbType !== 'console_log' && breadcrumbType !== 'console') continue;
    const text = data.message;
    if (typeof text !== 'string' || !DEPRECATION.test(text)) continue;
    const key = messageTemplate(text, '');
    found ??= new Map();
    found.set(key, simple('deprecation', key));
  }
  return found === null ? NOTHING : [...found.values()];
}

function observeRequest(
  { request, response }: RequestPayload,
  isContext: boolean,
  correlation: bigint | null,
): readonly Observation[] {
  if (!hasRequest(request)) return NOTHING;
  const { statusCode: status, durationMs } = response;
  const method = cutUnits(request.method.trim().toUpperCase().replace(/\s+/g, '_'), METHOD_CHARS_MAX);
  const route = cutUnits(requestRoute(request) ?? '/', ROUTE_CHARS_MAX);
  const key = `${method} ${route}`;
  const observations: Observation[] = [
    {
      detector: 'slow_request',
      key,
      matches: levels(durationMs ?? 0, SLOW_REQUEST_MS, 1),
      severe: levels(durationMs ?? 0, SLOW_REQUEST_MS, 2),
      weight: durationMs ?? 0,
      correlation: null,
    },
  ];
  const isProbed = status === 404 && method === 'GET' && isScannerPath(route);
  if (isContext && status >= 400 && status <= 499 && !isProbed) {
    observations.push(simple('request_failure', `${key} ${status}`));
  }
  if (correlation !== null && (status === 0 || status >= 400)) {
    observations.push({ ...simple('retry_loop', key), correlation });
  }
  return observations;
}

function observeLog(log: LogPayload, isDemoted: boolean): readonly Observation[] {
  const query = slowQuery(log.attributes);
  const rank = levelRank(log.level);
  const isWarning = rank === WARNING_RANK || (rank > WARNING_RANK && isDemoted);
  const isDeprecation = DEPRECATION.test(log.message);
  if (query === null && !isWarning && !isDeprecation) return NOTHING;
  const observations: Observation[] = [];
  if (query !== null) observations.push(query);
  if (isWarning || isDeprecation) {
    const key = messageTemplate(log.message, '');
    if (isWarning) observations.push(simple('warning_hotspot', key));
    if (isDeprecation) observations.push(simple('deprecation', key));
  }
  return observations;
}

const STATEMENT_KEYS = ['sql', 'query', 'statement', 'db.statement'] as const;

function slowQuery(attributes: JsonObject): Observation | null {
  const durationMs = numberAt(attributes, 'duration_ms') ?? numberAt(attributes, 'elapsed_ms');
  if (durationMs === null || durationMs < SLOW_QUERY_MS.verbose) return null;
  const statement = statementOf(attributes);
  if (statement === null) return null;
  return {
    detector: 'slow_query',
    // A statement is one text however many lines it was written in.
    key: messageTemplate(plainStatement(statement), ''),
    matches: levels(durationMs, SLOW_QUERY_MS, 1),
    severe: levels(durationMs, SLOW_QUERY_MS, 2),
    weight: durationMs,
    correlation: null,
  };
}

function statementOf(attributes: JsonObject): string | null {
  const nested = getOwn(attributes, 'db');
  const candidates = STATEMENT_KEYS.map((key) => getOwn(attributes, key));
  if (isJsonObject(nested)) candidates.push(getOwn(nested, 'statement'));
  for (const text of candidates) {
    if (typeof text === 'string' && text.trim() !== '') return text;
  }
  return null;
}

function numberAt(attributes: JsonObject, key: string): number | null {
  const value = getOwn(attributes, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** At how many sensitivities a duration is at or above so many times the limit. */
function levels(durationMs: number, limitsMs: PerSensitivity, times: number): Observation['matches'] {
  if (durationMs >= limitsMs.high_confidence * times) return 3;
  if (durationMs >= limitsMs.balanced * times) return 2;
  return durationMs >= limitsMs.verbose * times ? 1 : 0;
}

function simple(detector: Observation['detector'], key: string): Observation {
  return { detector, key, matches: 3, severe: 0, weight: 0, correlation: null };
}

/** On one line, with a number in the place of each literal: a quoted word is a value in SQL, and a name in a message. */
function plainStatement(statement: string): string {
  return cutUnits(statement.trim(), TEXT_CHARS_MAX)
    .replace(/\s+/g, ' ')
    .replace(/'(?:[^']|''){0,200}'/g, '0');
}
