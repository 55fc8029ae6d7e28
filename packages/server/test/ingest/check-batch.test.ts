import { RUN_WORK_MAX } from '@culprit/evidence/events/envelope/scan-batch-body';
import { describe, expect, it } from 'vitest';
import { checkBatch } from '../../src/pipeline/ingest/check-batch.ts';
import { runThrough, slicesOf } from '../support/run-through.ts';

const BODY_BYTES = 1_048_576;
const EVENT =
  '{"event_type":"log_event","timestamp":"2026-03-24T10:30:00Z","service":{"name":"a","environment":"p"},"payload":{"level":"error","message":"m"}}';

function many(item: string): Buffer {
  const count = Math.floor((BODY_BYTES - 16) / (item.length + 1));
  return Buffer.from(`{"events":[${Array<string>(count).fill(item).join()}]}`);
}

const DEEP = `${'['.repeat(33)}${']'.repeat(33)}`;
const WIDE = EVENT.replace(
  '"payload"',
  `"context":{${Array.from({ length: 500 }, (_, index) => `"k${index}":1`).join()}},"payload"`,
);

describe('a batch of a megabyte', () => {
  it.each([
    ['empty objects', '{}', 349_520],
    ['numbers', '7', 524_280],
    ['small events', EVENT, 7_231],
    ['wide contexts', WIDE, 1],
    ['events that are too deep', DEEP, 15_650],
    ['NaN', 'NaN', 262_140],
    ['events that are too deep, with NaN', DEEP.replace('[]', '[NaN]'), 14_000],
  ])('of %s is judged in slices of bounded work', (_name, item, countMin) => {
    const { result, slices } = slicesOf(checkBatch(many(item), () => true));
    if ('problem' in result) throw new Error(result.problem);
    expect(result.checks.length).toBeGreaterThanOrEqual(countMin);
    // The last event of a slice is whole, and none of these is larger than a slice.
    expect(Math.max(...slices)).toBeLessThan(2 * RUN_WORK_MAX);
    expect(slices.length).toBeGreaterThan(16);
  });

  it('is refused in slices of bounded work when its last byte is wrong', () => {
    const body = many('{}');
    body[body.length - 1] = 0x5d;
    const { result, slices } = slicesOf(checkBatch(body, () => true));
    expect(result).toMatchObject({ problem: 'invalid_payload' });
    expect(Math.max(...slices)).toBeLessThan(2 * RUN_WORK_MAX);
  });
});

describe('the events that are kept to be written anew', () => {
  it('are those around a listed key, at their own index', () => {
    const secret = EVENT.replace('"payload"', '"context":{"password":"x"},"payload"');
    const batch = runThrough(
      checkBatch(Buffer.from(`{"events":[${DEEP},${secret},${DEEP},${EVENT}]}`), () => true),
    );
    if ('problem' in batch) throw new Error(batch.problem);
    expect(batch.eventsToSanitize).toHaveLength(2);
    expect(batch.eventsToSanitize?.[0]).toBeUndefined();
    expect(batch.eventsToSanitize?.[1]).toMatchObject({ context: { password: 'x' } });
    expect(batch.overLimitCount).toBe(2);
    expect(batch.shapeValidCount).toBe(2);
  });
});
