import type { IncomingHttpHeaders } from 'node:http';
import { isIP, isIPv4 } from 'node:net';

/** A list entry beyond this length is no address, whatever surrounds it. */
const ENTRY_LENGTH_MAX = 100;
const BRACKETED = /^\[([^\]]*)\](?::\d{0,5})?$/;
const PORT = /:\d{0,5}$/;
const QUOTED = /^"(.*)"$/s;
const ZONE = /%.*$/s;
/** The short form of an IPv4 address that is written as an IPv6 one. */
const MAPPED_IPV4 = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * The address of a text that can also hold quotation marks, brackets, a port and a zone, as proxies write them: Azure's
 * gateway and IIS add ports, others put IPv6 addresses into brackets. An IPv4 address in IPv6 form becomes IPv4. Null
 * when the text is no address, such as `unknown` and `_hidden`.
 */
export function plainAddress(text: string): string | null {
  if (text.length > ENTRY_LENGTH_MAX) return null;
  const unquoted = text.trim().replace(QUOTED, '$1').trim();
  const bracketed = BRACKETED.exec(unquoted)?.[1];
  const withZone = bracketed ?? (isIP(unquoted) === 0 ? unquoted.replace(PORT, '') : unquoted);
  const bare = withZone.replace(ZONE, '');
  if (isIP(bare) === 0) return null;
  if (isIPv4(bare)) return bare;
  // The URL parser writes every spelling of an address in the one short form.
  const short = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [, high, low] = MAPPED_IPV4.exec(short) ?? [];
  return high === undefined || low === undefined ? short : ipv4Of(high, low);
}

/** An IPv4 address from two hexadecimal groups. */
export function ipv4Of(high: string, low: string): string {
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 0xff])
    .join('.');
}

/**
 * The address of a request's client (docs/contract/account.md 2.8): the peer, or where a trusted proxy sent the
 * request, the right-most entry of `X-Forwarded-For` that is no trusted proxy. An entry that is no address ends the
 * search at the hop that wrote it, because entries to its left can be the client's invention. `Forwarded` is not read:
 * a proxy that manages only one of the two headers passes the other on as the client wrote it.
 */
export function clientAddress(
  peer: string | undefined,
  headers: IncomingHttpHeaders,
  isProxy: (address: string) => boolean,
): string {
  let address = plainAddress(peer ?? '') ?? 'unknown';
  const { 'x-forwarded-for': forwarded = '' } = headers;
  const entries = String(forwarded).split(',').reverse();
  for (const entry of entries) {
    if (!isProxy(address)) break;
    if (entry.trim() === '') continue;
    const next = plainAddress(entry);
    if (next === null) break;
    address = next;
  }
  return address;
}
