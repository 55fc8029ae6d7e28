import { createHmac } from 'node:crypto';
import type { Secret } from '../../../platform/secrets/secret.ts';

/**
 * Returns the value that the ID token of a sign-in must repeat, so that a token of another sign-in is worth nothing. It
 * is derived from the state like the PKCE verifier, but differs from it: the provider and the browser see this one.
 */
export function nonceOf(key: Secret<Buffer>, state: string): string {
  return createHmac('sha256', key.reveal()).update(`nonce ${state}`, 'utf8').digest('base64url');
}
