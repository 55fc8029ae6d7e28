import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../platform/secrets/secret.ts';

/** The purpose of a code of six digits; a code for one purpose is worthless for another. */
type CodePurpose = 'sign_in' | 'account_deletion' | 'email_change';

/** Life of a code (docs/contract/account.md 2.2, 5). */
export const CODE_LIFETIME_MS = 600_000;
/** Tries per code; the last wrong one burns it. */
export const CODE_ATTEMPTS_MAX = 5;

const CODES = 1_000_000;

/** Six decimal digits, uniform, leading zeros kept. */
export function createCode(): string {
  return String(randomInt(CODES)).padStart(6, '0');
}

/**
 * Returns the stored hash of a code: an HMAC with a key of the server, because a plain hash of six digits is reversible
 * (docs/contract/account.md 1.3).
 * @param key `mailedCodes` of the installation's keys
 */
export function codeHash(key: Secret<Buffer>, purpose: CodePurpose, email: string, code: string): Buffer {
  return createHmac('sha256', key.reveal())
    .update(JSON.stringify([purpose, email, code]))
    .digest();
}

/** Compares in constant time. A missing hash takes as long and equals nothing. */
export function isSameHash(stored: Buffer | null, given: Buffer): boolean {
  const isEqual = timingSafeEqual(
    stored?.length === given.length ? stored : Buffer.alloc(given.length),
    given,
  );
  return stored !== null && isEqual;
}
