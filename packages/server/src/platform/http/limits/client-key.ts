import { isIPv4 } from 'node:net';
import { ipv4Of, plainAddress } from '../server/client-address.ts';

/** Translators write IPv4 clients in this form (RFC 6052), so one network of it holds all of them. */
const TRANSLATED_IPV4 = /^64:ff9b::([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
/** Groups of 16 bits that name a network; the rest is the customer's own to choose. */
const NETWORK_GROUPS = 4;

/**
 * Returns the key that counts as one client for limits (docs/contract/account.md 2.8): an IPv4 address, or the /64
 * network of an IPv6 address, because a client with one address of such a network has all of them.
 */
export function clientKey(address: string): string {
  const plain = plainAddress(address);
  if (plain === null) return 'unknown';
  if (isIPv4(plain)) return plain;
  const [, high, low] = TRANSLATED_IPV4.exec(plain) ?? [];
  return high === undefined || low === undefined ? `${networkOf(plain)}::/64` : ipv4Of(high, low);
}

/** @param short an IPv6 address in its short form */
function networkOf(short: string): string {
  const [front = '', back] = short.split('::');
  const groups = front === '' ? [] : front.split(':');
  if (back !== undefined) {
    const tail = back === '' ? 0 : back.split(':').length;
    groups.push(...Array.from({ length: 8 - groups.length - tail }, () => '0'));
  }
  return groups.slice(0, NETWORK_GROUPS).join(':');
}
