import type { HttpAnswer } from './http-exchange.ts';
import { OutboundFailure } from './outbound-failure.ts';

const REDIRECT_STATUSES = [301, 302, 303, 307, 308];
/** Results of checks keep the address where they ended. */
const ADDRESS_LENGTH_MAX = 8192;

/**
 * Returns the target of a redirect; null when the answer is none. The target is judged like any other.
 * @throws OutboundFailure `redirect_target_blocked` for what is no address or too long, and from https to http;
 * `invalid_response` for several addresses, as browsers refuse them
 */
export function redirectTarget(answer: HttpAnswer, from: URL): string | null {
  const [location, ...others] = new Set(answer.locations);
  if (!REDIRECT_STATUSES.includes(answer.status) || location === undefined) return null;
  if (others.length > 0) throw new OutboundFailure('invalid_response', 'several addresses to go to');
  const to = URL.parse(decodeBytes(location), from);
  if (to === null || to.href.length > ADDRESS_LENGTH_MAX)
    throw new OutboundFailure(
      'redirect_target_blocked',
      'the redirect leads to no address that can be requested',
    );
  if (from.protocol === 'https:' && to.protocol !== 'https:') {
    throw new OutboundFailure('redirect_target_blocked', 'the redirect leaves https');
  }
  return to.href;
}

/** Servers send addresses with letters outside ASCII in UTF-8; RFC 9110 5.5 knows Latin-1 as the older reading. */
function decodeBytes(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return bytes;
  }
}
