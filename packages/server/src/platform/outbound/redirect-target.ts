import type { HttpAnswer } from './http-exchange.ts';
import { OutboundFailure } from './outbound-failure.ts';

const REDIRECT_STATUSES = [301, 302, 303, 307, 308];

/**
 * Where an answer sends on to; null when it does not. What is found there is judged like any other target.
 * @throws OutboundFailure `redirect_target_blocked` for what is no address, and from https to http
 */
export function redirectTarget(answer: HttpAnswer, from: URL): string | null {
  const location = answer.headers.location;
  if (!REDIRECT_STATUSES.includes(answer.status) || location === undefined) return null;
  const to = URL.parse(location, from);
  if (to === null) throw new OutboundFailure('redirect_target_blocked', 'the redirect leads to no address');
  if (from.protocol === 'https:' && to.protocol !== 'https:') {
    throw new OutboundFailure('redirect_target_blocked', 'the redirect leaves https');
  }
  return to.href;
}
