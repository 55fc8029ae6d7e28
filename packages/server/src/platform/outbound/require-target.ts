import { faultAt, invalidPayload } from '../http/binding/payload-fault.ts';
import { Problem } from '../http/binding/problem.ts';
import type { OutboundPolicy, OutboundPurpose } from './outbound-policy.ts';
import { parseTarget } from './target.ts';

/**
 * Returns an address of a body in its stored form, if the outbound policy allows it as written
 * (docs/contract/notifications.md 5.1). No name is looked up: an address seen now proves nothing later.
 * @param pointer of the address in the body
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function requireTarget(
  policy: OutboundPolicy,
  text: string,
  pointer: string,
  purpose: OutboundPurpose = 'receiver',
): string {
  const target = parseTarget(text, policy, { purpose });
  if (target.ok) return target.url.href;
  if (target.reason === 'invalid_payload') throw invalidPayload(pointer, 'is not an absolute URL');
  throw new Problem('blocked_target', { reason: faultAt(pointer, 'is not an allowed target') });
}
