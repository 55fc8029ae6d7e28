import { deriveKey } from '../../platform/secrets/data-key.ts';
import type { Secret } from '../../platform/secrets/secret.ts';

/** The same for the same key, and of no use to learn it. */
export function dataKeyCheck(key: Secret<Buffer>): string {
  return deriveKey(key, 'backup-check').toString('hex');
}
