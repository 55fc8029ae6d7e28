import { once } from 'node:events';
import { createServer, type RequestListener, request as sendRequest } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { IssuedCertificate } from './certificates.ts';

/** A proxy as operators run it: tunnels for https, whole URLs for http. */
export interface ForwardProxy {
  port: number;
  /** `CONNECT host:port` or `POST http://…`, with the credentials that came. */
  requests: { line: string; credentials: string | undefined }[];
  /** Answers everything with this from now on; null: does its work. */
  refuseWith(status: number | null): void;
  close(): Promise<void>;
}

/**
 * @param portOf where each host really is, on 127.0.0.1
 * @param certificate the proxy is reached over TLS with it
 */
export async function startForwardProxy(
  portOf: (host: string) => number,
  certificate?: IssuedCertificate,
): Promise<ForwardProxy> {
  const requests: ForwardProxy['requests'] = [];
  const sockets = new Set<Socket>();
  let refusal: number | null = null;
  const forward: RequestListener = (message, response) => {
    const { method = '', url = '', headers } = message;
    requests.push({ line: `${method} ${url}`, credentials: headers['proxy-authorization'] });
    if (refusal !== null) {
      response.writeHead(refusal).end();
      return;
    }
    const { hostname, pathname, search } = new URL(url);
    const { 'proxy-authorization': _, ...passed } = headers;
    const options = { port: portOf(hostname), method, path: pathname + search, headers: passed };
    const onward = sendRequest({ host: '127.0.0.1', ...options }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    message.pipe(onward);
  };
  const server = certificate === undefined ? createServer(forward) : createTlsServer(certificate, forward);
  server.on('connect', (message, socket: Duplex) => {
    const { url = '', headers } = message;
    requests.push({ line: `CONNECT ${url}`, credentials: headers['proxy-authorization'] });
    socket.on('error', () => {});
    if (refusal !== null) {
      socket.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`);
      return;
    }
    const onward = connect(portOf(new URL(`http://${url}`).hostname), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    sockets.add(onward);
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy listens on no port');
  return {
    port: address.port,
    requests,
    refuseWith(status) {
      refusal = status;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
