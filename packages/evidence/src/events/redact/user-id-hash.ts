import { createHmac } from 'node:crypto';

const HASHED_USER_ID = /^usr_[0-9a-f]{32}$/;

/**
 * `usr_` and the first 32 hex digits of HMAC-SHA256(project key, id). A value that already has this form is kept, so
 * that hashing twice changes nothing and a client may send what it read from us.
 */
export function hashUserId(projectUserKey: Uint8Array, id: string): string {
  if (isHashedUserId(id)) return id;
  return `usr_${createHmac('sha256', projectUserKey).update(id, 'utf8').digest('hex').slice(0, 32)}`;
}

export function isHashedUserId(id: string): boolean {
  return id.length === 36 && HASHED_USER_ID.test(id);
}
