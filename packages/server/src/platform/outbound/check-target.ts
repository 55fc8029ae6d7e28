import { judgeTarget } from './judge-target.ts';
import { OutboundFailure } from './outbound-failure.ts';
import type { OutboundPolicy } from './outbound-policy.ts';
import { locationOf, parseTarget } from './target.ts';

/**
 * Judges the target of an availability check at create, update and test (docs/contract/account.md 7.6): the syntactic
 * rules, then every address its name has now. `blocked` when one of them is blocked; `unresolved` when none is
 * answered within 2 s. Behind the operator's proxy names are the proxy's to judge.
 */
export async function checkTarget(
  url: string,
  policy: OutboundPolicy,
): Promise<'allowed' | 'blocked' | 'unresolved'> {
  const purpose = 'availability_check';
  const target = parseTarget(url, policy, { purpose });
  if (!target.ok) return 'blocked';
  if (policy.proxyUrl !== null) return 'allowed';
  try {
    await judgeTarget(locationOf(target.url, purpose), policy);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    return error.errorKind === 'address_blocked' ? 'blocked' : 'unresolved';
  }
}
