/** Stands in place of every redacted value (docs/contract/ingestion.md 8.5). */
export const REDACTED_MARK = '[REDACTED]';

/** Keys whose values are never kept, at any depth, in any case. */
export const redactedKeys: readonly string[] = [
  'password',
  'secret',
  'token',
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'credit_card',
  'card_number',
  'cvv',
  'ssn',
  'social_security',
];

const keySet: ReadonlySet<string> = new Set(redactedKeys);
const lengthMask = redactedKeys.reduce((mask, key) => mask | (1 << key.length), 0);
const LENGTH_MAX = Math.max(...redactedKeys.map((key) => key.length));

/**
 * Whether a whole key is a listed one. Only ASCII letters are folded: the Kelvin sign is no `k`, neither here nor in
 * the byte scan that decides whether a body must be looked at.
 */
export function isRedactedKey(key: string): boolean {
  const { length } = key;
  // Most keys have a length that no listed one has.
  if (length > LENGTH_MAX || ((lengthMask >>> length) & 1) === 0) return false;
  return keySet.has(key) || (keySet.has(key.toLowerCase()) && /^[\w-]+$/.test(key));
}
