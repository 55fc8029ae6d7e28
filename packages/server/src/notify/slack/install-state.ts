import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ownCookieHeader, readOwnCookie } from '../../platform/http/binding/cookies.ts';
import type { Secret } from '../../platform/secrets/secret.ts';

/** The cookie that binds a connection to the browser it began in (docs/contract/notifications.md 2.3). */
const COOKIE = 'svc_slack_state';
const COOKIE_PATH = '/v1/slack/app';
const COOKIE_LIFETIME_SECONDS = 600;
const NONCE_BYTES = 32;
const NONCE_LENGTH = 43;

/** A new state: 32 random bytes, and the server's HMAC-SHA256 over them, as two times 43 characters. */
export function createState(key: Secret<Buffer>): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return `${nonce}.${signatureOf(key, nonce)}`;
}

/** Returns true if a state was created here; it does not check that the state is unused. */
export function isOwnState(key: Secret<Buffer>, state: string): boolean {
  return isSame(state, `${state.slice(0, NONCE_LENGTH)}.${signatureOf(key, state.slice(0, NONCE_LENGTH))}`);
}

/** Returns the hash by which a state is found. */
export function stateHash(state: string): Buffer {
  return createHash('sha256').update(state, 'utf8').digest();
}

/** Returns true if the browser keeps this state. */
export function isKeptState(headers: IncomingHttpHeaders, state: string, isSecure: boolean): boolean {
  const kept = readOwnCookie(headers.cookie, COOKIE, isSecure);
  return kept !== null && isSame(kept, state);
}

/** The `Set-Cookie` value that gives a browser its state. */
export function stateCookie(state: string, isSecure: boolean): string {
  return setCookie(state, COOKIE_LIFETIME_SECONDS, isSecure);
}

/** The `Set-Cookie` value that takes it away. */
export function clearedStateCookie(isSecure: boolean): string {
  return setCookie('', 0, isSecure);
}

function setCookie(value: string, maxAgeSeconds: number, isSecure: boolean): string {
  return ownCookieHeader({ name: COOKIE, value, path: COOKIE_PATH, maxAgeSeconds, isSecure });
}

function signatureOf(key: Secret<Buffer>, nonce: string): string {
  return createHmac('sha256', key.reveal()).update(nonce, 'utf8').digest('base64url');
}

/** Compared as hashes, which have one length. */
function isSame(first: string, second: string): boolean {
  return timingSafeEqual(stateHash(first), stateHash(second));
}
