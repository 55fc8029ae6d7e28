import { hash } from 'node:crypto';

const HALVES = new Uint32Array(2);
const NUMBER = new BigInt64Array(HALVES.buffer);
/** The lower half comes first on little-endian machines. */
const LOW = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

/**
 * 64 well-mixed bits of an id that events are joined or counted by, as the signed number a `bigint` column holds. The
 * ids of one project collide by chance once in billions of billions, and nothing worse than a wrong neighbour follows.
 */
export function identifierHash(id: string): bigint {
  // Taken as text, one byte a character: a buffer for each id, or a number read from digits, would cost more than the hash.
  const digest = hash('sha256', id, 'binary');
  HALVES[1 - LOW] = word(digest, 0);
  HALVES[LOW] = word(digest, 4);
  return NUMBER[0] ?? 0n;
}

function word(bytes: string, at: number): number {
  return (
    (bytes.charCodeAt(at) << 24) |
    (bytes.charCodeAt(at + 1) << 16) |
    (bytes.charCodeAt(at + 2) << 8) |
    bytes.charCodeAt(at + 3)
  );
}
