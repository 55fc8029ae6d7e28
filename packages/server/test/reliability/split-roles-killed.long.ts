import { expect, it } from 'vitest';
import { chooseSeed } from '../support/seeded-random.ts';
import { startOwnPostgres } from '../support/test-postgres.ts';
import { KEPT } from './event-ledger.ts';
import { runKills } from './split-kills.ts';

/** As `split-roles-killed.standard.test.ts`, with many more kills. */

const KILLS = Number(process.env.CULPRIT_TEST_KILLS ?? 100);
const SEED = chooseSeed();

it.each([['embedded'], ['15']] as const)(
  `roles on PostgreSQL %s keep every promise over ${KILLS} kills (seed ${SEED})`,
  { timeout: 120_000 + KILLS * 5000 },
  async (version) => {
    const cluster = await startOwnPostgres(version);
    try {
      const databaseUrl = await cluster.createDatabase();
      const outcome = await runKills({ databaseUrl, kills: KILLS, seed: SEED });
      expect(outcome).toMatchObject({ verdict: KEPT, stuck: {}, surprises: [] });
      expect(outcome.accepted).toBeGreaterThan(20 * KILLS);
    } finally {
      await cluster.stop();
    }
  },
);
