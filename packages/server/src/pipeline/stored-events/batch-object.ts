/**
 * The stored form of accepted raw events ("raw object"): written once by the event intake, read by the worker as a
 * whole and by frame afterwards. All numbers are little-endian.
 *
 *     CULPRAW1 | u32 header length | header JSON
 *     u32 number of frames | per frame: u32 compressed bytes, u32 raw bytes, u32 records | u32 CRC-32 of all before
 *     zstd frames, one after the other, each with zstd's own checksum, to the end of the object
 *
 * A frame holds whole records, at most 64 KB of them, or 256 KB if there are no more than ten; a larger event has a
 * separate frame. A record is a prefix of 29 bytes and the event's JSON exactly as given:
 *
 *     u8 class | u8 policy | u8 flags (bit 0: kept without incident) | u16 request | 16 bytes rule id or zeros |
 *     u32 position | u32 length
 *
 * The event intake decides class, policy, rule and this flag once; they are stored here so that they are not decided
 * again (docs/contract/reliability.md A1.3). The frame table makes damage certain to be detected: lengths and header
 * are under one checksum, and contents under those of the frames.
 */
import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type BatchObjectHeader,
  decodeTable,
  encodeHead,
  FRAME_RAW_BYTES_MAX,
  type FrameEntry,
  type FramePlan,
  headerFrom,
  OBJECT_RAW_BYTES_MAX,
} from './object-head.ts';
import { compressFrame, decompressFrame } from './raw-frame.ts';
import {
  DamagedObjectError,
  eventLengthAt,
  PREFIX_BYTES,
  type RawRecord,
  type RecordLocation,
  recordAt,
  writeRecord,
} from './raw-record.ts';

export interface DecodedRecord extends RawRecord {
  location: RecordLocation;
}

/** Reading one event decompresses its whole frame, so frames are kept small. */
const FRAME_RAW_BYTES = 65_536;
/**
 * The limit for frames of few events. Each frame begins with an empty history: with ten events of 25 KB in a frame, an
 * event took half of the time and half of the bytes that it takes with two.
 */
const FRAME_OF_FEW_RAW_BYTES = 262_144;
const FEW_RECORDS_MAX = 10;

/** Bytes of frames that are handled in one turn of the event loop, about 1.2 ms, before others get theirs. */
const RAW_BYTES_PER_TURN = 1_048_576;

/**
 * Encodes one raw object; `locations` are in the order of `records`. The caller splits at about 4 MB of events.
 * Throws RangeError for values that do not fit the format, which is a bug of the caller.
 */
export async function encodeBatchObject(
  header: BatchObjectHeader,
  records: RawRecord[],
): Promise<{ bytes: Buffer; locations: RecordLocation[] }> {
  const frames = planFrames(records);
  const compressed: Buffer[] = [];
  const pause = pauseBetweenFrames();
  for (const frame of frames) {
    await pause(frame.rawBytes);
    compressed.push(await compressFrame(frameOf(records, frame, header.requests.length)));
  }
  const head = encodeHead(header, frames, compressed);
  const bytes = Buffer.concat([head, ...compressed]);

  const locations: RecordLocation[] = [];
  let frameOffset = head.length;
  for (const [index, frame] of frames.entries()) {
    const frameLength = (compressed[index] as Buffer).length;
    let recordOffset = 0;
    for (let i = frame.first; i < frame.end; i++) {
      locations.push({ frameOffset, frameLength, recordOffset });
      recordOffset += PREFIX_BYTES + (records[i] as RawRecord).eventBytes.length;
    }
    frameOffset += frameLength;
  }
  return { bytes, locations };
}

/**
 * Decodes a whole raw object. Every length is checked before it is used; at most 8 MB come out of a frame and 64 MB
 * out of an object. Records of one frame share memory. Throws DamagedObjectError.
 */
export async function decodeBatchObject(
  bytes: Buffer,
): Promise<{ header: BatchObjectHeader; records: DecodedRecord[] }> {
  const { header, records, damage } = await decodeWhatIsLeft(bytes);
  if (damage !== null) throw damage;
  return { header, records };
}

/**
 * The same of an object of which frames are damaged or cut off: the records of the others, and what was wrong first.
 * Throws DamagedObjectError where its head cannot be read.
 */
export async function decodeWhatIsLeft(
  bytes: Buffer,
): Promise<{ header: BatchObjectHeader; records: DecodedRecord[]; damage: DamagedObjectError | null }> {
  const { headerText, frames, framesOffset, framesEnd } = decodeTable(bytes);
  const header = headerFrom(headerText);
  const records: DecodedRecord[] = [];
  let damage =
    framesEnd === bytes.length ? null : new DamagedObjectError(`${bytes.length} bytes, not ${framesEnd}`);
  let frameOffset = framesOffset;
  const pause = pauseBetweenFrames();
  for (const frame of frames) {
    await pause(frame.rawBytes);
    try {
      const found = await recordsOfFrame(bytes, frameOffset, frame, header.requests.length);
      for (const record of found) records.push(record);
    } catch (error) {
      if (!(error instanceof DamagedObjectError)) throw error;
      damage ??= error;
    }
    frameOffset += frame.frameLength;
  }
  return { header, records, damage };
}

async function recordsOfFrame(
  bytes: Buffer,
  frameOffset: number,
  { frameLength, rawBytes, recordCount }: FrameEntry,
  requestCount: number,
): Promise<DecodedRecord[]> {
  const raw = await openFrame(bytes.subarray(frameOffset, frameOffset + frameLength), rawBytes);
  if (raw.length !== rawBytes) {
    throw new DamagedObjectError(`frame holds ${raw.length} bytes, not ${rawBytes}`);
  }
  const records: DecodedRecord[] = [];
  let recordOffset = 0;
  while (recordOffset < raw.length) {
    const record = recordAt(raw, recordOffset);
    if (record.requestIndex >= requestCount) throw new DamagedObjectError('record of an unknown request');
    records.push({ ...record, location: { frameOffset, frameLength, recordOffset } });
    recordOffset += PREFIX_BYTES + record.eventBytes.length;
  }
  if (records.length !== recordCount) throw new DamagedObjectError('wrong number of records in a frame');
  return records;
}

/** The raw object that begins at an offset in some bytes. Throws DamagedObjectError where none does, or it is cut. */
export function batchObjectAt(bytes: Buffer, offset: number): Buffer {
  const rest = bytes.subarray(offset);
  const size = decodeTable(rest).framesEnd;
  if (size > rest.length) throw new DamagedObjectError(`${rest.length} bytes, not ${size}`);
  return rest.subarray(0, size);
}

/**
 * Decodes records of one frame that was read by its range, in the order asked for. The frame's own checksum is
 * verified, and that a record really begins at each offset. Throws DamagedObjectError.
 */
export async function decodeRecords(
  frameBytes: Buffer,
  recordOffsets: readonly number[],
): Promise<RawRecord[]> {
  const raw = await openFrame(frameBytes, FRAME_RAW_BYTES_MAX);
  const begins = new Set<number>();
  const last = Math.max(...recordOffsets);
  for (let offset = 0; offset <= last; offset += PREFIX_BYTES + eventLengthAt(raw, offset))
    begins.add(offset);
  return recordOffsets.map((offset) => {
    if (!begins.has(offset)) throw new DamagedObjectError(`no record begins at ${offset}`);
    return recordAt(raw, offset);
  });
}

/**
 * Id of an event that came without `event_id` (docs/contract/ingestion.md 1.5): the same for the same batch id and
 * position (docs/contract/reliability.md A2), shaped as a version 8 UUID, which is the version for made-up layouts.
 */
export function derivedEventId(batchId: string, position: number): string {
  const hex = hash('sha256', `${batchId}:${position}`, 'hex');
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) & 3];
  return `evt_${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Gives way to others before a frame that would make the turn too long. */
function pauseBetweenFrames(): (rawBytes: number) => Promise<void> | undefined {
  let bytesOfTurn = 0;
  return (rawBytes) => {
    bytesOfTurn += rawBytes;
    if (bytesOfTurn <= RAW_BYTES_PER_TURN) return undefined;
    bytesOfTurn = rawBytes;
    return nextTurn();
  };
}

function planFrames(records: RawRecord[]): FramePlan[] {
  const frames: FramePlan[] = [];
  let open: FramePlan | undefined;
  let objectBytes = 0;
  for (const [index, record] of records.entries()) {
    const recordBytes = PREFIX_BYTES + record.eventBytes.length;
    objectBytes += recordBytes;
    if (recordBytes > FRAME_RAW_BYTES_MAX) throw new RangeError(`event of ${record.eventBytes.length} bytes`);
    if (objectBytes > OBJECT_RAW_BYTES_MAX) {
      throw new RangeError(`more than ${OBJECT_RAW_BYTES_MAX} bytes of events`);
    }
    if (open === undefined || open.rawBytes + recordBytes > frameBytesMax(index + 1 - open.first)) {
      open = { first: index, end: index, rawBytes: 0 };
      frames.push(open);
    }
    open.end = index + 1;
    open.rawBytes += recordBytes;
  }
  return frames;
}

function frameBytesMax(recordCount: number): number {
  return recordCount <= FEW_RECORDS_MAX ? FRAME_OF_FEW_RAW_BYTES : FRAME_RAW_BYTES;
}

function frameOf(records: RawRecord[], frame: FramePlan, requestCount: number): Buffer {
  const raw = Buffer.allocUnsafe(frame.rawBytes);
  let offset = 0;
  for (let i = frame.first; i < frame.end; i++) {
    offset = writeRecord(raw, offset, records[i] as RawRecord, requestCount);
  }
  return raw;
}

async function openFrame(frame: Buffer, rawBytesMax: number): Promise<Buffer> {
  try {
    return await decompressFrame(frame, rawBytesMax);
  } catch (cause) {
    throw new DamagedObjectError('frame does not decompress', { cause });
  }
}
