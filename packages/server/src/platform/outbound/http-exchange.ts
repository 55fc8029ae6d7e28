import type { Socket } from 'node:net';
import { errorCode, OutboundFailure } from './outbound-failure.ts';
import { readBody } from './response-body.ts';
import { type HeaderName, type ResponseHead, readHead } from './response-head.ts';
import { ResponseReader } from './response-reader.ts';

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH';

export interface HttpRequest {
  method: HttpMethod;
  /** Path and query; the whole URL where a proxy reads it. */
  path: string;
  /** The host, with its port unless that is the default. */
  host: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | null;
  /** The bytes that are read of the response body at most. */
  bodyBytesMax: number;
}

/** The headers of an answer about the time of the next request; null for each that cannot be read. */
export interface RateLimits {
  retryAfterSeconds: number | null;
  /** Requests that are left until `resetAtSeconds` of the epoch. */
  remaining: number | null;
  resetAtSeconds: number | null;
}

export const NO_LIMITS: RateLimits = { retryAfterSeconds: null, remaining: null, resetAtSeconds: null };

/** RFC 9110 8.8.3, in printable letters. */
const ETAG = /^(?:W\/)?"[!#-~]{1,200}"$/;

export interface HttpAnswer {
  status: number;
  /** The values of `Location` that are not empty; each character represents a byte. */
  locations: readonly string[];
  body: Buffer;
  limits: RateLimits;
  /** The tag of the body, which a later request can name; null: the answer has none, or one that cannot be sent back. */
  etag: string | null;
  /** The rights of the request's token, as GitHub names them; null: the answer has none. */
  oauthScopes: string | null;
  /** The time when the headers were complete, on the monotonic clock. */
  answeredAtMs: number;
}

/**
 * Sends one request over an open connection, which is closed afterwards: a connection that is used again could outlive
 * the look-up it was judged by, and may be gone when the next request needs it. As nothing follows the answer, it is
 * read here, with every fault that its status survives; a client that keeps connections has to refuse those.
 * @throws OutboundFailure `connection_failed`, `invalid_response`; or the reason of `signal`
 */
export async function exchange(
  socket: Socket,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { method, path, host, headers, bodyBytesMax } = request;
  const body = Buffer.from(request.body ?? '');
  const length = method !== 'GET' && method !== 'HEAD' ? { 'content-length': String(body.length) } : {};
  const fields = { host, connection: 'close', ...headers, ...length };
  return await converse(socket, signal, async (onStatus) => {
    socket.write(Buffer.concat([requestHead(method, path, fields), body]));
    const reader = new ResponseReader(socket);
    const head = await readHead(reader, onStatus);
    const answeredAtMs = performance.now();
    return {
      status: head.status,
      locations: head.values('location'),
      body: await readBody(reader, head, method === 'HEAD' ? 0 : bodyBytesMax),
      limits: {
        retryAfterSeconds: wholeNumber(head, 'retry-after'),
        remaining: wholeNumber(head, 'x-ratelimit-remaining'),
        resetAtSeconds: wholeNumber(head, 'x-ratelimit-reset'),
      },
      etag: head.values('etag').find((value) => ETAG.test(value)) ?? null,
      oauthScopes: head.values('x-oauth-scopes')[0] ?? null,
      answeredAtMs,
    };
  }).finally(() => socket.destroy());
}

/**
 * Requests a tunnel to `authority`, a host with its port, from a proxy.
 * @returns the same connection, which then leads there
 * @throws OutboundFailure `connection_failed`, `address_blocked` when the proxy forbids it; or the reason of `signal`
 */
export async function openTunnel(
  socket: Socket,
  tunnel: { authority: string; headers: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Socket> {
  const { authority, headers } = tunnel;
  try {
    const status = await converse(socket, signal, async () => {
      socket.write(requestHead('CONNECT', authority, { host: authority, ...headers }));
      const reader = new ResponseReader(socket);
      const head = await readHead(reader);
      await reader.release();
      return head.status;
    });
    if (status >= 200 && status <= 299) return socket;
    const errorKind = status === 403 ? 'address_blocked' : 'connection_failed';
    throw new OutboundFailure(errorKind, `the proxy answered ${status}`);
  } catch (error) {
    socket.destroy();
    const isUnreadable = error instanceof OutboundFailure && error.errorKind === 'invalid_response';
    throw isUnreadable ? new OutboundFailure('connection_failed', `the proxy: ${error.message}`) : error;
  }
}

function wholeNumber(head: ResponseHead, name: HeaderName): number | null {
  const [text = ''] = head.values(name);
  return /^\d{1,12}$/.test(text) ? Number(text) : null;
}

/** Talks until `signal` ends it, and names the failure, with the status if that was received before. */
async function converse<Result>(
  socket: Socket,
  signal: AbortSignal,
  talk: (onStatus: (status: number) => void) => Promise<Result>,
): Promise<Result> {
  let received: number | null = null;
  const onAbort = () => socket.destroy();
  signal.addEventListener('abort', onAbort);
  try {
    signal.throwIfAborted();
    return await talk((status) => {
      received = status;
    });
  } catch (error) {
    const cause: unknown = signal.aborted ? signal.reason : error;
    if (cause instanceof OutboundFailure) throw new OutboundFailure(cause.errorKind, cause.message, received);
    throw signal.aborted ? cause : new OutboundFailure('connection_failed', errorCode(cause), received);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** @throws OutboundFailure `internal` for what would not arrive as it was given */
function requestHead(method: string, path: string, headers: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries(headers);
  const isSendable =
    /^[\x21-\x7e]+$/.test(path) &&
    fields.every(([name, value]) => HEADER_NAME.test(name) && HEADER_VALUE.test(value));
  if (!isSendable) throw new OutboundFailure('internal', 'a header cannot be sent');
  const lines = [`${method} ${path} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
