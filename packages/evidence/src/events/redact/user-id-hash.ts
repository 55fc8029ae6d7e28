import { createHmac, hash } from 'node:crypto';

const HASHED_USER_ID = /^usr_[0-9a-f]{32}$/;

/**
 * `usr_` and the first 32 hex digits of HMAC-SHA256(project key, id). A value that already has this form is kept, so
 * that hashing twice changes nothing and a client may send what it read from us.
 */
export function hashUserId(projectUserKey: Uint8Array, id: string): string {
  if (isHashedUserId(id)) return id;
  return `usr_${hmacOf(projectUserKey, id).slice(0, 32)}`;
}

export function isHashedUserId(id: string): boolean {
  return id.length === 36 && HASHED_USER_ID.test(id);
}

/** The block size of SHA-256 (RFC 2104). */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/** HMAC-SHA256 of a text in hex. Two digests of whole texts take a third of the time of a `createHmac`. */
function hmacOf(key: Uint8Array, text: string): string {
  if (key.length > BLOCK_BYTES) return createHmac('sha256', key).update(text, 'utf8').digest('hex');
  const inner = Buffer.alloc(BLOCK_BYTES + Buffer.byteLength(text), INNER_PAD);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, OUTER_PAD);
  for (let index = 0; index < key.length; index += 1) {
    const byte = key[index] ?? 0;
    inner[index] = byte ^ INNER_PAD;
    outer[index] = byte ^ OUTER_PAD;
  }
  inner.write(text, BLOCK_BYTES);
  hash('sha256', inner, 'buffer').copy(outer, BLOCK_BYTES);
  return hash('sha256', outer, 'hex');
}
