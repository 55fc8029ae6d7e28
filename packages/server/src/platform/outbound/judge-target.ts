import { isAddressAllowed, type TargetAddress } from './judge-address.ts';
import { OutboundFailure } from './outbound-failure.ts';
import type { OutboundPolicy } from './outbound-policy.ts';
import { resolveName } from './resolve-name.ts';
import { knownAddresses } from './target.ts';

/**
 * Looks a target's name up and judges every answer; a blocked one among them refuses the target, because mixed answers
 * are an attack sign (docs/contract/notifications.md 5.3). What is returned is what may be connected to.
 * @throws OutboundFailure `address_blocked`, `dns_no_answer`, `dns_failed`
 */
export async function judgeTarget(
  place: TargetAddress,
  policy: OutboundPolicy,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const addresses =
    knownAddresses(place.host) ??
    (await resolveName(place.host, {
      nameServers: policy.nameServers,
      ...(signal === undefined ? {} : { signal }),
    }));
  if (!addresses.every((address) => isAddressAllowed(address, place, policy))) {
    throw new OutboundFailure('address_blocked', 'an address of the target is blocked');
  }
  return addresses;
}
