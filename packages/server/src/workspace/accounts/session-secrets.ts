import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { CSRF_HEADER, SESSION_COOKIE } from '@culprit/contract/sign-in';
import { cookieHeader, readCookie } from '../../platform/http/cookies.ts';
import type { Secret } from '../../platform/secrets/secret.ts';

/** From sign-in, never extended; also the cookie's `Max-Age` (docs/contract/account.md 2.5). */
export const SESSION_LIFETIME_SECONDS = 604_800;

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A new value of the session cookie: 43 characters of 32 random bytes. */
export function createSessionSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** What is stored of it. */
export function sessionSecretHash(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

/** The session cookie of a request; null when there is none of the right form, which needs no look-up. */
export function readSessionCookie(headers: IncomingHttpHeaders): string | null {
  const value = readCookie(headers.cookie, SESSION_COOKIE);
  return value !== null && SECRET.test(value) ? value : null;
}

/** The `Set-Cookie` value that gives a browser its session. */
export function sessionCookie(secret: string, isSecure: boolean): string {
  return sessionCookieHeader(secret, SESSION_LIFETIME_SECONDS, isSecure);
}

/** The `Set-Cookie` value that takes it away. */
export function clearedSessionCookie(isSecure: boolean): string {
  return sessionCookieHeader('', 0, isSecure);
}

function sessionCookieHeader(value: string, maxAgeSeconds: number, isSecure: boolean): string {
  return cookieHeader({ name: SESSION_COOKIE, value, path: '/', maxAgeSeconds, isSecure });
}

/**
 * The CSRF token of a session, the same for its whole life (docs/contract/account.md 1.2).
 * @param key `csrf` of the installation's keys
 */
export function csrfToken(key: Secret<Buffer>, sessionId: string): string {
  return createHmac('sha256', key.reveal()).update(sessionId, 'utf8').digest('base64url');
}

/** Whether the request carries the CSRF token of the session, compared in constant time. */
export function hasCsrfToken(key: Secret<Buffer>, sessionId: string, headers: IncomingHttpHeaders): boolean {
  const given = headers[CSRF_HEADER.toLowerCase()];
  if (typeof given !== 'string') return false;
  const expected = Buffer.from(csrfToken(key, sessionId));
  const bytes = Buffer.from(given);
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}
