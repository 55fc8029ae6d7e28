import { identifierHash } from './identifier-hash.ts';

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME_BITS = 16n;
const HASH_BITS = 64n - TIME_BITS;

/**
 * The number by which the id of an event is known for seven days, as the signed number that a `bigint` column holds. It
 * depends on the id alone. An id with a time in it (UUID version 7) has 16 bits of that in front of its hash, by 66 seconds
 * and for 50 days: what comes at one time lies side by side in the index, whose pages are then written once and not for
 * each id. Seven of the fifty days are known, so two ids collide seven times as often as hashes of 64 bits would: of
 * three million ids, once in half a million weeks.
 */
export function eventIdKey(id: string): bigint {
  const hash = identifierHash(id);
  if (!UUID_7.test(id)) return hash;
  const time = BigInt(`0x${id.slice(4, 8)}`);
  return BigInt.asIntN(64, (time << HASH_BITS) | BigInt.asUintN(Number(HASH_BITS), hash));
}
