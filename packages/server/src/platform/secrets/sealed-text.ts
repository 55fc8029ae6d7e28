import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts a secret that has to be sent again (docs/contract/reliability.md A11): AES-256-GCM, as key id, nonce, tag,
 * text.
 * @param key 32 bytes, derived for this one purpose
 * @param row the id of the row it is stored in; the bytes are worth nothing in any other row
 */
export function sealText(key: Buffer, text: string, row: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(row);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([keyId(key), nonce, cipher.getAuthTag(), sealed]);
}

/** The text again; null when it was sealed with another key, for another row, or changed since. */
export function openSealedText(key: Buffer, sealed: Buffer, row: Buffer): string | null {
  if (sealed.length < HEAD_BYTES || !sealed.subarray(0, KEY_ID_BYTES).equals(keyId(key))) return null;
  const nonce = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce);
  decipher.setAAD(row);
  decipher.setAuthTag(sealed.subarray(KEY_ID_BYTES + NONCE_BYTES, HEAD_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/**
 * Returns an id that distinguishes keys without revealing them; a hash is one-way, and four bytes of it even more so.
 */
function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('key id').update(key).digest().subarray(0, KEY_ID_BYTES);
}
