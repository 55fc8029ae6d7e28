import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrap } from '../../src/admin/bootstrap.ts';
import { admitRequests } from '../../src/pipeline/ingest/ingest.queries.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { planOverride } from '../../src/workspace/billing/plan.ts';
import { startTrial } from '../../src/workspace/billing/start-trial.ts';
import { tokenHash } from '../../src/workspace/tokens/token.ts';
import { HOSTED } from '../support/culprit.ts';
import { holdClock } from '../support/move-clock.ts';
import { organizationOf, setPlanOf } from '../support/organizations.ts';
import { createTestDatabase } from '../support/test-database.ts';

/**
 * By which plan intake judges (docs/contract/ingestion.md 3.7): the one in force at that moment, without any job
 * having run.
 */

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-01-10T12:00:00.000Z');

let database: Database;
let owner: { userId: string; hash: Buffer };

beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), connectionsMax: 2, applicationName: 'test' });
  await holdClock(database, START_MS);
  const made = await bootstrap(database, {
    email: 'owner@example.test',
    projectName: 'shop',
    baseUrl: 'http://localhost:4800',
    plans: HOSTED,
  });
  owner = { userId: made.user_id, hash: tokenHash(made.project_token) };
});
afterAll(() => database.close());

/** The plan and the budget that a request with very many events meets at a moment. */
async function admit(atMs: number, override = planOverride(HOSTED)) {
  await holdClock(database, atMs);
  const [admission] = await admitRequests(
    database,
    [{ tokenHash: owner.hash, origin: null, isBeacon: false, isCountable: true, shapeValidCount: 5000 }],
    { override, rateLimits: HOSTED.ingestionRatePerMinute },
  );
  return { plan: admission?.plan, eventsTaken: admission?.eventsTaken };
}

describe('an admission', () => {
  it('is by Free, by the plan of a trial while it lasts, by Free again, and by what the operator set', async () => {
    expect(await admit(START_MS)).toEqual({ plan: 'free', eventsTaken: 60 });
    const organizationId = await organizationOf(database, owner.userId);
    await database.transaction((transaction) => startTrial(transaction, HOSTED, organizationId, 'team'));
    expect(await admit(START_MS + 60_000)).toEqual({ plan: 'team', eventsTaken: 1000 });
    expect(await admit(START_MS + 30 * DAY_MS - 1)).toEqual({ plan: 'team', eventsTaken: 1000 });
    expect(await admit(START_MS + 30 * DAY_MS + 60_000)).toEqual({ plan: 'free', eventsTaken: 60 });
    await setPlanOf(database, owner.userId, 'solo');
    expect(await admit(START_MS + 31 * DAY_MS)).toEqual({ plan: 'solo', eventsTaken: 300 });
  });

  it('is by the plan of the configuration where that decides', async () => {
    expect(await admit(START_MS + 32 * DAY_MS, 'team')).toEqual({ plan: 'team', eventsTaken: 1000 });
  });
});
