import { isIP } from 'node:net';
import { isAddressListed, isNameListed } from './allow-list.ts';
import { isAddressAllowed, isLoopbackReceiver, type TargetAddress } from './judge-address.ts';
import type { OutboundPolicy, OutboundPurpose } from './outbound-policy.ts';

/** A target that may be stored, or the problem code it is refused with. */
type ParsedTarget = { ok: true; url: URL } | { ok: false; reason: 'invalid_payload' | 'blocked_target' };

/** Names that only exist inside (docs/contract/notifications.md 5.1). */
const INTERNAL_SUFFIXES = ['localhost', 'local', 'internal', 'intranet', 'lan', 'corp', 'home.arpa', 'onion'];
const DEFAULT_PORTS = new Map([
  ['https:', 443],
  ['http:', 80],
]);

/**
 * Applies the syntactic rules (docs/contract/notifications.md 5.1): at create and update, and before each request.
 * Looks up no name.
 * @param options.purpose `receiver` unless said otherwise
 * @returns the URL to store as `url.href`, without its fragment
 */
export function parseTarget(
  text: string,
  policy: OutboundPolicy,
  options: { purpose?: OutboundPurpose } = {},
): ParsedTarget {
  const url = URL.parse(text);
  if (url === null) return { ok: false, reason: 'invalid_payload' };
  url.hash = '';
  return isTargetAllowed(locationOf(url, options.purpose ?? 'receiver'), policy)
    ? { ok: true, url }
    : { ok: false, reason: 'blocked_target' };
}

/**
 * Returns the target of a URL. One parser reads all URLs, so decimal, octal and hex addresses are plain addresses here.
 */
export function locationOf(url: URL, purpose: OutboundPurpose): TargetAddress {
  return {
    url,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, ''),
    port: url.port === '' ? (DEFAULT_PORTS.get(url.protocol) ?? 0) : Number(url.port),
    purpose,
  };
}

/**
 * The addresses that need no look-up: the one written in the URL, and those of `localhost`. Null for all other names.
 */
export function knownAddresses(host: string): readonly string[] | null {
  if (isIP(host) !== 0) return [host];
  return host === 'localhost' ? ['127.0.0.1', '::1'] : null;
}

function isTargetAllowed(place: TargetAddress, policy: OutboundPolicy): boolean {
  const { url, host, port } = place;
  const defaultPort = DEFAULT_PORTS.get(url.protocol);
  if (defaultPort === undefined || url.username !== '' || url.password !== '') return false;
  if (policy.ownHosts.includes(`${host}:${port}`)) return false;
  const isOpened = isOpenedAsWritten(place, policy);
  const isOrdinary =
    port === defaultPort && (url.protocol === 'https:' || place.purpose === 'availability_check');
  if (!isOrdinary && !isOpened) return false;
  const addresses = knownAddresses(host);
  return addresses === null
    ? isOpened || isPublicName(host)
    : addresses.every((address) => isAddressAllowed(address, place, policy));
}

/**
 * An entry for an address opens http and other ports only where the address itself is written in the URL: what a name
 * leads to is not known yet.
 */
function isOpenedAsWritten(place: TargetAddress, policy: OutboundPolicy): boolean {
  return (
    isLoopbackReceiver(place, policy) ||
    isNameListed(policy.allowlist, place.host, place.port) ||
    isAddressListed(policy.allowlist, place.host, place.port)
  );
}

function isPublicName(host: string): boolean {
  const labels = host.split('.');
  return (
    labels.length > 1 &&
    labels.every((label) => label !== '') &&
    !INTERNAL_SUFFIXES.some((suffix) => `.${host}`.endsWith(`.${suffix}`))
  );
}
