import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ownCookieHeader, readOwnCookie } from '../../platform/http/binding/cookies.ts';
import type { Secret } from '../../platform/secrets/secret.ts';

const COOKIE_LIFETIME_SECONDS = 600;
const STATE_BYTES = 32;

/** The cookie that binds a sign-in to the browser it began in (docs/contract/account.md 3.2). */
interface StateCookie {
  name: string;
  path: string;
}

/** A new state: 43 characters of 32 random bytes. */
export function createState(): string {
  return randomBytes(STATE_BYTES).toString('base64url');
}

/** Returns the hash by which a state is found. */
export function stateHash(state: string): Buffer {
  return createHash('sha256').update(state, 'utf8').digest();
}

/**
 * The PKCE verifier of a state. Derived instead of stored: the browser never has it, and the database knows neither it
 * nor the state.
 */
export function codeVerifierOf(key: Secret<Buffer>, state: string): string {
  return createHmac('sha256', key.reveal()).update(state, 'utf8').digest('base64url');
}

/** The hash of a state that this browser began with; null in every other case. */
export function ownStateHash(
  cookie: StateCookie,
  state: string | undefined,
  headers: IncomingHttpHeaders,
  isSecure: boolean,
): Buffer | null {
  const kept = readOwnCookie(headers.cookie, cookie.name, isSecure);
  if (state === undefined || kept === null) return null;
  const [given, expected] = [stateHash(state), stateHash(kept)];
  return timingSafeEqual(given, expected) ? given : null;
}

/** The `Set-Cookie` value that gives a browser its state. */
export function stateCookie(cookie: StateCookie, state: string, isSecure: boolean): string {
  return ownCookieHeader({ ...cookie, value: state, maxAgeSeconds: COOKIE_LIFETIME_SECONDS, isSecure });
}

/** The `Set-Cookie` value that takes it away. */
export function clearedStateCookie(cookie: StateCookie, isSecure: boolean): string {
  return ownCookieHeader({ ...cookie, value: '', maxAgeSeconds: 0, isSecure });
}
