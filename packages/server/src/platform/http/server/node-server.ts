import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../binding/problem.ts';
import { createConnectionShares } from '../limits/connection-shares.ts';
import type { HttpLimits } from '../limits/http-limits.ts';

/**
 * The bare server: limits on headers, time and connections, and an `{ "error": … }` answer to everything that is no
 * HTTP. What Node would answer itself (missing host, unknown expectation) is left to the caller.
 */
export function createNodeServer(
  limits: HttpLimits,
  listener: RequestListener,
  isProxy: (address: string) => boolean,
): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.connectionsCheckIntervalMs,
    insecureHTTPParser: false,
    requireHostHeader: false,
  });
  // The caller counts headers: beyond its own limit Node would drop them silently, credentials too.
  server.setTimeout(limits.socketIdleTimeoutMs);

  const connections = new Map<Duplex, Connection>();
  const shares = createConnectionShares(limits.connectionsMax, isProxy);
  server.on('connection', (socket) => {
    if (!shares.add(socket)) {
      socket.destroy();
      return;
    }
    connections.set(socket, {
      last: null,
      bytesReadAtLast: 0,
      unanswered: [],
      isBroken: false,
      setIdle: (isIdle) => shares.setIdle(socket, isIdle),
    });
    socket.once('close', () => {
      connections.delete(socket);
      shares.remove(socket);
    });
  });
  server.on('request', (request, response) => {
    const connection = connections.get(request.socket);
    // Bytes that were read after a broken request may not be a request at all.
    if (connection?.isBroken === true) return;
    if (isFramingFaulty(request)) {
      answerBroken(connection, new Error('chunks in HTTP/1.0'), request.socket, request.method);
      return;
    }
    // Requests that are injected for a test come over no connection of ours.
    if (connection !== undefined) track(connection, request, response);
    listener(request, response);
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => closeWith(socket, new Problem('not_found')));
  server.on('clientError', (error, socket) => answerBroken(connections.get(socket), error, socket));

  // Node calls a connection idle when the answer has been written, and cuts off what the client has not fetched yet.
  // Closing the server uses this method too.
  server.closeIdleConnections = () => {
    for (const [socket, { unanswered }] of connections) {
      if (unanswered.length === 0) socket.destroy();
    }
  };
  return server;
}

/** The exchanges of one socket. Answers leave in the order of the requests, whichever is ready first. */
interface Connection {
  last: IncomingMessage | null;
  /** The bytes that had been read of the socket at the last request. */
  bytesReadAtLast: number;
  unanswered: { request: IncomingMessage; response: ServerResponse }[];
  isBroken: boolean;
  setIdle(isIdle: boolean): void;
}

function track(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
  connection.last = request;
  connection.bytesReadAtLast = request.socket.bytesRead;
  const { unanswered } = connection;
  const exchange = { request, response };
  unanswered.push(exchange);
  connection.setIdle(false);
  response.once('close', () => {
    const index = unanswered.indexOf(exchange);
    if (index !== -1) unanswered.splice(index, 1);
    if (unanswered.length === 0) connection.setIdle(true);
  });
}

/** Node reads chunks in HTTP/1.0, where a proxy in front may know none and end the body elsewhere (RFC 9112, 6.1). */
function isFramingFaulty({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}

/**
 * Answers a connection that cannot continue, only once, and closes it. The answer belongs to the request that broke:
 * earlier requests on the same connection are answered first, and a request that already has its answer gets no second.
 */
function answerBroken(
  connection: Connection | undefined,
  error: Error,
  socket: Duplex,
  method = methodOfBroken(connection, error, socket),
): void {
  if (connection === undefined) {
    closeWith(socket, problemOf(error), method);
    return;
  }
  if (connection.isBroken) return;
  connection.isBroken = true;
  const { last, unanswered } = connection;

  function proceed(): void {
    const [first] = unanswered;
    if (first === undefined) {
      if (last === null || last.complete) closeWith(socket, problemOf(error), method);
      else socket.destroy();
    } else if (first.request.complete) {
      first.response.once('close', proceed);
    } else if (first.response.headersSent) {
      socket.destroy();
    } else {
      closeWith(socket, problemOf(error), first.request.method);
    }
  }
  proceed();
}

/**
 * HEAD where the bytes that were read last begin with it and no request before was among them: of a head that never
 * becomes a request nothing else is known. One in several pieces, or one that takes too long, is answered as GET is.
 */
function methodOfBroken(
  connection: Connection | undefined,
  error: Error & { rawPacket?: Buffer },
  socket: Duplex,
): string | undefined {
  if (!('bytesRead' in socket) || connection?.bytesReadAtLast === socket.bytesRead) return undefined;
  return error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ' ? 'HEAD' : undefined;
}

/** No table of the contract knows broken HTTP: the status says what HTTP says, the word is the nearest code. */
function problemOf(error: Error & { code?: string }): Problem {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', { status: 408 });
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('payload_too_large', { status: 431 });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('payload_too_large');
    default:
      return new Problem('invalid_payload', { reason: 'the request: is not HTTP/1.1' });
  }
}

/** The time in which the other side must fetch its last answer and close its half, which ends the connection. */
const LAST_ANSWER_TIMEOUT_MS = 1000;

/**
 * Closes our half only: a full close would reset a client that is still sending, and take the answer with it. HEAD gets
 * the head of the answer alone (RFC 9110, 9.3.2), as its client expects no body.
 */
function closeWith(socket: Duplex, problem: Problem, method?: string): void {
  if (!socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: problem.code });
  const reason = problem.reason === null ? '' : `X-Service-Problem: ${problem.reason}\r\n`;
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${body.length}\r\n` +
      reason +
      'Connection: close\r\n\r\n' +
      (method === 'HEAD' ? '' : body),
  );
  setTimeout(() => socket.destroy(), LAST_ANSWER_TIMEOUT_MS).unref();
}
