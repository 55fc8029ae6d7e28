import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { SIGN_IN_COOKIE } from '@culprit/contract/workspace/sign-in';
import { ownCookieHeader, readOwnCookie } from '../../platform/http/binding/cookies.ts';
import { clientKey } from '../../platform/http/limits/client-key.ts';
import type { Secret } from '../../platform/secrets/secret.ts';

/**
 * The time for which an address has a separate limit of messages for a browser with which it signed in; also the
 * cookie's `Max-Age`.
 */
export const KNOWN_BROWSER_SECONDS = 90 * 86_400;

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** The browser, or the program with a cookie jar, that asks for a code and brings it. */
export interface SignInBrowser {
  /** The stored hash of its secret. */
  hash: Buffer;
  /** The `Set-Cookie` value by which it is recognized. */
  cookie: string;
}

/** The browser of a request; null when it has no cookie of the right form. */
export function readSignInBrowser(headers: IncomingHttpHeaders, isSecure: boolean): SignInBrowser | null {
  const value = readOwnCookie(headers.cookie, SIGN_IN_COOKIE, isSecure);
  return value === null || !SECRET.test(value) ? null : browserOf(value, isSecure);
}

/** A browser that has no cookie yet. */
export function newSignInBrowser(isSecure: boolean): SignInBrowser {
  return browserOf(randomBytes(SECRET_BYTES).toString('base64url'), isSecure);
}

function browserOf(value: string, isSecure: boolean): SignInBrowser {
  return {
    hash: createHash('sha256').update(value, 'utf8').digest(),
    cookie: ownCookieHeader({
      name: SIGN_IN_COOKIE,
      value,
      path: '/',
      maxAgeSeconds: KNOWN_BROWSER_SECONDS,
      isSecure,
    }),
  };
}

/** Returns the stored hash of the client that requests a code: addresses are personal data. */
export function clientHash(key: Secret<Buffer>, clientAddress: string): Buffer {
  return createHmac('sha256', key.reveal())
    .update(`client ${clientKey(clientAddress)}`)
    .digest();
}
