import { createHash, randomInt } from 'node:crypto';

/** Consonants that are not mistaken for each other, and spell no word (RFC 8628 section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const HALF = 4;
const USER_CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;

/** A new code that a person reads in the terminal and sees in the browser, such as `WDJB-MJHT`. */
export function createUserCode(): string {
  const letters = Array.from({ length: 2 * HALF }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
  return shownCode(letters);
}

/**
 * Returns the hash by which a code is found; null for a text that cannot be a code. People type it in any case, with
 * spaces or without.
 */
export function userCodeHash(text: string): Buffer | null {
  const letters = lettersOf(text);
  return USER_CODE.test(letters) ? createHash('sha256').update(letters, 'utf8').digest() : null;
}

/** The form in which both the terminal and the browser show a code. */
export function shownCode(text: string): string {
  const letters = lettersOf(text);
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;
}

function lettersOf(text: string): string {
  return text.toUpperCase().replace(/[\s-]/g, '');
}
