import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** The class that follows from the address alone (docs/contract/notifications.md 5.2, 5.4). */
type AddressClass =
  | 'public'
  /** Blocked, unless the operator opened it or it is an allowed loopback receiver. */
  | 'internal'
  /** Blocked for everybody: metadata services, unspecified, multicast, broadcast, and what is no address. */
  | 'closed';

const CLOSED_IPV4 = ranges([
  '0.0.0.0/8',
  '100.100.100.200/32',
  '169.254.169.254/32',
  '169.254.170.2/32', // credentials of containers, one cloud
  '169.254.170.23/32',
  '168.63.129.16/32', // platform services of another cloud, on an address that looks public
  '192.0.0.192/32',
  '224.0.0.0/4',
  '255.255.255.255/32',
]);

const INTERNAL_IPV4 = ranges([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
]);

const CLOSED_IPV6 = ranges([
  '::/128',
  'fd00:ec2::254/128',
  'fd00:ec2::23/128',
  'fd20:ce::254/128',
  'ff00::/8',
]);

/** Whatever is outside of it is internal, known or not. */
const GLOBAL_UNICAST = range('2000::/3');
/** The special ranges inside 2000::/3. */
const INTERNAL_IPV6 = ranges(['2001::/23', '2001:db8::/32', '2620:4f:8000::/48', '3fff::/20']);

/** IPv4 in the last four bytes, judged as such. */
const JUDGED_AS_IPV4 = ranges(['::ffff:0:0/96', '64:ff9b::/96']);
/** The ranges that are never public, whatever is inside; closed when one of the IPv4 addresses at these bytes is. */
const CARRIERS_OF_IPV4: readonly { range: Range; bytes: readonly (readonly number[])[] }[] = [
  { range: range('::ffff:0:0:0/96'), bytes: [[12, 13, 14, 15]] },
  { range: range('::/96'), bytes: [[12, 13, 14, 15]] },
  {
    range: range('64:ff9b:1::/48'),
    bytes: [
      [12, 13, 14, 15],
      [6, 7, 9, 10],
    ],
  },
  { range: range('2002::/16'), bytes: [[2, 3, 4, 5]] },
];

const LOOPBACK_RANGES = ranges(['127.0.0.0/8', '::1/128']);

/** Classes an address as text; what cannot be read as one is closed. */
export function classifyAddress(text: string): AddressClass {
  const address = readAddress(text);
  if (address === null) return 'closed';
  return address.kind() === 'ipv4' ? classifyIpv4(address) : classifyIpv6(address);
}

export function isLoopbackAddress(text: string): boolean {
  const address = judgedForm(text);
  return address !== null && isWithin(address, LOOPBACK_RANGES);
}

/** True when both name the same place, also where one of them is IPv4 inside IPv6. */
export function isSameAddress(one: string, other: string): boolean {
  const [left, right] = [judgedForm(one), judgedForm(other)];
  return left !== null && right !== null && left.toNormalizedString() === right.toNormalizedString();
}

/** True when the address, or the IPv4 address it is judged as, lies in the range. */
export function isInRange(text: string, rangeAddress: string, prefixBits: number): boolean {
  const base = readAddress(rangeAddress);
  const forms = [readAddress(text), judgedForm(text)];
  return base !== null && forms.some((form) => form !== null && isWithin(form, [[base, prefixBits]]));
}

function classifyIpv4(address: Address): AddressClass {
  if (isWithin(address, CLOSED_IPV4)) return 'closed';
  return isWithin(address, INTERNAL_IPV4) ? 'internal' : 'public';
}

function classifyIpv6(address: Address): AddressClass {
  if (isWithin(address, CLOSED_IPV6)) return 'closed';
  if (isWithin(address, JUDGED_AS_IPV4)) return classifyIpv4(ipv4At(address, [12, 13, 14, 15]));
  const carrier = CARRIERS_OF_IPV4.find(({ range }) => isWithin(address, [range]));
  if (carrier !== undefined && !isWithin(address, LOOPBACK_RANGES)) {
    const carried = carrier.bytes.map((bytes) => classifyIpv4(ipv4At(address, bytes)));
    return carried.includes('closed') ? 'closed' : 'internal';
  }
  return isWithin(address, [GLOBAL_UNICAST]) && !isWithin(address, INTERNAL_IPV6) ? 'public' : 'internal';
}

/** Returns the address in the form that is judged: IPv4 if it is only wrapped. */
function judgedForm(text: string): Address | null {
  const address = readAddress(text);
  return address !== null && isWithin(address, JUDGED_AS_IPV4) ? ipv4At(address, [12, 13, 14, 15]) : address;
}

function ipv4At(address: Address, positions: readonly number[]): ipaddr.IPv4 {
  const bytes = address.toByteArray();
  return new ipaddr.IPv4(positions.map((position) => bytes[position] ?? 0));
}

/** Reads the four-part and the IPv6 forms only, without a zone: the URL parser has already read the other forms. */
function readAddress(text: string): Address | null {
  const family = text.includes('%') ? 0 : isIP(text);
  if (family === 0) return null;
  // The library takes `::8.8.8.8`, as look-ups write it, for `::ffff:8.8.8.8`; it reads plain groups right.
  const plain = family === 4 ? text : URL.parse(`http://[${text}]`)?.hostname.slice(1, -1);
  return plain === undefined ? null : ipaddr.parse(plain);
}

function isWithin(address: Address, list: readonly Range[]): boolean {
  return list.some((entry) => entry[0].kind() === address.kind() && address.match(entry));
}

function ranges(texts: readonly string[]): Range[] {
  return texts.map(range);
}

function range(text: string): Range {
  return ipaddr.parseCIDR(text);
}
