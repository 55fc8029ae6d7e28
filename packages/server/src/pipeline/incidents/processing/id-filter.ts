/** A set of ids that never denies one that it has, and confirms about one in a thousand that it has not. */
export interface IdFilter {
  mayHave(id: bigint): boolean;
  bytes: number;
}

const BYTES_PER_ID = 2;
/** A block has one bit of each id in each of its words, so that a question reads one line of the processor's cache. */
const WORDS_PER_BLOCK = 8;
/** Odd numbers that select the bit in each word of a block. */
const SALTS = Int32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
);

const NUMBER = new BigInt64Array(1);
const HALVES = new DataView(NUMBER.buffer);
const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** Returns the size of a filter of so many ids. */
export function filterBytes(ids: number): number {
  return Math.max(1, Math.ceil((ids * BYTES_PER_ID) / (WORDS_PER_BLOCK * 4))) * WORDS_PER_BLOCK * 4;
}

/**
 * Creates a filter (of split blocks).
 * @param parts ids as PostgreSQL sends them: 8 bytes each, the highest first
 */
export function createIdFilter(parts: readonly Buffer[]): IdFilter {
  const bytes = filterBytes(parts.reduce((sum, part) => sum + part.length / 8, 0));
  const words = new Int32Array(bytes / 4);
  const blocks = words.length / WORDS_PER_BLOCK;
  for (const part of parts) {
    for (let at = 0; at < part.length; at += 8) {
      const low = part.readInt32BE(at + 4);
      const block = blockOf(part.readInt32BE(at), low, blocks);
      for (let word = 0; word < WORDS_PER_BLOCK; word += 1) {
        words[block + word] = (words[block + word] ?? 0) | bitOf(low, word);
      }
    }
  }
  return {
    bytes,
    mayHave(id) {
      NUMBER[0] = id;
      const low = HALVES.getInt32(IS_LITTLE_ENDIAN ? 0 : 4, IS_LITTLE_ENDIAN);
      const high = HALVES.getInt32(IS_LITTLE_ENDIAN ? 4 : 0, IS_LITTLE_ENDIAN);
      const block = blockOf(high, low, blocks);
      for (let word = 0; word < WORDS_PER_BLOCK; word += 1) {
        if (((words[block + word] ?? 0) & bitOf(low, word)) === 0) return false;
      }
      return true;
    },
  };
}

/** Returns the first word of a block. Ids may begin with their time, so all bits decide. */
function blockOf(high: number, low: number, blocks: number): number {
  let mixed = Math.imul(high ^ ((low << 16) | (low >>> 16)), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  mixed = (mixed ^ (mixed >>> 16)) >>> 0;
  return Math.floor((mixed * blocks) / 0x1_0000_0000) * WORDS_PER_BLOCK;
}

function bitOf(low: number, word: number): number {
  return 1 << (Math.imul(low, SALTS[word] ?? 1) >>> 27);
}
