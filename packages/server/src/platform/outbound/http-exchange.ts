import type { Socket } from 'node:net';
import type { Client } from 'undici';
import { errorCode, OutboundFailure } from './outbound-failure.ts';

/** Status line and all headers of a response; a longer one is a failed connection. */
const RESPONSE_HEADER_BYTES_MAX = 16 * 1024;

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST';
  /** Path and query; the whole URL where a proxy reads it. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | null;
  /** What is read of the response body at most. */
  bodyBytesMax: number;
}

export interface HttpAnswer {
  status: number;
  /** Names in lower case; several of one name are joined by `, `. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** When the headers were there, on the monotonic clock. */
  answeredAtMs: number;
}

/**
 * One request over a connection that stands, which is closed afterwards: a connection that is used again could outlive
 * the look-up it was judged by, and may be gone when the next request needs it.
 *
 * An answer counts from its headers on. A body that is too long, stalls or breaks is cut.
 * @throws OutboundFailure `connection_failed`; or the reason of `signal`
 */
export async function exchange(
  origin: string,
  socket: Socket,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const client = await clientOver(origin, socket);
  try {
    const response = await client.request({
      method: request.method,
      path: request.path,
      headers: { ...request.headers },
      body: request.body,
      signal,
    });
    const answeredAtMs = performance.now();
    // A body nobody waits for may break too.
    response.body.on('error', () => {});
    return {
      status: response.statusCode,
      headers: joinedHeaders(response.headers),
      body: await readBounded(response.body, request.bodyBytesMax),
      answeredAtMs,
    };
  } catch (error) {
    throw exchangeFailure(error, signal);
  } finally {
    await closeClient(client, socket);
  }
}

/**
 * Asks a proxy to connect through to `authority`, a host with its port.
 * @returns the same connection, which then leads there
 * @throws OutboundFailure `connection_failed`, `address_blocked` when the proxy forbids it; or the reason of `signal`
 */
export async function openTunnel(
  proxyOrigin: string,
  socket: Socket,
  tunnel: { authority: string; headers: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Socket> {
  const client = await clientOver(proxyOrigin, socket);
  try {
    const answer = await client.connect({
      path: tunnel.authority,
      headers: { host: tunnel.authority, ...tunnel.headers },
      signal,
    });
    const { statusCode } = answer;
    if (statusCode >= 200 && statusCode <= 299) return socket;
    throw new OutboundFailure(
      statusCode === 403 ? 'address_blocked' : 'connection_failed',
      `the proxy answered ${statusCode}`,
    );
  } catch (error) {
    socket.destroy();
    throw exchangeFailure(error, signal);
  }
}

/** A client that never connects by itself. */
async function clientOver(origin: string, socket: Socket): Promise<Client> {
  // It takes 14 MB, which a process that never calls out keeps free.
  const { Client } = await import('undici').catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  let isTaken = false;
  return new Client(origin, {
    connect: (_options, callback) => {
      if (isTaken) callback(new Error('the connection is gone'), null);
      // Not within the call: the client would miss that it is connected.
      else queueMicrotask(() => callback(null, socket));
      isTaken = true;
    },
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: RESPONSE_HEADER_BYTES_MAX,
    // The caller's signal is the limit on time.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

async function closeClient(client: Client, socket: Socket): Promise<void> {
  await client.destroy().catch(() => {});
  socket.destroy();
}

function exchangeFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof OutboundFailure) return error;
  const code = errorCode(error);
  return new OutboundFailure(code === 'UND_ERR_INVALID_ARG' ? 'internal' : 'connection_failed', code);
}

async function readBounded(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let leftBytes = bytesMax;
  if (leftBytes === 0) return Buffer.alloc(0);
  try {
    // Leaving the loop ends the response.
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, leftBytes));
      leftBytes -= chunk.length;
      if (leftBytes <= 0) break;
    }
  } catch {
    // What came until then is the body.
  }
  return Buffer.concat(chunks);
}

function joinedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const entries = Object.entries(headers).map(
    ([name, value]) => [name, [value ?? []].flat().join(', ')] as const,
  );
  return Object.fromEntries(entries);
}
