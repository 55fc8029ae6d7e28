import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';

/**
 * From this size on a frame goes to the thread pool. Measured: a frame of 64 KB takes 77 us on the calling thread; in the
 * pool it takes 150 us of CPU, 40 to 50 of them on the calling thread for the stream around it. One of 256 KB takes 180
 * to 300 us here; in the pool it holds this thread for 70 to 115 but takes more in all. Larger frames of single events
 * free the thread.
 */
export const POOL_FROM_BYTES = 262_145;

/** The number of compressed bytes that usually hold as much, if the raw size is unknown. */
const POOL_FROM_COMPRESSED_BYTES = 65_536;

/** Pieces in which a frame of unknown size, or a large one, comes out; each is allocated in full, however little it holds. */
const OUTPUT_CHUNK_BYTES = 65_536;

/** Level 1: in frames of 64 KB, levels 2, 3 and 5 took up to five times as long and saved nothing. */
const COMPRESSION = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};

const compressInPool = promisify<Buffer, object, Buffer>(zstdCompress);
const decompressInPool = promisify<Buffer, object, Buffer>(zstdDecompress);

/** One zstd frame with a checksum. */
export async function compressFrame(raw: Buffer): Promise<Buffer> {
  return raw.length < POOL_FROM_BYTES
    ? zstdCompressSync(raw, COMPRESSION)
    : await compressInPool(raw, COMPRESSION);
}

/**
 * Content of a frame that `compressFrame` made, its checksum verified. Throws when the frame is damaged, cut, or holds
 * more than `rawBytesMax` bytes. Bytes behind the frame are not looked at.
 */
export async function decompressFrame(frame: Buffer, rawBytesMax: number): Promise<Buffer> {
  if (rawBytesMax < POOL_FROM_BYTES) return decompressSmallFrame(frame, rawBytesMax);
  requireChecksum(frame);
  const options = { maxOutputLength: rawBytesMax, chunkSize: OUTPUT_CHUNK_BYTES };
  return frame.length < POOL_FROM_COMPRESSED_BYTES
    ? zstdDecompressSync(frame, options)
    : await decompressInPool(frame, options);
}

/** The same in one step, for a frame whose contents have less than `POOL_FROM_BYTES`. */
function decompressSmallFrame(frame: Buffer, rawBytesMax: number): Buffer {
  requireChecksum(frame);
  // It comes out in one piece. With a byte more than it can fill, none is begun behind it.
  return zstdDecompressSync(frame, {
    maxOutputLength: rawBytesMax,
    chunkSize: Math.max(rawBytesMax + 1, 64),
  });
}

function requireChecksum(frame: Buffer): void {
  // Bit 2 of the byte behind zstd's magic says that a checksum follows. Ours always has one; with a flipped bit the
  // library would verify nothing.
  if (!isFrame(frame) || (frame.readUInt8(4) & 4) === 0) {
    throw new Error('no zstd frame with a checksum');
  }
}

/** Returns true if bytes begin like those of a frame; no text does. */
export function isFrame(bytes: Buffer): boolean {
  return bytes.length >= 5 && bytes.readUInt32LE(0) === ZSTD_MAGIC;
}

const ZSTD_MAGIC = 0xfd2fb528;
