import { crc32 } from 'node:zlib';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { outlineOf } from '@culprit/evidence/events/outline/event-outline';
import { digestOf, type EventDigest } from '@culprit/evidence/incidents/event-digest';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventArbitrary } from '../../../evidence/test/events/event-arbitrary.ts';
import { intakeDigest } from '../../src/pipeline/ingest/intake-digest.ts';
import { decodeBatchObject, encodeBatchObject } from '../../src/pipeline/stored-events/batch-object.ts';
import { type DigestedRecord, readDigestedObject } from '../../src/pipeline/stored-events/digested-object.ts';
import { DamagedObjectError, type RawRecord } from '../../src/pipeline/stored-events/raw-record.ts';

/** What the worker reads of an object: the digests in its head, and frames only where an event is asked for. */

const HEADER = {
  projectId: '0198c0de-0000-7000-8000-000000000001',
  receivedAtMs: 1_774_347_000_123,
  requests: [{ tokenId: '0198c0de-0000-7000-8000-00000000000a', isOriginBound: false }],
};

function stored(event: object, position: number, digest?: Buffer | null): RawRecord {
  const eventBytes = Buffer.from(JSON.stringify(event));
  return {
    eventClass: position % 2 === 0 ? 'incident_signal' : 'context_signal',
    matchedPolicy: 'always_incident',
    isDemoted: position % 3 === 0,
    requestIndex: 0,
    ruleId: position % 4 === 0 ? '3f8a0c52-9d6e-4b1a-8c77-0123456789ab' : null,
    position,
    eventBytes,
    digest:
      digest === undefined ? intakeDigest(JSON.parse(eventBytes.toString()), eventBytes.length) : digest,
  };
}

const exceptions = fc.array(eventArbitrary(['backend_exception', 'frontend_exception', 'log_event']), {
  minLength: 1,
  maxLength: 12,
});

function madeFrom(raw: JsonObject): EventDigest | null {
  const outline = outlineOf(raw);
  return outline === null ? null : digestOf(raw, outline);
}

/** A record without the ways to its event and its digest. */
function decided({ eventBytes: _, digest: __, ...record }: DigestedRecord) {
  return { ...record };
}

const EVENT = {
  event_type: 'backend_exception',
  event_id: 'evt_1',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'shop', environment: 'production' },
  payload: { name: 'TypeError', message: 'x is undefined', stack: null },
};

describe('an object with digests', () => {
  it('has the records of its frames, and of each event the digest that the worker would make', async () => {
    let digests = 0;
    await fc.assert(
      fc.asyncProperty(exceptions, async (events) => {
        const { bytes } = await encodeBatchObject(
          HEADER,
          events.map((event, position) => stored(event, position)),
        );
        const { header, records, damage } = await readDigestedObject(bytes);
        const decoded = await decodeBatchObject(bytes);
        expect({ header, damage }).toEqual({ header: decoded.header, damage: null });
        expect(records.map(decided)).toEqual(decoded.records.map(({ eventBytes: _, ...each }) => each));
        for (const [n, record] of records.entries()) {
          expect(record.eventBytes).toEqual(decoded.records[n]?.eventBytes);
          const digest = record.digest();
          expect(digest).toEqual(madeFrom(JSON.parse(record.eventBytes.toString())));
          if (digest !== null) digests += 1;
        }
      }),
      { numRuns: 30 },
    );
    expect(digests).toBeGreaterThan(30);
  });

  it('has the same records where only some events have one, and where none has', async () => {
    const digest = intakeDigest(EVENT, 100);
    for (const given of [
      [digest, null, digest],
      [null, null, null],
    ]) {
      const { bytes } = await encodeBatchObject(
        HEADER,
        given.map((each, position) => stored(EVENT, position, each)),
      );
      const { records } = await readDigestedObject(bytes);
      expect(records.map((each) => each.digest() !== null)).toEqual(given.map((each) => each !== null));
      expect(records.map((each) => JSON.parse(each.eventBytes.toString()))).toEqual([EVENT, EVENT, EVENT]);
    }
  });

  it('loses the events of a damaged frame, although their digests are whole', async () => {
    const filler = { text: Array.from({ length: 3000 }, (_, n) => (n * 7919).toString(36)).join(' ') };
    const events = Array.from({ length: 24 }, () => ({ ...EVENT, context: filler }));
    const { bytes, locations } = await encodeBatchObject(
      HEADER,
      events.map((event, position) => stored(event, position)),
    );
    const frames = [...new Set(locations.map((each) => each.frameOffset))];
    expect(frames.length).toBeGreaterThan(1);
    const { records: whole } = await readDigestedObject(bytes);
    expect(whole.filter((each) => each.digest() !== null)).toHaveLength(24);
    const damaged = Buffer.from(bytes);
    const place = (frames[1] ?? 0) + 100;
    damaged.writeUInt8(damaged.readUInt8(place) ^ 0xff, place);
    const { records, damage } = await readDigestedObject(damaged);
    expect(damage).toBeInstanceOf(DamagedObjectError);
    const left = locations.filter((each) => each.frameOffset !== frames[1]).length;
    expect(records).toHaveLength(left);
  });

  it('is read by its frames where the digests are of another version, or of other records', async () => {
    const { bytes } = await encodeBatchObject(HEADER, [stored(EVENT, 0), stored(EVENT, 1)]);
    const other = await encodeBatchObject(HEADER, [stored({ ...EVENT, event_id: 'evt_22' }, 0)]);
    expect((await readDigestedObject(bytes)).records[0]?.digest()).not.toBeNull();
    const at = 12 + JSON.stringify(HEADER).length;
    const newer = Buffer.from(bytes);
    newer.writeUInt8(99, at + 4);
    const length = (object: Buffer) => 4 + object.readUInt32LE(at);
    const mixed = Buffer.concat([
      bytes.subarray(0, at),
      other.bytes.subarray(at, at + length(other.bytes)),
      bytes.subarray(at + length(bytes)),
    ]);
    for (const object of [newer, mixed]) {
      const end = at + length(object) + 4 + 16;
      object.writeUInt32LE(crc32(object.subarray(0, end)), end);
      const { records, damage } = await readDigestedObject(object);
      expect([records.length, damage]).toEqual([2, null]);
      for (const each of records) {
        expect(each.digest()).toBeNull();
        expect(JSON.parse(each.eventBytes.toString())).toEqual(EVENT);
      }
    }
  });
});
