/** Why a body is refused whose encoding no header names. */
export const COMPRESSED = 'it is compressed, and no Content-Encoding says how';

/** Returns true for the first bytes of gzip, and of zstd. */
export function isCompressed(line: Buffer): boolean {
  return (line[0] === 0x1f && line[1] === 0x8b) || (line[0] === 0x28 && line[1] === 0xb5);
}

/** Editors and .NET write the mark in front of what they encode. */
export function withoutByteOrderMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}

/** The JSON of a line of an envelope; null if it is none. */
export function parsedLine(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return null;
  }
}
