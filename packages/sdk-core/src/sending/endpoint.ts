/** The addresses of events and configuration (docs/contract/clients.md 2.1, 9.1). */
export interface Endpoint {
  events: string;
  config: string;
  origin: string;
}

/** An address of ingestion, completed; null for what is no http(s) address. */
export function resolveEndpoint(address: string): Endpoint | null {
  const match = /^(https?:\/\/[^/?#@\s]+)(\/[^?#\s]*)?$/i.exec(address.trim());
  if (!match) return null;
  const origin = (match[1] ?? '').toLowerCase();
  const path = (match[2] ?? '').replace(/\/+$/, '');
  const events = origin + (path === '' ? '/v1/events' : path.endsWith('/v1') ? `${path}/events` : path);
  return { events, config: events.replace(/\/events$/, '/sdk/config'), origin };
}

/** `https://<token>@host[:port][/prefix]`. */
export function readDsn(dsn: string): { token: string; endpoint: string } | null {
  const match = /^(https?:\/\/)([^/?#@:\s]+)@([^/?#@\s]+)(\/[^?#\s]*)?$/i.exec(dsn.trim());
  if (!match) return null;
  const [, scheme = '', token = '', host = '', prefix = ''] = match;
  const path = prefix.replace(/\/+$/, '');
  return {
    token,
    endpoint: `${scheme}${host}${/\/v1(?:\/events)?$/.test(path) ? path : `${path}/v1/events`}`,
  };
}

/** Returns true if plain http to this address stays on the machine or in a private network. */
export function isPrivateAddress(origin: string): boolean {
  const host = origin.replace(/^https?:\/\//i, '').replace(/:\d+$/, '');
  return (
    /^(?:localhost|.*\.localhost|.*\.local|.*\.internal|[^.:]+)$/i.test(host) ||
    /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(host) ||
    /^\[(?:::1|f[cd][\da-f]{2}:.*|fe80:.*)\]$/i.test(host)
  );
}

/** Returns true if a text has the shape of a project token. */
export function isProjectToken(token: string): boolean {
  return /^svc_proj_[\w-]{43}$/.test(token);
}

/** First and last four characters, for a line that must not show the token. */
export function tokenPreview(token: string): string {
  return token.length < 20 ? '…' : `${token.slice(0, 4)}…${token.slice(-4)}`;
}
