import { DIGESTS_BYTES_MAX } from './object-head.ts';
import { compressFrame, decompressSmallFrame } from './raw-frame.ts';
import { PREFIX_BYTES, type RawRecord, writePrefix } from './raw-record.ts';

/**
 * The digests of a raw object (`batch-object.ts`), in front of its frames. All numbers are little-endian:
 *
 *     u8 version | u32 raw bytes | zstd frame: per record, in the order of the frames: its prefix | u16 length | digest
 *
 * A record without a digest has one of length 0.
 */

/** Another version is read as if there were no digests. Counts up when outlines or digests change. */
const VERSION = 1;
const BLOCK_HEAD_BYTES = 5;
export const ENTRY_HEAD_BYTES = PREFIX_BYTES + 2;

/** Returns nothing where no record has a digest, or they are too large. */
export async function encodeDigests(records: readonly RawRecord[], requestCount: number): Promise<Buffer> {
  let rawBytes = 0;
  let digestBytes = 0;
  for (const { digest } of records) {
    rawBytes += ENTRY_HEAD_BYTES + (digest?.length ?? 0);
    digestBytes += digest?.length ?? 0;
  }
  if (digestBytes === 0 || rawBytes > DIGESTS_BYTES_MAX) return NONE;
  const raw = Buffer.allocUnsafe(rawBytes);
  let offset = 0;
  for (const record of records) {
    writePrefix(raw, offset, record, requestCount);
    const { digest } = record;
    raw.writeUInt16LE(digest?.length ?? 0, offset + PREFIX_BYTES);
    offset += ENTRY_HEAD_BYTES;
    if (digest !== undefined && digest !== null) offset += digest.copy(raw, offset);
  }
  const compressed = await compressFrame(raw);
  const head = Buffer.allocUnsafe(BLOCK_HEAD_BYTES);
  head[0] = VERSION;
  head.writeUInt32LE(rawBytes, 1);
  return Buffer.concat([head, compressed]);
}

const NONE = Buffer.alloc(0);

/** Returns the raw bytes of all entries; null where there are none that this version reads. */
export function decodeDigests(block: Buffer): Buffer | null {
  if (block.length < BLOCK_HEAD_BYTES || block[0] !== VERSION) return null;
  const rawBytes = block.readUInt32LE(1);
  if (rawBytes > DIGESTS_BYTES_MAX) return null;
  try {
    const raw = decompressSmallFrame(block.subarray(BLOCK_HEAD_BYTES), rawBytes);
    return raw.length === rawBytes ? raw : null;
  } catch {
    return null;
  }
}
