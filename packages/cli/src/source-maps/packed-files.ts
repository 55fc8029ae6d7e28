import { lstatSync, readFileSync, statSync } from 'node:fs';
import zlib from 'node:zlib';
import { writeWhole } from '../config/write-file.ts';

/**
 * Files of a build that tools compressed: beside the plain file, instead of it (`a.js.map.gz` alone), or under its own
 * name, as some stores want them.
 */

interface Packing {
  unpack: (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;
  pack: (bytes: Buffer) => Buffer;
}

const GZIP: Packing = { unpack: zlib.gunzipSync, pack: (bytes) => zlib.gzipSync(bytes, { level: 9 }) };
const COPIES: readonly [ending: string, packing: Packing][] = [
  ['.gz', GZIP],
  ['.br', { unpack: zlib.brotliDecompressSync, pack: zlib.brotliCompressSync }],
  // Absent before Node 22.15: such copies cannot be unpacked then.
  [
    '.zst',
    {
      unpack: (bytes, options) => zlib.zstdDecompressSync(bytes, options),
      pack: (bytes) => zlib.zstdCompressSync(bytes),
    },
  ],
];
const UNPACKED_BYTES_MAX = 256 * 1024 * 1024;

/** Returns true if the path is a file and no link to one. */
function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns true if the file is there, plain or compressed. */
export function isBuiltFile(path: string): boolean {
  return isPlainFile(path) || copiesOf(path).some(isPlainFile);
}

/** The compressed copies that a file may have. */
export function copiesOf(file: string): string[] {
  return COPIES.map(([ending]) => file + ending);
}

/** The file of which this one may be a compressed copy; null for other names. */
export function fileOfCopy(file: string): string | null {
  const ending = COPIES.find(([each]) => file.endsWith(each))?.[0];
  return ending === undefined ? null : file.slice(0, -ending.length);
}

/** Reads a file as browsers get it; what cannot be unpacked is returned unchanged. */
export function readBuilt(file: string): Buffer {
  const { path, packing } = stored(file);
  const bytes = readFileSync(path);
  const used = packing ?? (isGzip(bytes) ? GZIP : null);
  return used === null ? bytes : (unpacked(used, bytes) ?? bytes);
}

/** The size of a file on the disk, compressed or not. */
export function storedBytes(file: string): number {
  return statSync(stored(file).path).size;
}

function stored(file: string): { path: string; packing: Packing | null } {
  const copy = isPlainFile(file) ? undefined : COPIES.find(([ending]) => isPlainFile(file + ending));
  return copy === undefined ? { path: file, packing: null } : { path: file + copy[0], packing: copy[1] };
}

/**
 * Writes a file of a build over itself, compressed where it was, with its compressed copies; copies of other bytes are
 * named.
 */
export function rewriteFile(file: string, before: Buffer, after: Buffer): string[] {
  if (isPlainFile(file)) write(file, isPackedInPlace(file) ? GZIP.pack(after) : after);
  const stale: string[] = [];
  for (const [ending, packing] of COPIES) {
    const copy = file + ending;
    if (!isPlainFile(copy)) continue;
    if (unpacked(packing, readFileSync(copy))?.equals(before) === true) write(copy, packing.pack(after));
    else stale.push(copy);
  }
  return stale;
}

function write(file: string, bytes: Buffer): void {
  writeWhole(file, bytes, statSync(file).mode & 0o777);
}

function isPackedInPlace(file: string): boolean {
  const bytes = readFileSync(file);
  return isGzip(bytes) && unpacked(GZIP, bytes) !== null;
}

const LOOKED_AT_BYTES = 1024;
/** About a tenth of the bytes that brotli writes are control characters. */
const CONTROLS_SHARE = 0.05;

/** Says why a script cannot be read as text in UTF-8; null for one that can. */
export function whyNoText(script: Buffer): string | null {
  if (isGzip(script)) return 'it is compressed and cannot be decompressed';
  const start = script.subarray(0, LOOKED_AT_BYTES);
  if (/^(?:\u00ff\u00fe|\u00fe\u00ff)/.test(start.toString('latin1', 0, 2))) {
    return 'it is UTF-16; only UTF-8 is read';
  }
  const controls = start.filter((byte) => byte < 9 || (byte > 13 && byte < 32)).length;
  return controls > start.length * CONTROLS_SHARE ? 'it is not text: it may be compressed' : null;
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function unpacked({ unpack }: Packing, bytes: Buffer): Buffer | null {
  try {
    return unpack(bytes, { maxOutputLength: UNPACKED_BYTES_MAX });
  } catch {
    return null;
  }
}
