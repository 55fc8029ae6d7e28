import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import {
  MAP_BYTES_MAX,
  MAP_UPLOAD_BYTES_MAX,
  MAP_UPLOAD_FILES_MAX,
} from '@culprit/contract/releases/map-limits';

/** Why an archive cannot be read, in a sentence. */
export class ArchiveFault extends Error {
  override name = 'ArchiveFault';
}

/** Bytes that are read where they are wanted. */
export interface ByteSource {
  sizeBytes: number;
  /** May give fewer bytes behind the end. */
  read(offset: number, length: number): Promise<Buffer>;
}

export interface ZipEntry {
  name: string;
  isDeflated: boolean;
  packedBytes: number;
  sizeBytes: number;
  crc: number;
  /** The offset of its local header. */
  offset: number;
}

/** A file and its map for each file of an upload. */
const ENTRIES_MAX = 2 * MAP_UPLOAD_FILES_MAX;
const DIRECTORY_BYTES_MAX = 16 * 1024 * 1024;

const END_BYTES = 22;
const END_SIGNATURE = 0x06054b50;
const COMMENT_BYTES_MAX = 65_535;
const HEADER_BYTES = 46;
const HEADER_SIGNATURE = 0x02014b50;
const LOCAL_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
/** The mark that the figure is in a field of large archives instead. */
const LARGE = 0xffff_ffff;

const inflate = promisify(inflateRaw);

/**
 * The entries of a zip archive by its central directory. What the directory says is checked before anything is unpacked,
 * so that an archive cannot unpack to more than it says, nor the same bytes twice.
 * @throws ArchiveFault
 */
export async function listEntries(source: ByteSource): Promise<Map<string, ZipEntry>> {
  const tailBytes = Math.min(source.sizeBytes, END_BYTES + COMMENT_BYTES_MAX);
  const tail = await source.read(source.sizeBytes - tailBytes, tailBytes);
  const end = endRecord(tail);
  if (end === null) throw new ArchiveFault('The upload is not a zip archive.');
  const count = tail.readUInt16LE(end + 10);
  const directoryBytes = tail.readUInt32LE(end + 12);
  if (count > ENTRIES_MAX) {
    throw new ArchiveFault(
      `The archive has ${count} entries; the limit is ${ENTRIES_MAX}. Upload in several runs.`,
    );
  }
  const directoryAt = source.sizeBytes - tailBytes + end - directoryBytes;
  // Bytes before the archive itself shift every offset, unless its writer has counted them.
  const shift = directoryAt - tail.readUInt32LE(end + 16);
  if (directoryBytes > DIRECTORY_BYTES_MAX || shift < 0 || directoryAt < 0) throw broken();
  const entries = readDirectory(await source.read(directoryAt, directoryBytes), count, shift);
  requireApart(entries, directoryAt);
  const totalBytes = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (totalBytes > MAP_UPLOAD_BYTES_MAX) {
    throw new ArchiveFault(
      `The archive unpacks to ${totalBytes} bytes; the limit is ${MAP_UPLOAD_BYTES_MAX}.`,
    );
  }
  return new Map(entries.map((entry) => [entry.name, entry]));
}

/** The unpacked bytes of an entry. @throws ArchiveFault */
export async function readEntry(source: ByteSource, entry: ZipEntry): Promise<Buffer> {
  const local = await source.read(entry.offset, LOCAL_BYTES);
  if (local.length < LOCAL_BYTES || local.readUInt32LE(0) !== LOCAL_SIGNATURE) throw broken();
  const at = entry.offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
  const packed = await source.read(at, entry.packedBytes);
  if (packed.length < entry.packedBytes) throw broken();
  const bytes = entry.isDeflated ? await inflated(packed, entry) : packed;
  if (bytes.length !== entry.sizeBytes || crc32(bytes) !== entry.crc) throw differs(entry);
  return bytes;
}

async function inflated(packed: Buffer, entry: ZipEntry): Promise<Buffer> {
  try {
    return await inflate(packed, { maxOutputLength: Math.max(1, entry.sizeBytes) });
  } catch {
    throw differs(entry);
  }
}

/** Returns the position of the record at the end; a comment may follow it. */
function endRecord(tail: Buffer): number | null {
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (
      tail.readUInt32LE(at) === END_SIGNATURE &&
      at + END_BYTES + tail.readUInt16LE(at + 20) === tail.length
    )
      return at;
  }
  return null;
}

function readDirectory(directory: Buffer, count: number, shift: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let n = 0; n < count; n += 1) {
    if (at + HEADER_BYTES > directory.length || directory.readUInt32LE(at) !== HEADER_SIGNATURE)
      throw broken();
    const nameBytes = directory.readUInt16LE(at + 28);
    const nextAt =
      at + HEADER_BYTES + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    if (nextAt > directory.length) throw broken();
    const name = directory.toString('utf8', at + HEADER_BYTES, at + HEADER_BYTES + nameBytes);
    const method = directory.readUInt16LE(at + 10);
    if ((directory.readUInt16LE(at + 8) & 1) !== 0) throw new ArchiveFault(`${shown(name)} is encrypted.`);
    if (method !== 0 && method !== 8) {
      throw new ArchiveFault(
        `${shown(name)} is compressed with method ${method}; only deflate is supported.`,
      );
    }
    const sizeBytes = directory.readUInt32LE(at + 24);
    if (sizeBytes === LARGE || sizeBytes > MAP_BYTES_MAX) {
      throw new ArchiveFault(`${shown(name)} is too large; the limit is ${MAP_BYTES_MAX} bytes.`);
    }
    entries.push({
      ...{ name, isDeflated: method === 8, sizeBytes, crc: directory.readUInt32LE(at + 16) },
      packedBytes: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42) + shift,
    });
    at = nextAt;
  }
  return entries;
}

/** Entries that share bytes are how a small archive unpacks to a large one. */
function requireApart(entries: readonly ZipEntry[], directoryAt: number): void {
  let endAt = 0;
  for (const entry of [...entries].sort((a, b) => a.offset - b.offset)) {
    if (entry.offset < endAt) throw new ArchiveFault(`${shown(entry.name)} overlaps another entry.`);
    endAt = entry.offset + LOCAL_BYTES + entry.packedBytes;
    if (endAt > directoryAt) throw broken();
  }
}

/** A name out of an archive, as a sentence quotes it. */
export function shown(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
  return name.slice(0, 200).replace(/[\u0000-\u001f\u007f-\u009f]/g, '?');
}

function broken(): ArchiveFault {
  return new ArchiveFault('The archive is broken. Upload again.');
}

function differs({ name }: ZipEntry): ArchiveFault {
  return new ArchiveFault(`The bytes of ${shown(name)} are not those that the archive lists.`);
}
