import { Problem } from '../../platform/http/binding/problem.ts';
import { checkTarget } from '../../platform/outbound/check-target.ts';
import type { OutboundPolicy } from '../../platform/outbound/outbound-policy.ts';
import { requireTarget } from '../../platform/outbound/require-target.ts';

/**
 * Returns the address of a check in its stored form, if the outbound policy allows it as written.
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function requireCheckTarget(policy: OutboundPolicy, text: string): string {
  return requireTarget(policy, text, '/url', 'availability_check');
}

/**
 * The same by the addresses its name has now (docs/contract/account.md 7.6). Asked only for those who may, because it
 * is our name server that is asked. No answer is no refusal: a passing fault of a name server must not keep a check
 * from being made.
 * @throws Problem `blocked_target`
 */
export async function requireReachable(policy: OutboundPolicy, url: string): Promise<void> {
  if ((await checkTarget(url, policy)) === 'blocked') throw new Problem('blocked_target');
}
