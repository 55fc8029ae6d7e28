import { randomBytes } from 'node:crypto';

/** A new key for the address of foreign clients. It is public: hard to guess, and never hidden. */
export function createDsnKey(): string {
  return randomBytes(16).toString('hex');
}
