import type { OutboundPolicy } from '../../platform/outbound/outbound-policy.ts';
import { sendGuarded } from '../../platform/outbound/send-guarded.ts';
import { type CheckOutcome, type CheckTarget, outcomeOf } from './check-outcome.ts';

const REDIRECTS_MAX = 5;
const BODY_BYTES_MAX = 65_536;

/**
 * Asks a target once, as docs/contract/account.md 7.5 lays it down. Whatever the target does is an outcome; throws
 * only the reason of `signal`.
 */
export async function askTarget(
  policy: OutboundPolicy,
  target: CheckTarget,
  signal?: AbortSignal,
): Promise<CheckOutcome> {
  const result = await sendGuarded(policy, {
    method: target.method,
    url: target.url,
    headers: { 'user-agent': 'culprit-availability/1', accept: '*/*' },
    timeoutMs: target.timeoutMs,
    bodyBytesMax: BODY_BYTES_MAX,
    redirects: expectsRedirect(target) ? 'refuse' : { max: REDIRECTS_MAX },
    purpose: 'availability_check',
    ...(signal === undefined ? {} : { signal }),
  });
  return outcomeOf(result, target);
}

/** A check whose bounds both lie in 300 to 399 is about the redirect itself. */
function expectsRedirect({ expectedStatusMin, expectedStatusMax }: CheckTarget): boolean {
  return expectedStatusMin >= 300 && expectedStatusMax <= 399;
}
