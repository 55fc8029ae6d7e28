import type { ResponseHead } from './response-head.ts';
import type { ResponseReader } from './response-reader.ts';

const CHUNK_LINE_BYTES_MAX = 4096;
const STATUSES_WITHOUT_BODY = [204, 304];

/**
 * The body of an answer, at most so many bytes of it. One that stalls, breaks or is malformed ends there: its answer
 * counts from its headers on.
 */
export async function readBody(
  reader: ResponseReader,
  head: ResponseHead,
  bytesMax: number,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  if (bytesMax === 0 || STATUSES_WITHOUT_BODY.includes(head.status)) return Buffer.alloc(0);
  let leftBytes = bytesMax;
  try {
    for await (const piece of bodyPieces(reader, head)) {
      pieces.push(piece.subarray(0, leftBytes));
      leftBytes -= piece.length;
      if (leftBytes <= 0) break;
    }
  } catch {
    // The bytes that were received before the end are the body.
  }
  return Buffer.concat(pieces);
}

function bodyPieces(reader: ResponseReader, head: ResponseHead): AsyncIterable<Buffer> {
  if (/\bchunked\b/i.test(head.values('transfer-encoding').join())) return chunkedPieces(reader);
  const length = /^\d+/.exec(head.values('content-length')[0] ?? '');
  return piecesOf(reader, length === null ? Number.POSITIVE_INFINITY : Number(length[0]));
}

/** Sizes, extensions and data by turns. The trailers after the last chunk are not read. */
async function* chunkedPieces(reader: ResponseReader): AsyncGenerator<Buffer> {
  for (;;) {
    const line = await reader.line(CHUNK_LINE_BYTES_MAX);
    const size = /^[\t ]*([\da-f]+)/i.exec(line?.text.toString('latin1') ?? '');
    const sizeBytes = Number.parseInt(size?.[1] ?? '0', 16);
    if (sizeBytes === 0) return;
    yield* piecesOf(reader, sizeBytes);
    await reader.line(CHUNK_LINE_BYTES_MAX);
  }
}

async function* piecesOf(reader: ResponseReader, sizeBytes: number): AsyncGenerator<Buffer> {
  for (let leftBytes = sizeBytes; leftBytes > 0; ) {
    const piece = await reader.bytes(leftBytes);
    if (piece === null) return;
    yield piece;
    leftBytes -= piece.length;
  }
}
