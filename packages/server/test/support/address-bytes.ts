import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The 4 or 16 bytes of an address. */
export function addressBytes(address: string): Buffer {
  // The library takes `::8.8.8.8` for `::ffff:8.8.8.8`; the URL parser writes plain groups.
  const plain = isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
  return Buffer.from(ipaddr.parse(plain).toByteArray());
}
