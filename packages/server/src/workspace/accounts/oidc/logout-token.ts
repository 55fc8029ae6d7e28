import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { isClaimText } from './oidc-identity.ts';
import { CLOCK_TOLERANCE_SECONDS, isSameIssuer } from './oidc-settings.ts';

/** The claims that name the sessions to end, by person or by session; at least one of the two is set. */
export interface LogoutClaims {
  /** In the provider's spelling, as sessions have it. */
  issuer: string;
  subject: string | null;
  sid: string | null;
  tokenId: string;
}

/**
 * The greatest age of a logout token, and so the time for which its id is remembered. Providers send theirs
 * immediately.
 */
export const LOGOUT_TOKEN_SECONDS_MAX = 600;

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/**
 * Reads the claims of a token that is signed by the provider (OpenID Connect Back-Channel Logout 1.0, 2.6).
 * @returns a word for the operator when they are not those of a logout for this client
 */
export function readLogoutClaims(
  claims: JsonObject,
  { issuer, clientId, nowSeconds }: { issuer: string; clientId: string; nowSeconds: number },
): LogoutClaims | LogoutFault {
  const { iss, aud, iat, exp, jti, events, sub, sid } = claims;
  if (typeof iss !== 'string' || !isSameIssuer(iss, issuer)) return 'other_issuer';
  if (aud !== clientId && !(Array.isArray(aud) && aud.includes(clientId))) return 'other_audience';
  if (typeof exp !== 'number' || exp <= nowSeconds - CLOCK_TOLERANCE_SECONDS) return 'token_expired';
  const isFresh =
    typeof iat === 'number' &&
    iat <= nowSeconds + CLOCK_TOLERANCE_SECONDS &&
    iat > nowSeconds - LOGOUT_TOKEN_SECONDS_MAX;
  if (!isFresh) return 'token_expired';
  // A token of a sign-in must never log out, nor the other way round.
  const isLogout = isJsonObject(events) && isJsonObject(events[EVENT]) && !Object.hasOwn(claims, 'nonce');
  if (!isLogout) return 'no_logout_token';
  const [subject, session] = [claimOf(sub), claimOf(sid)];
  const tokenId = claimOf(jti);
  if (typeof tokenId !== 'string' || subject === false || session === false) return 'no_logout_token';
  if (subject === null && session === null) return 'no_logout_token';
  return { issuer: iss, subject, sid: session, tokenId };
}

/** Why a logout token is refused. */
export type LogoutFault =
  | 'other_issuer'
  | 'other_audience'
  | 'token_expired'
  | 'no_logout_token'
  | 'wrong_signature'
  | 'used_before';

/** Null where it is absent, false where it is nothing that identifies. */
function claimOf(value: unknown): string | null | false {
  if (value === undefined) return null;
  return typeof value === 'string' && isClaimText(value) ? value : false;
}
