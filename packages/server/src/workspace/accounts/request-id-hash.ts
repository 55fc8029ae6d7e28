import { createHash } from 'node:crypto';
import { parseId } from '../../platform/ids.ts';

/** What a request is found by; null for an id that can name none. Made like the hash of a token, for it is one too. */
export function requestIdHash(requestId: string): Buffer | null {
  const uuid = parseId([], requestId);
  return uuid === null ? null : createHash('sha256').update(uuid, 'utf8').digest();
}
