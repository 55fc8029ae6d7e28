/** Which of the CORS rules of docs/contract/account.md 2.7 a route follows. */
export type CorsPolicy = 'events' | 'client_config' | 'foreign' | 'app';

/** The longest `Origin` that is looked at; a host name has at most 253 characters. */
const ORIGIN_LENGTH_MAX = 300;

/** `scheme://host[:port]`, or the word that browsers send for a page without an origin. */
const ORIGIN =
  /^(?:null|[a-z][a-z0-9+.-]{0,31}:\/\/(?:\[[0-9a-f:.]{2,45}\]|[^\s/?#@:[\]\\"<>^`{|},;%]{1,253})(?::\d{1,5})?)$/i;

/**
 * Headers a preflight allows to every library that sends from a browser (docs/contract/ingestion.md 3.4). Published
 * browser libraries whose analytics are on send the last two with the request of their configuration.
 */
const LIBRARY_REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'if-none-match',
  'x-service-sdk',
  'x-service-sdk-version',
  'x-debugbundle-sdk',
  'x-debugbundle-sdk-version',
  'x-debugbundle-analytics-config',
  'x-debugbundle-analytics-schema',
].join(', ');
/** The request headers of clients that are not ours (docs/contract/foreign-protocols.md 3.9). */
const FOREIGN_REQUEST_HEADERS = [
  'content-type',
  'content-encoding',
  'x-sentry-auth',
  'authorization',
  'sentry-trace',
  'baggage',
  'traceparent',
  'x-requested-with',
].join(', ');
const APP_REQUEST_HEADERS = 'Authorization, Content-Type, X-CSRF-Token, If-None-Match';
const MAX_AGE_SECONDS = '600';
const FOREIGN_MAX_AGE_SECONDS = '86400';

/** The headers of an answer that a page can read. */
const EXPOSED_HEADERS: Record<CorsPolicy, string> = {
  app: 'Retry-After, ETag, X-Service-Problem',
  events: 'ETag, Retry-After',
  client_config: 'ETag, Retry-After',
  foreign: 'X-Sentry-Rate-Limits, X-Sentry-Error, Retry-After',
};

/** Headers of every answer, preflights included. The origin is named exactly; `*` is never sent. */
export function corsHeaders(
  policy: CorsPolicy,
  origin: string | undefined,
  appOrigins: ReadonlySet<string>,
): Record<string, string> {
  if (origin === undefined || !isAllowed(policy, origin, appOrigins)) return VARY_ONLY;
  const headers: Record<string, string> = {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED_HEADERS[policy],
  };
  if (allowsCredentials(policy, origin)) headers['access-control-allow-credentials'] = 'true';
  return headers;
}

/**
 * Browsers send a JSON beacon with credentials and drop it unless its preflight allows them. `POST /v1/events` may
 * allow every origin that has a name to send cookies, because it never reads any.
 */
function allowsCredentials(policy: CorsPolicy, origin: string): boolean {
  if (policy === 'events') return origin.toLowerCase() !== 'null';
  return policy === 'app';
}

/** Returns the headers that a preflight adds to those above; null when this origin is not allowed. */
export function preflightHeaders(
  policy: CorsPolicy,
  origin: string | undefined,
  appOrigins: ReadonlySet<string>,
): Record<string, string> | null {
  if (policy === 'foreign') {
    return {
      'access-control-allow-methods': 'POST, GET, OPTIONS',
      'access-control-allow-headers': FOREIGN_REQUEST_HEADERS,
      'access-control-max-age': FOREIGN_MAX_AGE_SECONDS,
    };
  }
  if (policy !== 'app') {
    // The token is unknown here, so its allowlist is enforced on the request itself.
    return {
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': LIBRARY_REQUEST_HEADERS,
      'access-control-max-age': MAX_AGE_SECONDS,
    };
  }
  if (origin === undefined || !isAllowed(policy, origin, appOrigins)) return null;
  return {
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': APP_REQUEST_HEADERS,
    'access-control-max-age': MAX_AGE_SECONDS,
  };
}

const VARY_ONLY: Record<string, string> = { vary: 'Origin' };

function isAllowed(policy: CorsPolicy, origin: string, appOrigins: ReadonlySet<string>): boolean {
  if (policy === 'app') return appOrigins.has(origin);
  return origin.length <= ORIGIN_LENGTH_MAX && ORIGIN.test(origin);
}
