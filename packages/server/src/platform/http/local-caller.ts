import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost } from '../loopback-url.ts';

const MAPPED_IPV4_PREFIX = /^::ffff:/i;
/** What proxies add; whoever comes through one is not on this machine, wherever the proxy is. */
const PROXY_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];

/**
 * Whether a request was made on this machine under a name of this machine: a page that a browser here was lured to has
 * another one.
 */
export function isLocalCaller(peerAddress: string | undefined, headers: IncomingHttpHeaders): boolean {
  const peer = peerAddress?.replace(MAPPED_IPV4_PREFIX, '') ?? '';
  const asked = `http://${headers.host ?? ''}`;
  return (
    isLoopbackHost(peer) &&
    URL.canParse(asked) &&
    isLoopbackHost(new URL(asked).hostname) &&
    PROXY_HEADERS.every((name) => headers[name] === undefined)
  );
}
