import { networkInterfaces } from 'node:os';
import { isLoopbackHost } from '../loopback-url.ts';
import { classifyAddress, isLoopbackAddress, isSameAddress } from './address-class.ts';
import { isAddressListed, isNameListed } from './allow-list.ts';
import type { OutboundPolicy, OutboundPurpose } from './outbound-policy.ts';

/** The target of a request. */
export interface TargetAddress {
  url: URL;
  /** Name or address as the URL parser wrote it: lower case, without brackets and without a final dot. */
  host: string;
  port: number;
  purpose: OutboundPurpose;
}

/**
 * Judges one address of a target (docs/contract/notifications.md 5.2, 5.4): those written in the URL, every answer of
 * a name, and the other end of a socket.
 */
export function isAddressAllowed(address: string, place: TargetAddress, policy: OutboundPolicy): boolean {
  const addressClass = classifyAddress(address);
  if (addressClass === 'closed') return false;
  if (policy.ownPorts.includes(place.port) && isAddressOfThisMachine(address)) return false;
  if (addressClass === 'public') return true;
  return (
    (isLoopbackReceiver(place, policy) && isLoopbackAddress(address)) ||
    isNameListed(policy.allowlist, place.host, place.port) ||
    isAddressListed(policy.allowlist, address, place.port)
  );
}

/** A receiver on this machine, as written in the URL: a name that merely resolves here is none. */
export function isLoopbackReceiver(place: TargetAddress, policy: OutboundPolicy): boolean {
  return policy.isLoopbackAllowed && place.purpose === 'receiver' && isLoopbackHost(place.url.hostname);
}

/** Addresses come and go while the service runs. */
function isAddressOfThisMachine(address: string): boolean {
  return (
    isLoopbackAddress(address) ||
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .some((own) => isSameAddress(own.address.replace(/%.*$/s, ''), address))
  );
}
