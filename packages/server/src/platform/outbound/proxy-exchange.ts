import type { Secret } from '../secrets/secret.ts';
import { exchange, type HttpAnswer, type HttpRequest, openTunnel } from './http-exchange.ts';
import type { TargetAddress } from './judge-address.ts';
import { CONNECT_TIMEOUT_MS, openTcp, secureSocket } from './open-connection.ts';

/**
 * One request through the operator's proxy, which looks the name up and enforces the address rules
 * (docs/contract/notifications.md
 * 5.3). https goes through a tunnel, so that the proxy reads nothing of it; http is asked of the proxy itself.
 */
export async function exchangeThroughProxy(
  proxyUrl: Secret,
  place: TargetAddress,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const proxy = new URL(proxyUrl.reveal());
  const host = proxy.hostname.replace(/^\[(.*)\]$/, '$1');
  const isTls = proxy.protocol === 'https:';
  const port = proxy.port === '' ? (isTls ? 443 : 80) : Number(proxy.port);
  const connection = await openTcp({ host, port }, CONNECT_TIMEOUT_MS, signal);
  const socket = isTls ? await secureSocket(connection, host, CONNECT_TIMEOUT_MS, signal) : connection;
  const credentials = proxyCredentials(proxy);
  const { url } = place;
  if (url.protocol === 'http:') {
    const headers = { ...request.headers, ...credentials };
    return await exchange(socket, { ...request, path: url.href, headers }, signal);
  }
  const authority = `${url.hostname}:${place.port}`;
  const tunnel = await openTunnel(socket, { authority, headers: credentials }, signal);
  const secured = await secureSocket(tunnel, place.host, CONNECT_TIMEOUT_MS, signal);
  return await exchange(secured, request, signal);
}

function proxyCredentials(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
