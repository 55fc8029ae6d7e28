import { describe, expect, it } from 'vitest';
import type { Metric } from '../../src/platform/metrics/metrics.ts';
import { createThreadMetrics } from '../../src/roles/thread-metrics.ts';

/** What a thread would answer: a counter, and a gauge of something it has. */
function answer(counted: number, held: number): Metric[] {
  const metric = (name: string, type: string, value: number): Metric => ({
    name,
    help: name,
    type,
    aggregator: 'sum',
    values: [{ value, labels: {} }],
  });
  return [metric('counted_total', 'counter', counted), metric('held', 'gauge', held)];
}

function values(read: readonly Metric[]): Record<string, number | undefined> {
  return Object.fromEntries(read.map(({ name, values }) => [name, values[0]?.value]));
}

describe('the metrics of a place for threads', () => {
  it('never go back when a thread is replaced, and forget what it held', async () => {
    const place = createThreadMetrics();
    expect(values(await place.read(() => place.take(answer(5, 2))))).toEqual({ counted_total: 5, held: 2 });
    await place.threadEnded();
    expect(values(await place.read(() => place.take(answer(1, 3))))).toEqual({ counted_total: 6, held: 3 });
    await place.threadEnded();
    expect(values(await place.read(() => place.take(answer(0, 0))))).toEqual({ counted_total: 6, held: 0 });
  });

  it('are the last answer while a thread is inside an event', async () => {
    const place = createThreadMetrics();
    await place.read(() => place.take(answer(5, 2)));
    expect(values(await place.read(() => {}))).toEqual({ counted_total: 5, held: 2 });
  });
});
