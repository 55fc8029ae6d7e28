import { randomBytes } from 'node:crypto';
import { resolveCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { outlineOf } from '@culprit/evidence/events/outline/event-outline';
import { digestOf } from '@culprit/evidence/incidents/event-digest';
import { describe, expect, it } from 'vitest';
import { checkBatch } from '../../src/pipeline/ingest/check-batch.ts';
import { decideEvents } from '../../src/pipeline/ingest/decide-events.ts';
import { digestIn } from '../../src/pipeline/stored-events/digest-record.ts';
import type { RawRecord } from '../../src/pipeline/stored-events/raw-record.ts';
import { runThrough } from '../support/run-through.ts';

/** The digests that the event intake stores follow from the bytes that it stores. */

const EVENT: JsonObject = {
  event_type: 'backend_exception',
  event_id: 'evt_1',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'shop', environment: 'production' },
  correlation: { trace_id: 't-1' },
  payload: { name: 'OrderError', message: 'Order 47110815 was lost', stack: null },
};
const LOG = {
  ...EVENT,
  event_type: 'log_event',
  payload: { level: 'error', message: 'm' },
};

function storedRecords(...events: string[]): RawRecord[] {
  const batch = runThrough(checkBatch(Buffer.from(`{"events":[${events.join()}]}`), () => true));
  if ('problem' in batch) throw new Error(batch.problem);
  const policy = resolveCapturePolicy({ preset: 'balanced', overrides: {}, plan: 'team' });
  const options = {
    eventsTaken: 100,
    requestIndex: 0,
    userKey: randomBytes(32),
    ruleDecisions: null,
  };
  return runThrough(decideEvents(batch, policy, options)).records;
}

function expectDigest({ eventBytes, digest }: RawRecord): JsonObject {
  const raw: JsonObject = JSON.parse(eventBytes.toString());
  const outline = outlineOf(raw);
  if (outline === null || digest === undefined || digest === null)
    throw new Error('an event without a digest');
  expect(digestIn(digest)).toEqual(digestOf(raw, outline));
  return raw;
}

describe('the digest of an accepted event', () => {
  it('is that of its bytes, whether they are stored as they were sent or not', () => {
    const text = JSON.stringify(EVENT);
    const secret = JSON.stringify({
      ...EVENT,
      context: { password: 'x', user: { id: 'u-1' }, tags: { count: 7 } },
    });
    const [plain, log] = storedRecords(text, JSON.stringify(LOG));
    expect(plain === undefined ? null : expectDigest(plain)).toEqual(EVENT);
    expect(log?.digest ?? null).toBeNull();
    // One that is rewritten, one beside it, and one with a number that its stored text does not have.
    const far = JSON.stringify({ ...EVENT, correlation: null, context: { password: 'x', trace_id: 7 } });
    const records = storedRecords(secret, text, far.replace('"trace_id":7', '"trace_id":1e400'));
    expect(records).toHaveLength(3);
    const [rewritten, beside, beyond] = records.map(expectDigest);
    expect(rewritten).not.toEqual(JSON.parse(secret));
    expect(beside).toEqual(EVENT);
    expect(beyond?.context).toMatchObject({ trace_id: null });
  });

  it('is left to the worker where the event is large', () => {
    const large = { ...EVENT, context: { note: 'x'.repeat(70_000) } };
    const [record] = storedRecords(JSON.stringify(large));
    expect(record?.digest ?? null).toBeNull();
  });
});
