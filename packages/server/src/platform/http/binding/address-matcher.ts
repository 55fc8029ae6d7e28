import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { plainAddress } from '../server/client-address.ts';

/** Bits in front of an IPv4 address that is written as an IPv6 one. */
const MAPPED_BITS = 96;

/**
 * Says whether an address is one of these addresses and ranges, such as `10.0.0.0/8`. The range of an IPv4 network in
 * IPv6 form is that of the network.
 */
export function addressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', prefix] = range.split('/');
    const plain = plainAddress(base) ?? base;
    const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
    const isMapped = family === 'ipv4' && isIPv6(base);
    if (prefix === undefined) list.addAddress(plain, family);
    else if (!isMapped) list.addSubnet(plain, Number(prefix), family);
    else if (Number(prefix) >= MAPPED_BITS) list.addSubnet(plain, Number(prefix) - MAPPED_BITS, family);
    else list.addSubnet(base, Number(prefix), 'ipv6');
  }
  return (address) => {
    const plain = plainAddress(address);
    return plain !== null && list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
  };
}
