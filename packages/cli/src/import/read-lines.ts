import { Buffer } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';

/** A line of a file. Its bytes are a view into a buffer that the next line overwrites. */
interface RawLine {
  line: number;
  /** The offset of the first byte after it. */
  endOffset: number;
  /** Without the end of the line; only the beginning of one that is too long. */
  bytes: Buffer;
  isTooLong: boolean;
}

/** Reads what follows into a part of a buffer. @returns how many bytes that are; none at the end */
export type Fill = (into: Buffer) => Promise<number>;

const READ_BYTES = 262_144;
const LINE_FEED = 10;

/**
 * Reads lines through one buffer of fixed size, for files that are larger than the memory: a separate buffer for each
 * part of the file is collected so late that hundreds of megabytes wait for it.
 */
export async function* readLines(
  fill: Fill,
  start: { offset: number; line: number },
  lineBytesMax: number,
): AsyncGenerator<RawLine> {
  const buffer = Buffer.allocUnsafeSlow(lineBytesMax + READ_BYTES);
  let { offset, line } = start;
  /** The bytes of a line whose end was not read yet; they are at the start of the buffer. */
  let held = 0;
  let isTooLong = false;
  for (;;) {
    const read = await fill(buffer.subarray(held));
    const end = held + read;
    if (read === 0) break;
    let from = 0;
    for (let at = lineFeedIn(buffer, held, end); at >= 0; at = lineFeedIn(buffer, from, end)) {
      line += 1;
      const isLong = isTooLong || at - from > lineBytesMax;
      yield { line, endOffset: offset + at + 1 - held, bytes: buffer.subarray(from, at), isTooLong: isLong };
      isTooLong = false;
      from = at + 1;
    }
    offset += read;
    buffer.copyWithin(0, from, end);
    held = end - from;
    if (held <= lineBytesMax) continue;
    // The beginning is enough to identify the line.
    isTooLong = true;
    held = lineBytesMax;
  }
  if (held > 0) yield { line: line + 1, endOffset: offset, bytes: buffer.subarray(0, held), isTooLong };
}

/** Returns the end of the next line before a place of the buffer; -1 when the line continues after it. */
function lineFeedIn(buffer: Buffer, from: number, end: number): number {
  const at = buffer.indexOf(LINE_FEED, from);
  return at < end ? at : -1;
}

/** Reads the bytes of a file from an offset on. The caller closes it. */
export async function openFrom(path: string, offset: number): Promise<{ fill: Fill; file: FileHandle }> {
  const file = await open(path);
  let position = offset;
  return {
    file,
    async fill(into) {
      const { bytesRead } = await file.read(into, 0, into.length, position);
      position += bytesRead;
      return bytesRead;
    },
  };
}

/** The bytes of a stream. */
export function fillFrom(stream: AsyncIterable<unknown>): Fill {
  const chunks = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return async (into) => {
    while (rest.length === 0) {
      const { done, value } = await chunks.next();
      if (done === true) return 0;
      rest = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
    }
    const copied = rest.copy(into);
    rest = rest.subarray(copied);
    return copied;
  };
}
