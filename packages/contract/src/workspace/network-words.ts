const NETWORK_WORDS = new Map([
  ['loopback_ipv4', 'the machine the server runs on'],
  ['loopback_ipv6', 'the machine the server runs on'],
  ['private_ipv4', 'a private IPv4 network'],
  ['private_ipv6', 'a private IPv6 network'],
  ['public_ipv4', 'a public IPv4 address'],
  ['public_ipv6', 'a public IPv6 address'],
]);

/** Describes the class of a client's address, such as `private_ipv4`, for mails and screens. */
export function networkWords(addressClass: string | null): string {
  return NETWORK_WORDS.get(addressClass ?? '') ?? 'an unknown network';
}
