import { zstdDecompressSync } from 'node:zlib';
import {
  FORM_BYTES_MAX,
  FORM_END_BYTES,
  FORM_MAGIC,
  FORM_VERSION,
  type FormHead,
  type FormLines,
  type FormPart,
  type FormSource,
  NAMES_PER_BLOCK,
  UNITS_PER_FRAME,
} from './form.ts';
import { type FunctionMap, functionMapOf } from './function-map.ts';
import { storableName } from './storable-text.ts';
import { VarintReader } from './varints.ts';

/** A form whose bytes are not what a writer made. */
export class DamagedFormError extends Error {
  override name = 'DamagedFormError';
}

/** Reads some bytes of a form. */
export type ReadBytes = (offset: number, length: number) => Promise<Buffer>;

/** A head with what is needed to look places up. */
export interface OpenForm {
  head: FormHead;
  /** The starts of the lines of the generated file, in UTF-16 units, as engines count them. */
  starts: Float64Array;
  /** The starts as the map counts them; null if they are the same. */
  mapStarts: Float64Array | null;
  /** The approximate size in memory. */
  sizeBytes: number;
}

/** The segments of a block: columns of equal length. */
export interface SegmentBlock {
  lines: Int32Array;
  columns: Int32Array;
  sources: Int32Array;
  originalLines: Int32Array;
  originalColumns: Int32Array;
  names: Int32Array;
  /**
   * A bit for each segment, set if it is a range, which maps all that follows until the next segment; null if none is.
   */
  ranges: Buffer | null;
}

/** Decoded parts never have more. */
const PART_BYTES_MAX = 134_217_728;
/** Nearly every head is in the last bytes, which are read in one step. */
const TAIL_BYTES = 65_536;

/**
 * Reads the head of a form.
 * @throws DamagedFormError
 */
export async function openForm(read: ReadBytes, sizeBytes: number): Promise<OpenForm> {
  if (sizeBytes < FORM_END_BYTES || sizeBytes > FORM_BYTES_MAX) throw new DamagedFormError('its size');
  const tailLength = Math.min(sizeBytes, TAIL_BYTES);
  const tail = await read(sizeBytes - tailLength, tailLength);
  const end = tail.subarray(tail.length - FORM_END_BYTES);
  if (tail.length !== tailLength || end.toString('latin1', 4) !== FORM_MAGIC)
    throw new DamagedFormError('its end');
  const headLength = end.readUInt32LE(0);
  const headStart = sizeBytes - FORM_END_BYTES - headLength;
  if (headStart < 0) throw new DamagedFormError('the length of its head');
  const packed =
    headLength + FORM_END_BYTES <= tailLength
      ? tail.subarray(tail.length - FORM_END_BYTES - headLength, tail.length - FORM_END_BYTES)
      : await read(headStart, headLength);
  const text = unpacked(packed).toString('utf8');
  const head = readHead(text);
  const { lines, mapLines } = head.generated;
  const starts = await readLines(read, lines);
  const mapStarts = mapLines === null ? null : await readLines(read, mapLines);
  const memoryBytes = text.length * 2 + starts.byteLength + (mapStarts?.byteLength ?? 0);
  return { head, starts, mapStarts, sizeBytes: memoryBytes };
}

async function readLines(read: ReadBytes, { count, starts: part }: FormLines): Promise<Float64Array> {
  const reader = new VarintReader(await readPart(read, part));
  const starts = new Float64Array(count);
  let before = 0;
  for (let line = 0; line < count; line += 1) {
    before += next(reader);
    starts[line] = before;
  }
  return starts;
}

/** The one place where the bytes that a writer made become its type. */
function readHead(text: string): FormHead {
  try {
    const head = JSON.parse(text) as FormHead;
    if (head.version === FORM_VERSION) return head;
  } catch {
    // Said below.
  }
  throw new DamagedFormError('its head');
}

/** The block in which the last segment at or before a place is; -1 where there is none. Places count from 0. */
export function blockOf({ blocks }: FormHead, line: number, column: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const block = blocks[middle];
    const isAfter =
      block !== undefined && (block.line > line || (block.line === line && block.column > column));
    if (isAfter) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

/** @throws DamagedFormError */
export async function readBlock(
  read: ReadBytes,
  { blocks, segments }: FormHead,
  index: number,
): Promise<SegmentBlock> {
  const block = blocks[index];
  if (block === undefined) throw new DamagedFormError('a block');
  const count = index === blocks.length - 1 ? segments - index * 4096 : 4096;
  const reader = new VarintReader(await readPart(read, block.part));
  const column = () => {
    const values = new Int32Array(count);
    let before = 0;
    for (let row = 0; row < count; row += 1) {
      before += next(reader);
      values[row] = before;
    }
    return values;
  };
  return {
    lines: column(),
    columns: column(),
    sources: column(),
    originalLines: column(),
    originalColumns: column(),
    names: column(),
    ranges: block.ranges === undefined ? null : await readPart(read, block.ranges),
  };
}

/**
 * Returns the row of the segment that a place belongs to: the last one at or before it, which is on its line or is a
 * range; -1 if there is none.
 */
export function rowOf({ lines, columns, ranges }: SegmentBlock, line: number, column: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = lines[middle] ?? 0;
    if (at > line || (at === line && (columns[middle] ?? 0) > column)) high = middle;
    else low = middle + 1;
  }
  return low > 0 && (lines[low - 1] === line || isRange(ranges, low - 1)) ? low - 1 : -1;
}

/** Returns true if a segment is a range, which maps all that follows until the next segment. */
export function isRange(ranges: SegmentBlock['ranges'], row: number): boolean {
  return ranges !== null && (((ranges[row >>> 3] ?? 0) >>> (row & 7)) & 1) === 1;
}

/** The function map of a source; null where its map has none. @throws DamagedFormError */
export async function readFunctionMap(
  read: ReadBytes,
  { functions }: FormSource,
): Promise<FunctionMap | null> {
  if (functions === undefined) return null;
  const map: unknown = JSON.parse((await readPart(read, functions)).toString('utf8'));
  return functionMapOf([map]);
}

/** The text of a source. @throws DamagedFormError */
export async function readText(read: ReadBytes, part: FormPart): Promise<string> {
  return (await readPart(read, part)).toString('utf8');
}

/** A name by its number. @throws DamagedFormError */
export async function readName(read: ReadBytes, { names }: FormHead, index: number): Promise<string | null> {
  const part = names.parts[Math.floor(index / NAMES_PER_BLOCK)];
  if (part === undefined) return null;
  const block: unknown = JSON.parse((await readPart(read, part)).toString('utf8'));
  const name: unknown = Array.isArray(block) ? block[index % NAMES_PER_BLOCK] : null;
  return typeof name === 'string' && name !== '' ? storableName(name) : null;
}

/** A part of the generated file's text, in UTF-16. @throws DamagedFormError */
export async function readFrame(read: ReadBytes, { generated }: FormHead, index: number): Promise<Buffer> {
  const part = generated.frames[index];
  if (part === undefined) throw new DamagedFormError('a part of the generated file');
  return await readPart(read, part);
}

/**
 * Two neighbouring units of the generated file: the one before a place and the one at it; empty beyond the text, and of
 * bytecode.
 * @param frame reads a part, or has it
 */
export async function unitsOf(
  frame: (index: number) => Promise<Buffer>,
  { generated }: FormHead,
  at: number,
): Promise<[before: string, at: string]> {
  const unit = async (index: number) => {
    const number = Math.floor(index / UNITS_PER_FRAME);
    if (index < 0 || index >= generated.units || number >= generated.frames.length) return '';
    return String.fromCharCode((await frame(number)).readUInt16LE((index % UNITS_PER_FRAME) * 2));
  };
  return [await unit(at - 1), await unit(at)];
}

async function readPart(read: ReadBytes, [offset, length]: FormPart): Promise<Buffer> {
  const bytes = await read(offset, length);
  if (bytes.length !== length) throw new DamagedFormError('a part is shorter than its head says');
  return unpacked(bytes);
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: PART_BYTES_MAX });
  } catch {
    throw new DamagedFormError('a part does not decode');
  }
}

function next(reader: VarintReader): number {
  try {
    return reader.next();
  } catch {
    throw new DamagedFormError('its numbers end too early');
  }
}
