import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { fingerprintEvent } from '@culprit/evidence/events/fingerprint/fingerprint';
import { fingerprintText } from '@culprit/evidence/events/fingerprint/fingerprint-text';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { afterEach, describe, expect, it } from 'vitest';
import { fixture } from '../../../evidence/test/events/event-fixtures.ts';
import { createExactFingerprints, type ExactFingerprints } from '../../src/capture/exact-fingerprints.ts';
import { createLogger } from '../../src/platform/log.ts';
import { eventually } from '../support/eventually.ts';

const log = createLogger({ level: 'silent', role: 'test', toStandardError: true });
let exact: ExactFingerprints | null = null;

afterEach(async () => {
  await exact?.close();
  exact = null;
});

function open(): ExactFingerprints {
  exact = createExactFingerprints(log);
  return exact;
}

/** A body of these events, with their places. */
function bodyOf(events: readonly JsonObject[]): { body: Buffer; ranges: number[] } {
  const texts = events.map((event) => JSON.stringify(event));
  const ranges: number[] = [];
  let at = '{"events":['.length;
  for (const text of texts) {
    const end = at + Buffer.byteLength(text);
    ranges.push(at, end);
    at = end + 1;
  }
  return { body: Buffer.from(`{"events":[${texts.join(',')}]}`), ranges };
}

function expected(event: JsonObject): string | null {
  const fingerprint = fingerprintEvent(normalizeEvent(event, { eventId: 'evt_1', receivedAtMs: 0 }));
  return fingerprint === null ? null : fingerprintText(fingerprint);
}

describe('exact fingerprints', () => {
  it('are those of the grouping algorithm, in the order of the events', async () => {
    const events = (['A', 'FE', 'CRUMB', 'LOG', 'REQ', 'W', 'PROBE'] as const).map((name) => fixture(name));
    const { body, ranges } = bodyOf(events);
    const computed = await open().compute('s', body, ranges);
    expect(computed).toEqual(events.map(expected));
    expect(computed?.filter((each) => each === null)).toHaveLength(2);
  });

  it('leave the bytes they were computed from alone', async () => {
    const { body, ranges } = bodyOf([fixture('A')]);
    const before = Buffer.from(body);
    const pooled = Buffer.concat([Buffer.from('xx'), body]).subarray(2);
    await open().compute('s', pooled, ranges);
    expect(pooled.equals(before)).toBe(true);
  });

  it('of something that is no event are none, and hold up nothing', async () => {
    const { body, ranges } = bodyOf([{}, fixture('A')]);
    expect(await open().compute('s', body, [0, 5, ...ranges])).toEqual([null, null, expected(fixture('A'))]);
    expect(await open().compute('s', body, [])).toEqual([]);
  });

  it('are computed for all that ask at once, each for its own', async () => {
    const pool = open();
    const asked = Array.from({ length: 50 }, (_, n) =>
      fixture('A', { 'payload.error_class': `E${'x'.repeat(n)}` }),
    );
    const computed = await Promise.all(
      asked.map((event, n) => {
        const { body, ranges } = bodyOf([event]);
        return pool.compute(`s${n % 3}`, body, ranges);
      }),
    );
    expect(computed).toEqual(asked.map((event) => [expected(event)]));
  });

  it('are refused to a queue that is full, until it has emptied', async () => {
    const pool = open();
    const large = bodyOf([fixture('LOG', { 'payload.message': 'm'.repeat(1024 * 1024) })]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => pool.compute('s', large.body, large.ranges)),
    );
    // Sixteen megabytes wait at most.
    expect(answers.filter((answer) => answer === null)).toHaveLength(5);
    expect(await pool.compute('s', large.body, large.ranges)).toHaveLength(1);
  });

  it('come in turns: one sender’s queue is no other’s', async () => {
    const pool = open();
    const done: string[] = [];
    const { body, ranges } = bodyOf([fixture('A')]);
    const ask = (sender: string) => pool.compute(sender, body, ranges).then(() => done.push(sender));
    await Promise.all([...Array.from({ length: 9 }, () => ask('noisy')), ask('quiet')]);
    expect(done).toHaveLength(10);
    expect(done.indexOf('quiet')).toBeLessThan(3);
  });

  it('that take too long are refused, and those who wait behind them are not', async () => {
    exact = createExactFingerprints(log, 60);
    const pool = exact;
    const many = bodyOf(
      Array.from({ length: 12_000 }, (_, n) => fixture('A', { 'payload.error_class': `E${n}` })),
    );
    const one = bodyOf([fixture('A')]);
    const slow = pool.compute('slow', many.body, many.ranges);
    const quick = eventually(async () => {
      expect(await pool.compute('quick', one.body, one.ranges)).toEqual([expected(fixture('A'))]);
    });
    expect(await slow).toBeNull();
    await quick;
  });

  it('are refused by a closed pool, also to those who wait', async () => {
    const pool = open();
    const { body, ranges } = bodyOf([fixture('A')]);
    const waiting = [pool.compute('s', body, ranges), pool.compute('s', body, ranges)];
    await pool.close();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    expect(await pool.compute('s', body, ranges)).toBeNull();
  });
});
