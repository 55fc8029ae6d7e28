import { isIPv4, isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i;
/** Groups of 16 bits that name a network; the rest is the customer's own to choose. */
const NETWORK_GROUPS = 4;

/**
 * What counts as one client for limits (docs/contract/account.md 2.8): an IPv4 address, or the /64 network of an IPv6
 * address, because whoever has one address of such a network has all of them.
 */
export function clientKey(address: string): string {
  const bare = address.replace(/%.*$/s, '');
  const mapped = MAPPED_IPV4.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIPv4(bare)) return bare;
  return isIPv6(bare) ? `${networkOf(bare)}::/64` : 'unknown';
}

function networkOf(address: string): string {
  // The URL parser writes every spelling of an address in the one short form.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [front = '', back] = short.split('::');
  const groups = front === '' ? [] : front.split(':');
  if (back !== undefined) {
    const tail = back === '' ? 0 : back.split(':').length;
    groups.push(...Array.from({ length: 8 - groups.length - tail }, () => '0'));
  }
  return groups.slice(0, NETWORK_GROUPS).join(':');
}
