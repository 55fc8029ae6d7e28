import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { IssuedCertificate } from './certificates.ts';
import { reservePort } from './reserved-port.ts';

export interface TargetRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A web server somebody else runs. */
export interface HttpTarget {
  address: string;
  port: number;
  requests: TargetRequest[];
  /** Connections that came, and those still open. */
  connections: { total: number; open: number };
  close(): Promise<void>;
}

export interface HttpTargetOptions {
  /** `127.0.0.1` unless said otherwise. */
  address?: string;
  port?: number;
  /** Speaks TLS with it. */
  certificate?: IssuedCertificate & { maxVersion?: 'TLSv1.1'; minVersion?: 'TLSv1'; ciphers?: string };
  /** Answers with 200 and nothing unless said otherwise. */
  answer?: (request: TargetRequest, response: ServerResponse) => void;
}

export async function startHttpTarget(options: HttpTargetOptions = {}): Promise<HttpTarget> {
  const { address = '127.0.0.1', certificate, answer = (_request, response) => response.end() } = options;
  const requests: TargetRequest[] = [];
  const connections = { total: 0, open: 0 };
  const sockets = new Set<Socket>();
  const listener: RequestListener = (message, response) => {
    void readText(message).then((body) => {
      const { method = '', url = '', headers } = message;
      const request = { method, url, headers, body };
      requests.push(request);
      answer(request, response);
    });
  };
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  server.on('connection', (socket: Socket) => {
    connections.total += 1;
    connections.open += 1;
    sockets.add(socket);
    socket.on('close', () => {
      connections.open -= 1;
      sockets.delete(socket);
    });
  });
  // A test that ends it may start another one in its place.
  server.listen(options.port ?? (await reservePort()), address);
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server listens on no port');
  return {
    address,
    port: bound.port,
    requests,
    connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
