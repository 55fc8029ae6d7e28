import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost } from '../../loopback-url.ts';
import { plainAddress } from './client-address.ts';

/** The headers that proxies add; a client of a proxy is not on this machine, wherever the proxy is. */
const PROXY_HEADER = /^(?:x-(?:original-)?forwarded-|x-arr-|x-azure-|cf-)/;
const PROXY_HEADERS = new Set([
  'cdn-loop',
  'client-ip',
  'forwarded',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-host',
  'x-original-url',
  'x-real-ip',
]);

/**
 * Returns true if a request was sent on this machine under a name of this machine: a page to which a browser here was
 * lured has another name.
 */
export function isLocalCaller(peerAddress: string | undefined, headers: IncomingHttpHeaders): boolean {
  const peer = plainAddress(peerAddress ?? '') ?? '';
  const asked = `http://${headers.host ?? ''}`;
  return (
    isLoopbackHost(peer) &&
    URL.canParse(asked) &&
    isLoopbackHost(new URL(asked).hostname) &&
    !Object.keys(headers).some((name) => PROXY_HEADERS.has(name) || PROXY_HEADER.test(name))
  );
}
