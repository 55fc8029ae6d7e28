import { describe, expect, it } from 'vitest';
import { showPool } from '../../src/platform/db/pool-metrics.ts';
import { readMetrics } from '../../src/platform/metrics/metrics.ts';

const POOL = 'test-pool';

describe('the gauges of a pool', () => {
  it('show the moment in which they are read, and not the reading before', async () => {
    let counts = { used: 4, idle: 0, waiting: 9 };
    const hide = showPool(POOL, () => counts);
    try {
      expect(await shown()).toEqual({ used: 4, idle: 0, waiting: 9 });
      counts = { used: 0, idle: 4, waiting: 0 };
      expect(await shown()).toEqual(counts);
    } finally {
      hide();
    }
    expect(await shown()).toEqual({});
  });
});

async function shown(): Promise<Record<string, number>> {
  const read = await readMetrics();
  const values = read
    .flatMap(({ name, values: each }) => each.map((value) => ({ name, ...value })))
    .filter(({ labels }) => labels.pool === POOL);
  return Object.fromEntries(
    values.map(({ name, labels, value }) => [
      name === 'culprit_database_pool_waiting' ? 'waiting' : String(labels.state),
      value,
    ]),
  );
}
