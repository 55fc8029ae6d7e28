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
import { crc32 } from 'node:zlib';
import { isJsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import type { WatchedKind } from '@culprit/evidence/events/fingerprint/fingerprint';
import type { EventClass, MatchedPolicy } from '@culprit/evidence/events/normalize/event';
import { compressFrame, decompressFrame } from './raw-frame.ts';

/** An availability check, or a heartbeat, whose failure an event reports. */
export interface FailingCheck {
  kind: WatchedKind;
  checkId: string;
  name: string;
  /** The id of its incident if this event opens it. */
  incidentId: string;
}

/**
 * The origin of events: a request with a project token, or this service itself, which reports a failing check or adds
 * sample data. Only the server writes the header, so no client can send an event that passes for one of ours.
 */
export type BatchRequest =
  | { tokenId: string; isOriginBound: boolean }
  | { failingCheck: FailingCheck }
  | { sampleId: string };

export interface BatchObjectHeader {
  projectId: string;
  receivedAtMs: number;
  /** The requests that share the object; a record names its own by index. */
  requests: BatchRequest[];
}

export interface RawRecord {
  eventClass: EventClass;
  matchedPolicy: MatchedPolicy | null;
  isDemoted: boolean;
  /** Index into the header's `requests`. */
  requestIndex: number;
  /** The id of the filter that matched, a lower-case UUID. */
  ruleId: string | null;
  /** Position of the event in its batch; with the batch id it is the event's identity. */
  position: number;
  /** The event's JSON, byte for byte in its stored form. */
  eventBytes: Buffer;
}

/** The place of a record: its frame's bytes in the object, and its offset in the decompressed frame. */
export interface RecordLocation {
  frameOffset: number;
  frameLength: number;
  recordOffset: number;
}

export interface DecodedRecord extends RawRecord {
  location: RecordLocation;
}

/** The bytes are no raw object or are damaged. Reading them again does not help. */
export class DamagedObjectError extends Error {
  override name = 'DamagedObjectError';
}

// Codes are stored: append, never reorder.
const EVENT_CLASSES: readonly EventClass[] = ['incident_signal', 'context_signal', 'operational_signal'];
const POLICIES: readonly (MatchedPolicy | null)[] = [
  null,
  'always_incident',
  'immediate_failure_5xx',
  'immediate_failure_preset',
  'immediate_client_error_status',
  'immediate_client_error_path_rule',
  'log_level_error',
  'availability_threshold',
  'captured_message',
  'heartbeat_threshold',
];

/** The beginning of every raw object. */
export const MAGIC = Buffer.from('CULPRAW1', 'latin1');
const PREFIX_BYTES = 29;
const TABLE_ENTRY_BYTES = 12;
/** Reading one event decompresses its whole frame, so frames are kept small. */
const FRAME_RAW_BYTES = 65_536;
/**
 * The limit for frames of few events. Each frame begins with an empty history: with ten events of 25 KB in a frame, an
 * event took half of the time and half of the bytes that it takes with two.
 */
const FRAME_OF_FEW_RAW_BYTES = 262_144;
const FEW_RECORDS_MAX = 10;
const FRAME_RAW_BYTES_MAX = 8_388_608;
const OBJECT_RAW_BYTES_MAX = 67_108_864;
const HEADER_BYTES_MAX = 8_388_608;
const U16_MAX = 0xffff;
const U32_MAX = 0xffff_ffff;
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

/** Records `first` to `end` (exclusive) of one frame. */
interface FramePlan {
  first: number;
  end: number;
  rawBytes: number;
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
    const record = records[i] as RawRecord;
    const classCode = EVENT_CLASSES.indexOf(record.eventClass);
    const policyCode = POLICIES.indexOf(record.matchedPolicy);
    if (classCode < 0 || policyCode < 0) throw new RangeError('unknown event class or policy');
    if (!isIndex(record.requestIndex, Math.min(requestCount - 1, U16_MAX))) {
      throw new RangeError('unknown request');
    }
    if (!isIndex(record.position, U32_MAX)) throw new RangeError(`position ${record.position}`);
    raw[offset] = classCode;
    raw[offset + 1] = policyCode;
    raw[offset + 2] = record.isDemoted ? 1 : 0;
    raw.writeUInt16LE(record.requestIndex, offset + 3);
    writeRuleId(raw, offset + 5, record.ruleId);
    raw.writeUInt32LE(record.position, offset + 21);
    raw.writeUInt32LE(record.eventBytes.length, offset + 25);
    record.eventBytes.copy(raw, offset + PREFIX_BYTES);
    offset += PREFIX_BYTES + record.eventBytes.length;
  }
  return raw;
}

function isIndex(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}

const NO_RULE = '00000000-0000-0000-0000-000000000000';
const NO_RULE_BYTES = Buffer.alloc(16);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function writeRuleId(raw: Buffer, offset: number, ruleId: string | null): void {
  if (ruleId === null) {
    raw.fill(0, offset, offset + 16);
    return;
  }
  if (!UUID.test(ruleId) || ruleId === NO_RULE) throw new RangeError(`rule id ${ruleId}`);
  raw.write(ruleId.replaceAll('-', ''), offset, 'hex');
}

function encodeHead(header: BatchObjectHeader, frames: FramePlan[], compressed: Buffer[]): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  if (json.length > HEADER_BYTES_MAX) throw new RangeError(`header of ${json.length} bytes`);
  const tableOffset = MAGIC.length + 4 + json.length;
  const head = Buffer.alloc(tableOffset + 4 + frames.length * TABLE_ENTRY_BYTES + 4);
  MAGIC.copy(head);
  head.writeUInt32LE(json.length, MAGIC.length);
  json.copy(head, MAGIC.length + 4);
  let offset = head.writeUInt32LE(frames.length, tableOffset);
  for (const [index, frame] of frames.entries()) {
    offset = head.writeUInt32LE((compressed[index] as Buffer).length, offset);
    offset = head.writeUInt32LE(frame.rawBytes, offset);
    offset = head.writeUInt32LE(frame.end - frame.first, offset);
  }
  head.writeUInt32LE(crc32(head.subarray(0, offset)), offset);
  return head;
}

interface FrameEntry {
  frameLength: number;
  rawBytes: number;
  recordCount: number;
}

/** Reads the head of an object, which defines where the object ends; bytes after that are not read. */
function decodeTable(bytes: Buffer): {
  headerText: string;
  frames: FrameEntry[];
  framesOffset: number;
  framesEnd: number;
} {
  if (bytes.length < MAGIC.length + 4 || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new DamagedObjectError('no raw object');
  }
  const headerLength = bytes.readUInt32LE(MAGIC.length);
  const tableOffset = MAGIC.length + 4 + headerLength;
  if (headerLength > HEADER_BYTES_MAX || tableOffset + 8 > bytes.length) {
    throw new DamagedObjectError('cut header');
  }
  const frameCount = bytes.readUInt32LE(tableOffset);
  const crcOffset = tableOffset + 4 + frameCount * TABLE_ENTRY_BYTES;
  if (crcOffset + 4 > bytes.length) throw new DamagedObjectError('cut frame table');
  if (bytes.readUInt32LE(crcOffset) !== crc32(bytes.subarray(0, crcOffset))) {
    throw new DamagedObjectError('wrong checksum of the header');
  }

  const frames: FrameEntry[] = [];
  let framesEnd = crcOffset + 4;
  let objectBytes = 0;
  for (let offset = tableOffset + 4; offset < crcOffset; offset += TABLE_ENTRY_BYTES) {
    const frame: FrameEntry = {
      frameLength: bytes.readUInt32LE(offset),
      rawBytes: bytes.readUInt32LE(offset + 4),
      recordCount: bytes.readUInt32LE(offset + 8),
    };
    framesEnd += frame.frameLength;
    objectBytes += frame.rawBytes;
    if (frame.rawBytes > FRAME_RAW_BYTES_MAX || objectBytes > OBJECT_RAW_BYTES_MAX) {
      throw new DamagedObjectError('frames over the size limit');
    }
    frames.push(frame);
  }
  const headerText = bytes.toString('utf8', MAGIC.length + 4, tableOffset);
  return { headerText, frames, framesOffset: crcOffset + 4, framesEnd };
}

async function openFrame(frame: Buffer, rawBytesMax: number): Promise<Buffer> {
  try {
    return await decompressFrame(frame, rawBytesMax);
  } catch (cause) {
    throw new DamagedObjectError('frame does not decompress', { cause });
  }
}

function headerFrom(text: string): BatchObjectHeader {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new DamagedObjectError('header is no JSON', { cause });
  }
  if (!isJsonObject(value)) throw new DamagedObjectError('header is no object');
  const { projectId, receivedAtMs, requests } = value;
  if (typeof projectId !== 'string' || typeof receivedAtMs !== 'number' || !Array.isArray(requests)) {
    throw new DamagedObjectError('header lacks a field');
  }
  return {
    projectId,
    receivedAtMs,
    requests: requests.map(requestFrom),
  };
}

function requestFrom(value: JsonValue): BatchRequest {
  const { tokenId, isOriginBound, failingCheck, sampleId } = isJsonObject(value) ? value : {};
  if (typeof tokenId === 'string' && typeof isOriginBound === 'boolean') return { tokenId, isOriginBound };
  if (typeof sampleId === 'string') return { sampleId };
  const { kind, checkId, name, incidentId } =
    failingCheck !== undefined && isJsonObject(failingCheck) ? failingCheck : {};
  if (typeof checkId === 'string' && typeof name === 'string' && typeof incidentId === 'string') {
    if (kind === 'availability_check' || kind === 'heartbeat') {
      return { failingCheck: { kind, checkId, name, incidentId } };
    }
  }
  throw new DamagedObjectError('header holds a bad request');
}

function recordAt(raw: Buffer, offset: number): RawRecord {
  const eventLength = eventLengthAt(raw, offset);
  const eventClass = EVENT_CLASSES[raw.readUInt8(offset)];
  const matchedPolicy = POLICIES[raw.readUInt8(offset + 1)];
  const flags = raw.readUInt8(offset + 2);
  if (eventClass === undefined || matchedPolicy === undefined || flags > 1) {
    throw new DamagedObjectError('record with an unknown code');
  }
  const eventOffset = offset + PREFIX_BYTES;
  return {
    eventClass,
    matchedPolicy,
    isDemoted: flags === 1,
    requestIndex: raw.readUInt16LE(offset + 3),
    ruleId: ruleIdAt(raw, offset + 5),
    position: raw.readUInt32LE(offset + 21),
    eventBytes: raw.subarray(eventOffset, eventOffset + eventLength),
  };
}

/** Length of the event of the record at `offset`; throws when the record does not lie within the frame. */
function eventLengthAt(raw: Buffer, offset: number): number {
  if (offset + PREFIX_BYTES > raw.length) throw new DamagedObjectError('cut record');
  const eventLength = raw.readUInt32LE(offset + 25);
  if (offset + PREFIX_BYTES + eventLength > raw.length) throw new DamagedObjectError('cut record');
  return eventLength;
}

function ruleIdAt(raw: Buffer, offset: number): string | null {
  // Hardly any event matched a rule; the others are spared the text.
  if (raw.compare(NO_RULE_BYTES, 0, 16, offset, offset + 16) === 0) return null;
  const hex = raw.toString('hex', offset, offset + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
