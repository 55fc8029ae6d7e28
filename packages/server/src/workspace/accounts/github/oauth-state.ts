import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ownCookieHeader, readOwnCookie } from '../../../platform/http/cookies.ts';
import type { Secret } from '../../../platform/secrets/secret.ts';

/** The cookie that binds a sign-in to the browser it began in (docs/contract/account.md 3.2). */
const OAUTH_COOKIE = 'svc_oauth';
const COOKIE_PATH = '/v1/auth/github';
const COOKIE_LIFETIME_SECONDS = 600;
const STATE_BYTES = 32;

/** A new state: 43 characters of 32 random bytes. */
export function createState(): string {
  return randomBytes(STATE_BYTES).toString('base64url');
}

/** What a state is found by. */
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

/** The state that a browser keeps; null when it keeps none. */
export function readOauthCookie(headers: IncomingHttpHeaders, isSecure: boolean): string | null {
  return readOwnCookie(headers.cookie, OAUTH_COOKIE, isSecure);
}

/** The `Set-Cookie` value that gives a browser its state. */
export function oauthCookie(state: string, isSecure: boolean): string {
  return stateCookie(state, COOKIE_LIFETIME_SECONDS, isSecure);
}

/** The `Set-Cookie` value that takes it away. */
export function clearedOauthCookie(isSecure: boolean): string {
  return stateCookie('', 0, isSecure);
}

function stateCookie(value: string, maxAgeSeconds: number, isSecure: boolean): string {
  return ownCookieHeader({ name: OAUTH_COOKIE, value, path: COOKIE_PATH, maxAgeSeconds, isSecure });
}
