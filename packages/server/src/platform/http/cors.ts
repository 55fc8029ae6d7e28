/** Which of the two CORS rules of account.md 2.7 a route follows. */
export type CorsPolicy = 'ingestion' | 'app';

/** The longest `Origin` that is looked at; a host name has at most 253 characters. */
const ORIGIN_LENGTH_MAX = 300;

/** `scheme://host[:port]`, or the word browsers send for a page without an origin of its own. */
const ORIGIN =
  /^(?:null|[a-z][a-z0-9+.-]{0,31}:\/\/(?:\[[0-9a-f:.]{2,45}\]|[^\s/?#@:[\]\\"<>^`{|},;%]{1,253})(?::\d{1,5})?)$/i;

/** Headers a preflight at ingestion allows, for every library that sends from a browser (ingestion.md 3.4). */
const INGESTION_REQUEST_HEADERS =
  'authorization, content-type, if-none-match, x-service-sdk, x-service-sdk-version, x-debugbundle-sdk, x-debugbundle-sdk-version';
const APP_REQUEST_HEADERS = 'Authorization, Content-Type, X-CSRF-Token, If-None-Match';
const MAX_AGE_SECONDS = '600';

/** Headers of every real answer. Never `*`, and never credentials for an origin that is only reflected. */
export function corsHeaders(
  policy: CorsPolicy,
  origin: string | undefined,
  appOrigins: ReadonlySet<string>,
): Record<string, string> {
  if (origin === undefined || !isAllowed(policy, origin, appOrigins)) return VARY_ONLY;
  const headers: Record<string, string> = {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': policy === 'ingestion' ? 'ETag, Retry-After' : 'Retry-After, ETag',
  };
  if (policy === 'app') headers['access-control-allow-credentials'] = 'true';
  return headers;
}

/** What a preflight adds to the headers above; null when this origin may not ask. */
export function preflightHeaders(
  policy: CorsPolicy,
  origin: string | undefined,
  appOrigins: ReadonlySet<string>,
): Record<string, string> | null {
  if (policy === 'ingestion') {
    // The token is unknown here, so its allowlist is enforced on the request itself.
    return {
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': INGESTION_REQUEST_HEADERS,
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
