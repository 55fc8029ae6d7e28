import { hash } from 'node:crypto';

/**
 * 64 well-mixed bits of an id that events are joined or counted by, as the signed number a `bigint` column holds. The
 * ids of one project collide by chance once in billions of billions, and nothing worse than a wrong neighbour follows.
 */
export function identifierHash(id: string): bigint {
  return hash('sha256', id, 'buffer').readBigInt64BE(0);
}
