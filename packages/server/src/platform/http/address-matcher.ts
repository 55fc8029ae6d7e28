import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Says whether an address is one of these addresses and ranges, such as `10.0.0.0/8`. */
export function addressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', prefix] = range.split('/');
    const family = isIPv4(base) ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(prefix), family);
  }
  // An IPv4 address in the clothes of an IPv6 one is found by the list itself.
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
