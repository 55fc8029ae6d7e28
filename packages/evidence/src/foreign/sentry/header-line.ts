/** Why a body is refused whose encoding no header names. */
export const COMPRESSED =
  'it is compressed, and no Content-Encoding says how (send this header, or do not compress)';

/** Returns true for the first bytes of gzip, zstd and zlib. */
export function isCompressed(line: Buffer): boolean {
  const [first, second = 0] = line;
  if (first === 0x78) return (0x78 * 256 + second) % 31 === 0;
  return (first === 0x1f && second === 0x8b) || (first === 0x28 && second === 0xb5);
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
