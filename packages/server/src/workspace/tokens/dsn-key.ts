import { randomBytes } from 'node:crypto';

/** A new key for the address of foreign clients. It is public, so it is guessed by nobody and hidden from nobody. */
export function createDsnKey(): string {
  return randomBytes(16).toString('hex');
}
