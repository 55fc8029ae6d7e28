import { Problem } from '../http/problem.ts';
import type { OutboundPolicy } from './outbound-policy.ts';
import { parseTarget } from './target.ts';

/**
 * A receiver's address as it is stored, if the outbound policy allows it as written (docs/contract/notifications.md
 * 5.1). No name is looked up: an address seen now proves nothing later.
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function requireTarget(policy: OutboundPolicy, text: string): string {
  const target = parseTarget(text, policy);
  if (!target.ok) throw new Problem(target.reason);
  return target.url.href;
}
