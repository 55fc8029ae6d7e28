import { crc32 } from 'node:zlib';
import type { EventDigest } from '@culprit/evidence/incidents/event-digest';
import { type DecodedRecord, decodeWhatIsLeft } from './batch-object.ts';
import { decodeDigests, ENTRY_HEAD_BYTES } from './digest-block.ts';
import { digestIn } from './digest-record.ts';
import { type BatchObjectHeader, decodeTable, type FrameEntry, headerFrom } from './object-head.ts';
import { decompressSmallFrame, POOL_FROM_BYTES } from './raw-frame.ts';
import {
  DamagedObjectError,
  eventLengthAt,
  PREFIX_BYTES,
  prefixAt,
  type RawRecord,
  type RecordLocation,
} from './raw-record.ts';

/** A record whose event need not be read, as long as its digest is enough. */
export interface DigestedRecord extends Omit<DecodedRecord, 'digest'> {
  /** Returns the digest that was stored with it. */
  digest(): EventDigest | null;
}

interface ReadObject {
  header: BatchObjectHeader;
  records: DigestedRecord[];
  damage: DamagedObjectError | null;
}

/**
 * Reads what counting needs of a raw object: its head and the digests of its events. Frames are verified, and opened
 * when an event of theirs is asked for. An object without digests is decoded as `decodeWhatIsLeft` does, and so is one
 * whose digests do not match its frames. Throws DamagedObjectError where its head cannot be read.
 */
export async function readDigestedObject(bytes: Buffer): Promise<ReadObject> {
  const table = decodeTable(bytes);
  const isWhole = table.framesEnd === bytes.length;
  const entries = isWhole && table.frames.every(isSmall) ? decodeDigests(table.digests) : null;
  const header = entries === null ? null : headerFrom(table.headerText);
  const records =
    entries === null || header === null ? null : recordsOf(bytes, entries, table, header.requests.length);
  if (header !== null && records !== null) return { header, records, damage: null };
  const left = await decodeWhatIsLeft(bytes);
  return { ...left, records: left.records.map((record) => ({ ...record, digest: noDigest })) };
}

function isSmall({ rawBytes }: FrameEntry): boolean {
  return rawBytes < POOL_FROM_BYTES;
}

function noDigest(): null {
  return null;
}

/** Returns null where an entry or a frame is not as it should be. */
function recordsOf(
  bytes: Buffer,
  entries: Buffer,
  { frames, framesOffset }: { frames: readonly FrameEntry[]; framesOffset: number },
  requestCount: number,
): DigestedRecord[] | null {
  const records: DigestedRecord[] = [];
  let at = 0;
  let frameOffset = framesOffset;
  for (const { frameLength, rawBytes, recordCount, checksum } of frames) {
    const compressed = bytes.subarray(frameOffset, frameOffset + frameLength);
    if (crc32(compressed) !== checksum) return null;
    const frame = new LazyFrame(compressed, rawBytes);
    let recordOffset = 0;
    for (let n = 0; n < recordCount; n += 1) {
      if (at + ENTRY_HEAD_BYTES > entries.length) return null;
      const prefix = prefixAt(entries, at);
      const digestStart = at + ENTRY_HEAD_BYTES;
      const digestEnd = digestStart + entries.readUInt16LE(at + PREFIX_BYTES);
      if (prefix.requestIndex >= requestCount || digestEnd > entries.length) return null;
      const location = { frameOffset, frameLength, recordOffset };
      records.push(new LazyRecord(prefix, location, frame, entries, digestStart, digestEnd));
      recordOffset += PREFIX_BYTES + entries.readUInt32LE(at + PREFIX_BYTES - 4);
      at = digestEnd;
    }
    if (recordOffset !== rawBytes) return null;
    frameOffset += frameLength;
  }
  return at === entries.length ? records : null;
}

class LazyFrame {
  readonly #compressed: Buffer;
  readonly #rawBytes: number;
  #raw: Buffer | null = null;

  constructor(compressed: Buffer, rawBytes: number) {
    this.#compressed = compressed;
    this.#rawBytes = rawBytes;
  }

  raw(): Buffer {
    try {
      this.#raw ??= decompressSmallFrame(this.#compressed, this.#rawBytes);
    } catch (cause) {
      throw new DamagedObjectError('frame does not decompress', { cause });
    }
    return this.#raw;
  }
}

class LazyRecord implements DigestedRecord {
  readonly eventClass: RawRecord['eventClass'];
  readonly matchedPolicy: RawRecord['matchedPolicy'];
  readonly isDemoted: boolean;
  readonly requestIndex: number;
  readonly ruleId: string | null;
  readonly position: number;
  readonly location: RecordLocation;
  readonly #frame: LazyFrame;
  readonly #entries: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(
    prefix: ReturnType<typeof prefixAt>,
    location: RecordLocation,
    frame: LazyFrame,
    entries: Buffer,
    start: number,
    end: number,
  ) {
    this.eventClass = prefix.eventClass;
    this.matchedPolicy = prefix.matchedPolicy;
    this.isDemoted = prefix.isDemoted;
    this.requestIndex = prefix.requestIndex;
    this.ruleId = prefix.ruleId;
    this.position = prefix.position;
    this.location = location;
    this.#frame = frame;
    this.#entries = entries;
    this.#start = start;
    this.#end = end;
  }

  get eventBytes(): Buffer {
    const raw = this.#frame.raw();
    const { recordOffset } = this.location;
    const start = recordOffset + PREFIX_BYTES;
    return raw.subarray(start, start + eventLengthAt(raw, recordOffset));
  }

  digest(): EventDigest | null {
    return this.#end === this.#start ? null : digestIn(this.#entries.subarray(this.#start, this.#end));
  }
}

/** The record with other decisions about its event. */
export function changedRecord(
  record: DigestedRecord,
  changes: Partial<Pick<RawRecord, 'ruleId' | 'eventClass' | 'isDemoted'>>,
): DigestedRecord {
  const { eventClass, matchedPolicy, isDemoted, requestIndex, ruleId, position, location } = record;
  return {
    ...{ eventClass, matchedPolicy, isDemoted, requestIndex, ruleId, position, location },
    eventBytes: record.eventBytes,
    digest: () => record.digest(),
    ...changes,
  };
}
