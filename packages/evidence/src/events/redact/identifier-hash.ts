import { hash } from 'node:crypto';

/**
 * 64 well-mixed bits of an id that events are joined or counted by, as the signed number a `bigint` column holds. The
 * ids of one project collide by chance once in billions of billions, and nothing worse than a wrong neighbour follows.
 */
export function identifierHash(id: string): bigint {
  // Taken as text: a buffer for each id would cost more than the hash.
  return BigInt.asIntN(64, BigInt(`0x${hash('sha256', id, 'hex').slice(0, 16)}`));
}
