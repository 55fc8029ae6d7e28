import { type EventDigest, KIND_BYTES } from '@culprit/evidence/incidents/event-digest';
import { DamagedObjectError } from './raw-record.ts';

/**
 * The stored form of the digest of an event. All numbers are little-endian; what an event lacks takes no bytes:
 *
 *     u16 which parts there are | 16 bytes kind | f64 time | i64 each: id, trace, request, session, user, failure |
 *     u8 number of client keys | i64 each | u16 length and UTF-8 each: event id, message, tags
 */

/** Bits of the parts. Codes are stored: append, never reorder. */
const TIME = 1;
const ID_HASH = 2;
const TRACE = 4;
const REQUEST = 8;
const SESSION = 16;
const USER = 32;
const FAILURE = 64;
const EVENT_ID = 128;
const MESSAGE = 256;
const TAGS = 512;
const ALL_PARTS = 1023;

const KEYS_MAX = 255;
const TEXT_BYTES_MAX = 0xffff;
/** Numbers of a digest without its keys. */
const NUMBER_BYTES = 2 + KIND_BYTES + 7 * 8 + 1;

/** Returns the bytes of a digest; null for one that does not fit the form. */
export function digestBytes(digest: EventDigest): Buffer | null {
  const { kind, occurredAtMs, idHash, hashes, userHash, clientKeys, eventId, message, tags } = digest;
  const texts = [eventId, message, tags].map((text) => (text === null ? 0 : 2 + Buffer.byteLength(text)));
  if (clientKeys.length > KEYS_MAX || texts.some((bytes) => bytes > TEXT_BYTES_MAX)) return null;
  const [idBytes = 0, messageBytes = 0, tagBytes = 0] = texts;
  const buffer = Buffer.allocUnsafe(NUMBER_BYTES + clientKeys.length * 8 + idBytes + messageBytes + tagBytes);
  let parts = 0;
  let offset = 2;
  for (let n = 0; n < KIND_BYTES; n += 1, offset += 1) buffer[offset] = kind.charCodeAt(n);
  if (occurredAtMs !== null) {
    parts |= TIME;
    offset = buffer.writeDoubleLE(occurredAtMs, offset);
  }
  const writeHash = (value: bigint | null, part: number) => {
    if (value === null) return;
    parts |= part;
    offset = buffer.writeBigInt64LE(value, offset);
  };
  writeHash(idHash, ID_HASH);
  writeHash(hashes.trace, TRACE);
  writeHash(hashes.request, REQUEST);
  writeHash(hashes.session, SESSION);
  writeHash(userHash, USER);
  writeHash(digest.digest, FAILURE);
  buffer[offset] = clientKeys.length;
  offset += 1;
  for (const key of clientKeys) offset = buffer.writeBigInt64LE(key, offset);
  const writeText = (text: string | null, part: number) => {
    if (text === null) return;
    parts |= part;
    const length = buffer.write(text, offset + 2, 'utf8');
    buffer.writeUInt16LE(length, offset);
    offset += 2 + length;
  };
  writeText(eventId, EVENT_ID);
  writeText(message, MESSAGE);
  writeText(tags, TAGS);
  buffer.writeUInt16LE(parts, 0);
  return buffer.subarray(0, offset);
}

/** Returns the digest in all of these bytes. Throws DamagedObjectError. */
export function digestIn(bytes: Buffer): EventDigest {
  try {
    return readDigest(bytes);
  } catch (cause) {
    if (cause instanceof RangeError) throw new DamagedObjectError('cut digest', { cause });
    throw cause;
  }
}

function readDigest(bytes: Buffer): EventDigest {
  const parts = bytes.readUInt16LE(0);
  if (parts > ALL_PARTS) throw new DamagedObjectError('digest with an unknown part');
  const kind = bytes.toString('latin1', 2, 2 + KIND_BYTES);
  let offset = 2 + KIND_BYTES;
  let occurredAtMs: number | null = null;
  if ((parts & TIME) !== 0) {
    occurredAtMs = bytes.readDoubleLE(offset);
    offset += 8;
  }
  const readHash = (part: number) => {
    if ((parts & part) === 0) return null;
    offset += 8;
    return bytes.readBigInt64LE(offset - 8);
  };
  const idHash = readHash(ID_HASH);
  const hashes = { trace: readHash(TRACE), request: readHash(REQUEST), session: readHash(SESSION) };
  const userHash = readHash(USER);
  const digest = readHash(FAILURE);
  let clientKeys = NO_KEYS;
  const keyCount = bytes.readUInt8(offset);
  offset += 1;
  if (keyCount > 0) {
    clientKeys = Array.from({ length: keyCount }, (_, n) => bytes.readBigInt64LE(offset + n * 8));
    offset += keyCount * 8;
  }
  const readText = (part: number) => {
    if ((parts & part) === 0) return null;
    const start = offset + 2;
    offset = start + bytes.readUInt16LE(offset);
    if (offset > bytes.length) throw new DamagedObjectError('cut digest');
    return bytes.toString('utf8', start, offset);
  };
  const eventId = readText(EVENT_ID);
  const message = readText(MESSAGE);
  const tags = readText(TAGS);
  if (offset !== bytes.length) throw new DamagedObjectError('digest with bytes behind it');
  return { kind, occurredAtMs, eventId, idHash, hashes, userHash, clientKeys, digest, message, tags };
}

const NO_KEYS: readonly bigint[] = [];
