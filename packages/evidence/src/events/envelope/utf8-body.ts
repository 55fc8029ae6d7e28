import { SLICE_BYTES, type Sliced, WORK_PER_BYTE } from './sliced.ts';

/** The factor by which a byte that is no UTF-8 grows: U+FFFD takes three. */
export const REPAIR_FACTOR = 3;

/** The bytes without the byte order mark of UTF-8 (RFC 8259 8.1). */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * The bytes as UTF-8, as browsers decode it: U+FFFD takes the place of what is none, so that one bad byte does not cost
 * its neighbours. UTF-16 is read where its byte order mark says so, as Windows PowerShell writes files.
 */
export function* toUtf8(bytes: Buffer): Sliced<Buffer> {
  const decoder = new TextDecoder(encodingOf(bytes));
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    const to = Math.min(from + SLICE_BYTES, bytes.length);
    yield (to - from) * WORK_PER_BYTE;
    pieces.push(Buffer.from(decoder.decode(bytes.subarray(from, to), { stream: to < bytes.length }), 'utf8'));
  }
  return Buffer.concat(pieces);
}

function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
