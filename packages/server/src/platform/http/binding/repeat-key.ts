import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { REPEAT_KEY_HEADER, REPEAT_KEY_PATTERN } from '@culprit/contract/endpoints/endpoint';
import { invalidPayload } from './payload-fault.ts';

const KEY = new RegExp(REPEAT_KEY_PATTERN);

/** The key by which a caller repeats a request; null without one. @throws Problem `invalid_payload` */
export function repeatKeyOf(headers: IncomingHttpHeaders): string | null {
  const key = headers[REPEAT_KEY_HEADER.toLowerCase()];
  if (key === undefined) return null;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw invalidPayload(`/${REPEAT_KEY_HEADER}`, 'must have 1 to 64 printable characters');
}

/**
 * The id that the record of a request gets, a bare UUID: the same for each repeat of the request, so that the key of
 * its table refuses a second one. Of version 4, because one issue tracker takes no other.
 * @param parts caller, endpoint and subject, which separate equal keys
 */
export function repeatId(parts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
