/** The one address with which a foreign library is configured (docs/contract/foreign-protocols.md 2.2). */
export interface Dsn {
  /** Scheme, host, port and path, without a final slash. */
  baseUrl: string;
  key: string;
  /** The number of the project. */
  number: string;
}

/** The form of a live or revoked key: 32 hexadecimal digits. */
const DSN_KEY = /^[0-9a-f]{32}$/;

export function isDsnKeyShaped(text: string): boolean {
  return DSN_KEY.test(text);
}

/** The number of a project, because some libraries refuse an address whose last part is none. @param projectId bare */
export function projectNumber(projectId: string): string {
  return String(Number.parseInt(projectId.replaceAll('-', '').slice(0, 12), 16));
}

/** The address to be copied. */
export function dsnText({ baseUrl, key, number }: Dsn): string {
  const url = new URL(baseUrl);
  return `${url.protocol}//${key}@${url.host}${url.pathname.replace(/\/$/, '')}/${number}`;
}

/** The parts of an address; null for a text that is none. */
export function parseDsn(text: string): Dsn | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username === '') return null;
  const parts = /^(.*)\/([^/]+)\/?$/.exec(url.pathname);
  if (parts?.[1] === undefined || parts[2] === undefined) return null;
  return {
    baseUrl: `${url.protocol}//${url.host}${parts[1]}`,
    key: decodedOr(url.username),
    number: parts[2],
  };
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns the addresses for the senders of one key. Reports and scheduled jobs set no header, so their addresses hold
 * the key.
 */
export function addressesOf({ baseUrl, key, number }: Dsn) {
  const api = `${baseUrl}/api/${number}`;
  return {
    envelope: `${api}/envelope/`,
    security: `${api}/security/?sentry_key=${key}`,
    otlp_traces: `${api}/integration/otlp/v1/traces/`,
    otlp_logs: `${api}/integration/otlp/v1/logs/`,
    cron: `${api}/cron/<slug>/${key}/`,
  };
}
