import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { CSRF_HEADER, SESSION_COOKIE, SESSION_HOST_COOKIE } from '@culprit/contract/workspace/sign-in';
import { cookieHeader, readCookie } from '../../platform/http/binding/cookies.ts';
import type { Secret } from '../../platform/secrets/secret.ts';

/** From sign-in, never extended; also the cookie's `Max-Age` (docs/contract/account.md 2.5). */
export const SESSION_LIFETIME_SECONDS = 604_800;

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A new value of the session cookie: 43 characters of 32 random bytes. */
export function createSessionSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Returns the stored hash of a session's secret. */
export function sessionSecretHash(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

/**
 * The session cookie of a request; null when there is none of the right form, which needs no look-up. The one that no
 * other host can have planted decides (docs/contract/account.md 2.5).
 */
export function readSessionCookie(headers: IncomingHttpHeaders): string | null {
  for (const name of [SESSION_HOST_COOKIE, SESSION_COOKIE]) {
    const value = readCookie(headers.cookie, name);
    if (value !== null && SECRET.test(value)) return value;
  }
  return null;
}

/** The `Set-Cookie` values that give a browser its session. */
export function sessionCookies(
  secret: string,
  isSecure: boolean,
  lifetimeSeconds: number = SESSION_LIFETIME_SECONDS,
): string[] {
  return sessionCookieHeaders(secret, lifetimeSeconds, isSecure);
}

/** The `Set-Cookie` values that remove it. */
export function clearedSessionCookies(isSecure: boolean): string[] {
  return sessionCookieHeaders('', 0, isSecure);
}

/** Browsers take a prefixed cookie only if it is secure. */
function sessionCookieHeaders(value: string, maxAgeSeconds: number, isSecure: boolean): string[] {
  const names = isSecure ? [SESSION_COOKIE, SESSION_HOST_COOKIE] : [SESSION_COOKIE];
  return names.map((name) => cookieHeader({ name, value, path: '/', maxAgeSeconds, isSecure }));
}

/**
 * The CSRF token of a session, the same for its whole life (docs/contract/account.md 1.2).
 * @param key `csrf` of the installation's keys
 */
export function csrfToken(key: Secret<Buffer>, sessionId: string): string {
  return createHmac('sha256', key.reveal()).update(sessionId, 'utf8').digest('base64url');
}

/** Returns true if the request carries the CSRF token of the session, compared in constant time. */
export function hasCsrfToken(key: Secret<Buffer>, sessionId: string, headers: IncomingHttpHeaders): boolean {
  const given = headers[CSRF_HEADER.toLowerCase()];
  if (typeof given !== 'string') return false;
  const expected = Buffer.from(csrfToken(key, sessionId));
  const bytes = Buffer.from(given);
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}
