import { createHash, randomBytes } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { EventClass, MatchedPolicy } from '@culprit/evidence/events/normalize/event';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeBatchObject,
  decodeRecords,
  derivedEventId,
  encodeBatchObject,
} from '../../src/pipeline/stored-events/batch-object.ts';
import type { BatchObjectHeader } from '../../src/pipeline/stored-events/object-head.ts';
import { DamagedObjectError, type RawRecord } from '../../src/pipeline/stored-events/raw-record.ts';
import { splitAppendedObjects, splitBatchObjects } from '../../src/pipeline/stored-events/split-objects.ts';

const HEADER: BatchObjectHeader = {
  projectId: '0198c0de-0000-7000-8000-000000000001',
  receivedAtMs: 1_774_347_000_123,
  requests: [
    { tokenId: '0198c0de-0000-7000-8000-00000000000a', isOriginBound: false },
    { tokenId: '0198c0de-0000-7000-8000-00000000000b', isOriginBound: true },
  ],
};
const RULE_ID = '3f8a0c52-9d6e-4b1a-8c77-0123456789ab';

function record(eventBytes: Buffer | string, changes: Partial<RawRecord> = {}): RawRecord {
  return {
    eventClass: 'incident_signal',
    matchedPolicy: 'always_incident',
    isDemoted: false,
    requestIndex: 0,
    ruleId: null,
    position: 0,
    eventBytes: Buffer.from(eventBytes),
    ...changes,
  };
}

const CLASSES: EventClass[] = ['incident_signal', 'context_signal', 'operational_signal'];
const POLICIES: (MatchedPolicy | null)[] = [
  null,
  'always_incident',
  'immediate_failure_5xx',
  'immediate_failure_preset',
  'immediate_client_error_status',
  'immediate_client_error_path_rule',
  'log_level_error',
  'availability_threshold',
];

const anyRecord: fc.Arbitrary<RawRecord> = fc.record({
  eventClass: fc.constantFrom(...CLASSES),
  matchedPolicy: fc.constantFrom(...POLICIES),
  isDemoted: fc.boolean(),
  requestIndex: fc.nat({ max: 1 }),
  ruleId: fc.option(fc.uuid()),
  position: fc.nat({ max: 0xffff_ffff }),
  eventBytes: fc.oneof(
    fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.integer({ min: 0, max: 70_000 }).map((length) => Buffer.alloc(length, 'stack ')),
  ),
});

/** What a reader of one event does: it fetches the range of the frame, nothing else. */
async function readBack(
  object: Buffer,
  location: { frameOffset: number; frameLength: number; recordOffset: number },
) {
  const frame = object.subarray(location.frameOffset, location.frameOffset + location.frameLength);
  const [record] = await decodeRecords(Buffer.from(frame), [location.recordOffset]);
  if (record === undefined) throw new Error('no record came back');
  return record;
}

/** An event that is a sixteenth of 64 KB with its prefix. */
const SIXTEENTH_BYTES = 65_536 / 16 - 29;

describe('a raw object', () => {
  it('returns any records as they were given, as a whole and one by one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord, { maxLength: 8 }), async (records) => {
        const { bytes, locations } = await encodeBatchObject(HEADER, records);
        const decoded = await decodeBatchObject(bytes);
        expect(decoded.header).toEqual(HEADER);
        expect(decoded.records).toEqual(records.map((each, i) => ({ ...each, location: locations[i] })));
        for (const [index, location] of locations.entries()) {
          expect(await readBack(bytes, location)).toEqual(records[index]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('keeps what intake decided for each class and policy', async () => {
    const records = CLASSES.flatMap((eventClass) =>
      POLICIES.map((matchedPolicy) =>
        record('{}', { eventClass, matchedPolicy, ruleId: RULE_ID, isDemoted: true }),
      ),
    );
    const decoded = await decodeBatchObject((await encodeBatchObject(HEADER, records)).bytes);
    expect(decoded.records.map(({ location: _, ...rest }) => rest)).toEqual(records);
  });

  it('has its fixed layout, so that stored objects stay readable', async () => {
    const event = record('{"a":1}', {
      eventClass: 'context_signal',
      matchedPolicy: 'log_level_error',
      isDemoted: true,
      requestIndex: 1,
      ruleId: RULE_ID,
      position: 0x01020304,
    });
    const { bytes, locations } = await encodeBatchObject(HEADER, [event]);
    const json = JSON.stringify(HEADER);
    expect(bytes.toString('latin1', 0, 8)).toBe('CULPRAW1');
    expect(bytes.readUInt32LE(8)).toBe(json.length);
    expect(bytes.toString('utf8', 12, 12 + json.length)).toBe(json);
    const frameOffset = 12 + json.length + 4 + 12 + 4;
    expect(locations).toEqual([{ frameOffset, frameLength: bytes.length - frameOffset, recordOffset: 0 }]);
    const raw = zstdDecompressSync(bytes.subarray(frameOffset));
    expect(raw.toString('hex')).toBe(
      `01060101003f8a0c529d6e4b1a8c770123456789ab0403020107000000${Buffer.from('{"a":1}').toString('hex')}`,
    );
  });

  it.each([
    ['64 KB of more than ten events', Array(24).fill(SIXTEENTH_BYTES), [16, 8]],
    ['256 KB of ten events', Array(12).fill(25_000), [10, 2]],
    ['ten large events, and no small one behind them', [...Array(10).fill(20_000), 100], [10, 1]],
    ['few small events and a large one', [...Array(9).fill(100), 200_000], [10]],
    ['ten small events without the large one behind them', [...Array(10).fill(100), 200_000], [10, 1]],
    ['exactly 64 KB', [...Array(16).fill(SIXTEENTH_BYTES), 1], [16, 1]],
    ['no byte more than 64 KB', [...Array(15).fill(SIXTEENTH_BYTES), SIXTEENTH_BYTES + 1], [15, 1]],
    ['exactly 256 KB', [100_000, 262_144 - 2 * 29 - 100_000, 1], [2, 1]],
    ['no byte more than 256 KB', [100_000, 262_145 - 2 * 29 - 100_000], [1, 1]],
    ['a larger event alone', [100, 300_000, 100], [1, 1, 1]],
  ])('puts into one frame %s', async (_, sizes: number[], countsOfFrames) => {
    const { bytes, locations } = await encodeBatchObject(
      HEADER,
      sizes.map((size) => record(randomBytes(size))),
    );
    const counts = new Map<number, number>();
    for (const { frameOffset } of locations) counts.set(frameOffset, (counts.get(frameOffset) ?? 0) + 1);
    expect([...counts.values()]).toEqual(countsOfFrames);
    expect((await decodeBatchObject(bytes)).records.map((each) => each.eventBytes.length)).toEqual(sizes);
  });

  it('of 4 MB is encoded without holding the event loop for its whole time', async () => {
    const records = Array.from({ length: 2800 }, (_, position) =>
      record(randomBytes(750).toString('hex'), { position }),
    );
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const { bytes } = await encodeBatchObject(HEADER, records);
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(3);
    expect((await decodeBatchObject(bytes)).records).toHaveLength(2800);
  });

  it('without records is possible and has a header only', async () => {
    const { bytes, locations } = await encodeBatchObject(HEADER, []);
    expect(locations).toEqual([]);
    expect(await decodeBatchObject(bytes)).toEqual({ header: HEADER, records: [] });
  });

  it.each([
    ['a request the header does not name', { requestIndex: 2 }],
    ['a negative position', { position: -1 }],
    ['a position over 32 bits', { position: 0x1_0000_0000 }],
    ['a rule id that is no UUID', { ruleId: 'rule' }],
    ['a rule id of zeros, which means none', { ruleId: '00000000-0000-0000-0000-000000000000' }],
    ['an event over 8 MB', { eventBytes: Buffer.alloc(8_388_608) }],
  ])('is not written with %s', async (_, changes) => {
    await expect(encodeBatchObject(HEADER, [record('{}', changes)])).rejects.toThrow(RangeError);
  });

  it('is not written with more than 64 MB of events', async () => {
    const eventBytes = Buffer.alloc(8_000_000);
    const records = Array.from({ length: 9 }, () => record(eventBytes));
    for (const each of records) each.eventBytes = eventBytes;
    await expect(encodeBatchObject(HEADER, records)).rejects.toThrow(RangeError);
  });
});

describe('a damaged raw object', () => {
  const records = [
    record(
      '{"event_type":"backend_exception","payload":{"name":"E","message":"m","stack":"at a\\nat b\\nat a"}}',
      {
        ruleId: RULE_ID,
      },
    ),
    record(randomBytes(120).toString('hex'), { position: 1, requestIndex: 1 }),
    record(Buffer.alloc(263_000, 'large event '), { position: 2 }),
  ];

  it('is noticed when cut at any byte', async () => {
    const { bytes } = await encodeBatchObject(HEADER, records);
    for (let length = 0; length < bytes.length; length++) {
      await expect(decodeBatchObject(bytes.subarray(0, length))).rejects.toThrow(DamagedObjectError);
    }
  });

  it('is noticed when bytes follow it', async () => {
    const { bytes } = await encodeBatchObject(HEADER, records);
    await expect(decodeBatchObject(Buffer.concat([bytes, Buffer.from([0])]))).rejects.toThrow(
      DamagedObjectError,
    );
    await expect(decodeBatchObject(Buffer.concat([bytes, bytes]))).rejects.toThrow(DamagedObjectError);
  });

  it('is noticed, or harmless, when any single bit is flipped', async () => {
    const { bytes, locations } = await encodeBatchObject(HEADER, records);
    const intact = await decodeBatchObject(bytes);
    const framesOffset = locations[0]?.frameOffset ?? 0;
    let unnoticed = 0;
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      try {
        // Some bits of a frame do not matter to its content (window size, spare Huffman codes); none elsewhere.
        const decoded = await decodeBatchObject(damaged);
        expect(bit >> 3).toBeGreaterThanOrEqual(framesOffset);
        expect(decoded).toEqual(intact);
        unnoticed++;
      } catch (error) {
        expect(error).toBeInstanceOf(DamagedObjectError);
      }
    }
    expect(unnoticed).toBeLessThan(bytes.length * 8 * 0.03);
  });

  it('never makes the reader of one record crash or return another record', async () => {
    const { bytes, locations } = await encodeBatchObject(HEADER, records);
    const location = locations[1];
    if (location === undefined) throw new Error('no location');
    for (let byte = location.frameOffset; byte < location.frameOffset + location.frameLength; byte++) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(byte) ^ 0xff, byte);
      try {
        expect(await readBack(damaged, location)).toEqual(records[1]);
      } catch (error) {
        expect(error).toBeInstanceOf(DamagedObjectError);
      }
    }
  });

  it('is noticed when a record is asked for where none begins', async () => {
    const { bytes, locations } = await encodeBatchObject(HEADER, records);
    const location = locations[1];
    if (location === undefined) throw new Error('no location');
    for (const shift of [-1, 1, 29, 100_000]) {
      const recordOffset = location.recordOffset + shift;
      await expect(readBack(bytes, { ...location, recordOffset })).rejects.toThrow(DamagedObjectError);
    }
    // Zeros inside an event would read as a record without a rule.
    const zeros = await encodeBatchObject(HEADER, [record(Buffer.alloc(100))]);
    await expect(
      readBack(zeros.bytes, { ...location, ...zeros.locations[0], recordOffset: 34 }),
    ).rejects.toThrow(DamagedObjectError);
    await expect(decodeRecords(Buffer.alloc(0), [0])).rejects.toThrow(DamagedObjectError);
    await expect(readBack(bytes, { ...location, recordOffset: -1 })).rejects.toThrow(DamagedObjectError);
  });

  it('cannot make the reader allocate more than 8 MB for a frame', async () => {
    const params = { [constants.ZSTD_c_checksumFlag]: 1 };
    const bomb = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024), { params });
    expect(bomb.length).toBeLessThan(10_000);
    await expect(decodeRecords(bomb, [0])).rejects.toThrow(DamagedObjectError);
  });

  it('is refused when a frame brings no checksum', async () => {
    const { bytes, locations } = await encodeBatchObject(HEADER, [record('{"a":1}')]);
    const unchecked = zstdCompressSync(zstdDecompressSync(bytes.subarray(locations[0]?.frameOffset)));
    await expect(decodeRecords(unchecked, [0])).rejects.toThrow(DamagedObjectError);
  });

  it('is any other file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (noise, hasMagic) => {
        const bytes = Buffer.concat([Buffer.from(hasMagic ? 'CULPRAW1' : ''), noise]);
        await expect(decodeBatchObject(bytes)).rejects.toThrow(DamagedObjectError);
        await expect(decodeRecords(bytes, [0])).rejects.toThrow(DamagedObjectError);
      }),
    );
  });
});

describe('the id of an event that came without one', () => {
  const BATCH_ID = '0198c0de-0000-7000-8000-0000000000ff';

  it('is the same for the same batch and position, and another for any other', () => {
    expect(derivedEventId(BATCH_ID, 3)).toBe(derivedEventId(BATCH_ID, 3));
    const ids = new Set(Array.from({ length: 1000 }, (_, position) => derivedEventId(BATCH_ID, position)));
    expect(ids.size).toBe(1000);
    expect(derivedEventId('0198c0de-0000-7000-8000-0000000000fe', 3)).not.toBe(derivedEventId(BATCH_ID, 3));
  });

  it('is evt_ and a version 8 UUID from SHA-256', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(), (batchId, position) => {
        expect(derivedEventId(batchId, position)).toMatch(
          /^evt_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
    const digest = createHash('sha256').update(`${BATCH_ID}:3`).digest('hex');
    expect(derivedEventId(BATCH_ID, 3).slice(4, 12)).toBe(digest.slice(0, 8));
    expect(derivedEventId(BATCH_ID, 3).slice(-12)).toBe(digest.slice(20, 32));
  });
});

describe('raw objects that stand one after the other', () => {
  it('are parted as they were, and one alone stays whole', async () => {
    const parts: Buffer[] = [];
    for (const size of [1, 70_000, 300]) {
      parts.push((await encodeBatchObject(HEADER, [record(randomBytes(size)), record('{}')])).bytes);
    }
    expect(splitBatchObjects(Buffer.concat(parts))).toEqual(parts);
    expect(splitBatchObjects(parts[1] ?? Buffer.alloc(0))).toEqual([parts[1]]);
  });

  it('are damaged when they are cut anywhere, followed by something else, or nothing', async () => {
    const { bytes } = await encodeBatchObject(HEADER, [record('{"a":1}')]);
    const both = Buffer.concat([bytes, bytes]);
    for (const end of [0, 1, 11, bytes.length - 1, bytes.length + 1, bytes.length + 12, both.length - 1]) {
      expect(() => splitBatchObjects(both.subarray(0, end))).toThrow(DamagedObjectError);
    }
    expect(() => splitBatchObjects(Buffer.concat([bytes, Buffer.from('else')]))).toThrow(DamagedObjectError);
  });
});

describe('raw objects that were appended', () => {
  async function three(): Promise<{ parts: Buffer[]; ends: number[] }> {
    const parts: Buffer[] = [];
    const ends: number[] = [];
    for (const size of [1, 70_000, 300]) {
      parts.push((await encodeBatchObject(HEADER, [record(randomBytes(size)), record('{}')])).bytes);
      ends.push((ends.at(-1) ?? 0) + (parts.at(-1)?.length ?? 0));
    }
    return { parts, ends };
  }

  it('are split up to what a crash has left at the end, which is no damage', async () => {
    const { parts, ends } = await three();
    const whole = Buffer.concat(parts);
    expect(splitAppendedObjects(whole, [])).toEqual({ objects: parts, isDamaged: false });
    const zeros = Buffer.alloc(500);
    for (const torn of [whole.subarray(0, whole.length - 1), Buffer.concat([...parts.slice(0, 2), zeros])]) {
      const found = { objects: parts.slice(0, 2), isDamaged: false };
      expect(splitAppendedObjects(torn, ends.slice(0, 2))).toEqual(found);
      // Where a row knows what is not there, it is no write that was never acknowledged.
      expect(splitAppendedObjects(torn, ends)).toEqual({ ...found, isDamaged: true });
    }
    expect(splitAppendedObjects(Buffer.alloc(0), [])).toEqual({ objects: [], isDamaged: false });
  });

  it('go on behind damage at the next end that is known, and are damaged', async () => {
    const { parts, ends } = await three();
    const whole = Buffer.concat(parts);
    whole.fill(0, (ends[0] ?? 0) + 20, (ends[0] ?? 0) + 40);
    const [first, , last] = parts;
    expect(splitAppendedObjects(whole, ends)).toEqual({ objects: [first, last], isDamaged: true });
  });

  it('are damaged where an object seems to follow that nobody knows, which is not read', async () => {
    const { parts, ends } = await three();
    const whole = Buffer.concat(parts);
    whole.fill(0, (ends[0] ?? 0) + 20, (ends[0] ?? 0) + 40);
    expect(splitAppendedObjects(whole, ends.slice(0, 1))).toEqual({
      objects: parts.slice(0, 1),
      isDamaged: true,
    });
  });
});
