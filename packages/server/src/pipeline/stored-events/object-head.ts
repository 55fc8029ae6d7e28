import { crc32 } from 'node:zlib';
import { isJsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import type { WatchedKind } from '@culprit/evidence/events/fingerprint/fingerprint';
import { DamagedObjectError } from './raw-record.ts';

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

/** The beginning of every raw object. */
export const MAGIC = Buffer.from('CULPRAW1', 'latin1');

const TABLE_ENTRY_BYTES = 12;

export const FRAME_RAW_BYTES_MAX = 8_388_608;
export const OBJECT_RAW_BYTES_MAX = 67_108_864;
const HEADER_BYTES_MAX = 8_388_608;

/** Records `first` to `end` (exclusive) of one frame. */
export interface FramePlan {
  first: number;
  end: number;
  rawBytes: number;
}

export function encodeHead(header: BatchObjectHeader, frames: FramePlan[], compressed: Buffer[]): Buffer {
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

export interface FrameEntry {
  frameLength: number;
  rawBytes: number;
  recordCount: number;
}

/** Reads the head of an object, which defines where the object ends; bytes after that are not read. */
export function decodeTable(bytes: Buffer): {
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

export function headerFrom(text: string): BatchObjectHeader {
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
