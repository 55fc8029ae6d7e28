import * as keys from '@culprit/contract/events/secret-keys';

/** Applications send the same keys with every event, and reading the words of one takes as long as copying its value. */
const KEYS_REMEMBERED_MAX = 2_000;
const KEY_CHARS_MAX = 64;
const remembered = new Map<string, boolean>();

/** `isSecretKey` of the contract, which remembers. */
export function isSecretKey(key: string): boolean {
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const isSecret = keys.isSecretKey(key);
  if (key.length > KEY_CHARS_MAX) return isSecret;
  if (remembered.size >= KEYS_REMEMBERED_MAX) remembered.clear();
  remembered.set(key, isSecret);
  return isSecret;
}

/** `holdsSecret` of the contract, which remembers. */
export function holdsSecret(key: string, value: unknown): boolean {
  return isSecretKey(key) && keys.holdsSecret(key, value);
}
