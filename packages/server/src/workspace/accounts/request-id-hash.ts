import { createHash } from 'node:crypto';
import { parseId } from '../../platform/ids.ts';

/**
 * Returns the hash by which a request is found; null for an id that can name none. It is computed like the hash of a
 * token, because the id is a secret too.
 */
export function requestIdHash(requestId: string): Buffer | null {
  const uuid = parseId([], requestId);
  return uuid === null ? null : createHash('sha256').update(uuid, 'utf8').digest();
}
