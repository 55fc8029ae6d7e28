/**
 * Hashes by which events are found, as rows of events have them: five bits of the hour of receipt, and 59 of the hash.
 * An index then has its entries in the order of hours, so that new ones share a few pages (docs/scaling.md). A reader of
 * a hash names the hours.
 */

const HOUR_MS = 3_600_000;
const HASH_BITS = 59n;
/** Bits of the first byte that belong to the hash. */
const FIRST_BYTE_BITS = 3;
const FIRST_BYTE_MASK = 0b111;
const HASH_MASK = (1n << HASH_BITS) - 1n;
const HOURS_OF_DAY = 24;
/** The key that is being made. */
const key = new DataView(new ArrayBuffer(8));

/** Returns the key of a hash in the hour of a receipt. */
export function hourKey(hash: bigint, receivedAtMs: number): bigint {
  return keyOf(hash, Math.floor(receivedAtMs / HOUR_MS) % HOURS_OF_DAY);
}

/** Returns the keys that a hash has in the hours of a span, each once. */
export function keysBetween(hash: bigint, fromMs: number, toMs: number): bigint[] {
  const first = Math.floor(fromMs / HOUR_MS);
  const hours = Math.min(Math.floor(toMs / HOUR_MS) - first + 1, HOURS_OF_DAY);
  return Array.from({ length: hours }, (_, n) => keyOf(hash, (first + n) % HOURS_OF_DAY));
}

/**
 * Returns the SQL for all keys of a hash, as an array. It is computed when the statement runs: a planner that sees the
 * keys judges each for each day, which takes longer than the statement.
 * @param hash a `bigint` in SQL
 */
export function anyHour(hash: string): string {
  const keys = Array.from(
    { length: HOURS_OF_DAY },
    (_, hour) => `(${hash}) & ${HASH_MASK} | ${keyOf(0n, hour)}`,
  );
  return `(select array[${keys.join(', ')}])::bigint[]`;
}

function keyOf(hash: bigint, hour: number): bigint {
  // In bytes: each operation on a bigint allocates another one.
  key.setBigInt64(0, hash);
  key.setUint8(0, (key.getUint8(0) & FIRST_BYTE_MASK) | (hour << FIRST_BYTE_BITS));
  return key.getBigInt64(0);
}
