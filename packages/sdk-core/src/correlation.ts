import { isFoundBy } from './repeats/steps.ts';

/** Printable ASCII, 1 to 256 characters; null for any other value. */
export function readId(value: unknown): string | null {
  return typeof value === 'string' && /^[\x20-\x7e]{1,256}$/.test(value) && value.trim() !== ''
    ? value
    : null;
}

/** The ids of a request by its headers (docs/contract/clients.md 6.1), names in lower case. */
export function readRequestIds(header: (name: string) => unknown): {
  requestId: string | null;
  traceId: string | null;
  /** The parent from `traceparent`, also if another header decided. */
  parent: { traceId: string; spanId: string } | null;
} {
  const parent = readTraceparent(header('traceparent'));
  return {
    requestId: readId(header('x-request-id')) ?? readId(header('x-correlation-id')),
    traceId:
      readId(header('x-service-trace-id')) ??
      readId(header('x-debugbundle-trace-id')) ??
      parent?.traceId ??
      readSentryTrace(header('sentry-trace')),
    parent,
  };
}

/** Trace and span of a valid W3C `traceparent`. */
export function readTraceparent(value: unknown): { traceId: string; spanId: string } | null {
  const match =
    typeof value === 'string'
      ? /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:$|-)/.exec(value)
      : null;
  return match?.[1] && match[2] ? { traceId: match[1], spanId: match[2] } : null;
}

/** The trace of a page that a Sentry library watches (docs/contract/foreign-protocols.md 11.8). */
function readSentryTrace(value: unknown): string | null {
  const match =
    typeof value === 'string' ? /^(?!0{32})([\da-f]{32})-[\da-f]{16}(?:-[01]?)?$/i.exec(value) : null;
  return match?.[1]?.toLowerCase() ?? null;
}

/** 16 random bytes as 32 lower-case hex digits: a trace id that W3C accepts. */
export function newTraceId(random: (bytes: number) => ArrayLike<number>, bytes = 16): string {
  return Array.from(random(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns true if an absolute address can get trace headers (docs/contract/clients.md 6.2): texts are origins compared
 * whole, expressions see origin and path, never the query.
 */
export function isPropagationTarget(address: string, targets: readonly (string | RegExp)[]): boolean {
  const match = /^([a-z][a-z\d+.-]{0,31}:\/\/[^/?#]*)([^?#]*)/i.exec(address);
  if (!match) return false;
  const [bare, origin = ''] = match;
  return targets.some((target) =>
    typeof target === 'string' ? normalOrigin(target) === normalOrigin(origin) : isFoundBy([target], bare),
  );
}

function normalOrigin(origin: string): string {
  return origin
    .toLowerCase()
    .replace(/\/$/, '')
    .replace(/^(http:\/\/.*):80$|^(https:\/\/.*):443$/, '$1$2');
}

/**
 * The trace headers of a request that is a target.
 * @param names of the option `traceHeaders`
 * @param has whether the host's request has a header already: it is kept
 */
export function createTraceHeaders(
  names: readonly string[],
  traceId: string,
  random: (bytes: number) => ArrayLike<number>,
  has: (name: string) => boolean = () => false,
): { [name: string]: string } {
  const headers: { [name: string]: string } = {};
  for (const name of names) {
    if (has(name)) continue;
    if (name !== 'traceparent') headers[name] = traceId;
    else if (/^[\da-f]{32}$/.test(traceId)) headers[name] = `00-${traceId}-${newTraceId(random, 8)}-01`;
  }
  return headers;
}
