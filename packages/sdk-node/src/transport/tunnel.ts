import type { Agent, ClientRequest } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { loadHttp, loadHttps, loadTls } from '../load-builtin.ts';
import type { OpeningConnections } from './opening-connections.ts';
import type { HttpProxy } from './proxy.ts';

const CONNECT_MS = 10_000;

/** Lets an agent of `node:https` connect through a proxy, which passes the bytes on and can read none of them. */
export function openTunnel(
  agent: Agent,
  proxy: HttpProxy,
  connecting: Agent,
  opening: OpeningConnections,
): void {
  const connect = (
    options: { host?: string; port?: number; servername?: string },
    done: (error: Error | null, socket?: TLSSocket) => void,
  ): undefined => {
    const { host = '', port = 443 } = options;
    const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const request = askFor(target, proxy, connecting);
    request.setTimeout(CONNECT_MS, () => request.destroy(failure('ETIMEDOUT')));
    request.on('socket', (socket) => socket.unref());
    opening.watch(request);
    request.on('error', (error) => done(error));
    request.on('response', () => request.destroy(failure('PROXY_REFUSED')));
    request.on('connect', (answer, socket) => {
      request.setTimeout(0);
      if (answer.statusCode !== 200) {
        socket.destroy();
        done(failure(`PROXY_${answer.statusCode}`));
        return;
      }
      const secure = loadTls().connect({ ...options, socket });
      secure.unref();
      done(null, secure);
    });
    request.end();
  };
  Reflect.set(agent, 'createConnection', connect);
}

function askFor(target: string, proxy: HttpProxy, agent: Agent): ClientRequest {
  const { isSecure, host, port, authorization } = proxy;
  return (isSecure ? loadHttps() : loadHttp()).request({
    method: 'CONNECT',
    host,
    port,
    path: target,
    headers: { Host: target, ...(authorization === null ? {} : { 'Proxy-Authorization': authorization }) },
    agent,
  });
}

function failure(code: string): Error {
  return Object.assign(new Error('the proxy did not connect'), { code });
}
