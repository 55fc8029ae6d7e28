import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseId } from '../../platform/ids.ts';
import type { Secret } from '../../platform/secrets/secret.ts';

/** Returns the token in the link of a personal mail: its person, and a proof that it was in a mail to them. */
export function unsubscribeToken(key: Secret<Buffer>, userId: string): string {
  return `${userId}.${proofOf(key, userId)}`;
}

/** The person of a token; null when it is none of ours. */
export function readUnsubscribeToken(key: Secret<Buffer>, token: string): string | null {
  const [id = '', proof = ''] = token.split('.');
  const userId = parseId([], id);
  if (userId === null) return null;
  const expected = Buffer.from(proofOf(key, userId));
  const given = Buffer.from(proof);
  return given.length === expected.length && timingSafeEqual(given, expected) ? userId : null;
}

function proofOf(key: Secret<Buffer>, userId: string): string {
  return createHmac('sha256', key.reveal()).update(userId, 'utf8').digest('base64url');
}
