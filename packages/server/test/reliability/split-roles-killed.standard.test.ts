// Proves 1.
import { afterAll, describe, expect, it } from 'vitest';
import { runSize } from '../support/run-size.ts';
import { chooseSeed } from '../support/seeded-random.ts';
import { startOwnPostgres, type TestPostgres } from '../support/test-postgres.ts';
import { KEPT } from './event-ledger.ts';
import { runKills } from './split-kills.ts';

/**
 * docs/contract/reliability.md test 1 for processes of one role each, on the embedded PostgreSQL and the oldest that is
 * supported; `split-roles-killed.long.ts` kills more.
 */

const KILLS = runSize('CULPRIT_TEST_KILLS', { standard: 3, long: 6 });
const SEED = chooseSeed();

describe(`two API and two worker processes on an S3 store (seed ${SEED})`, () => {
  const clusters: TestPostgres[] = [];
  afterAll(() => Promise.all(clusters.map((cluster) => cluster.stop())));

  it.each([['embedded'], ['15']] as const)(
    'and PostgreSQL %s lose no event and count none twice when they are killed under load',
    { timeout: 240_000 },
    async (version) => {
      const cluster = await startOwnPostgres(version);
      clusters.push(cluster);
      const outcome = await runKills({
        databaseUrl: await cluster.createDatabase(),
        kills: KILLS,
        seed: SEED,
      });
      expect(outcome).toMatchObject({ verdict: KEPT, stuck: {}, surprises: [] });
      expect(outcome.accepted).toBeGreaterThan(20 * KILLS);
      expect(outcome.unknown).toBeGreaterThan(0);
    },
  );
});
