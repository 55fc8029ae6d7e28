// Proves 18.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, type Transaction } from '../../src/platform/db/database.ts';
import { getBilling } from '../../src/workspace/billing/get-billing.ts';
import type { Meter } from '../../src/workspace/billing/meters.ts';
import type { Plan, PlanSettings } from '../../src/workspace/billing/plan.ts';
import { setPlan } from '../../src/workspace/billing/set-plan.ts';
import { startTrial } from '../../src/workspace/billing/start-trial.ts';
import {
  consumeAllowance,
  consumeAllowanceUpTo,
  isAllowanceLeft,
} from '../../src/workspace/billing/take-allowance.ts';
import { HOSTED, SELF_HOSTED } from '../support/culprit.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { createOrganization } from '../support/organizations.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** docs/contract/reliability.md test 18 for allowances, and what one taker sees. Two pools stand for two processes. */

const WEBHOOKS = 'monthly_webhook_deliveries';
const ROUNDS = 1000;

let database: Database;
let other: Database;
let organizationId: string;

beforeAll(async () => {
  const url = await createTestDatabase();
  const open = () =>
    openDatabase({ url, connectionsMax: 8, connectTimeoutMs: 30_000, applicationName: 'culprit-test' });
  [database, other] = [open(), open()];
});
afterAll(() => Promise.all([database.close(), other.close()]));
beforeEach(async () => {
  await moveClock(database, 0);
  ({ organizationId } = await createOrganization(database));
});

function take(
  options: { from?: Database; plans?: PlanSettings; meter?: Meter; count?: number } = {},
): ReturnType<typeof consumeAllowance> {
  const { from = database, plans = HOSTED, meter = WEBHOOKS, count } = options;
  return from.transaction((transaction) =>
    consumeAllowance(transaction, plans, organizationId, meter, count),
  );
}

function takeUpTo(count: number, options: { from?: Database; plans?: PlanSettings } = {}): Promise<number> {
  const { from = database, plans = HOSTED } = options;
  return from.transaction((transaction) =>
    consumeAllowanceUpTo(transaction, plans, organizationId, WEBHOOKS, count),
  );
}

async function used(plans: PlanSettings = HOSTED, meter: Meter = WEBHOOKS) {
  return (await getBilling(database, plans, organizationId)).allowances[meter];
}

async function choosePlan(plan: Plan, additionalUnits: number | null = null): Promise<void> {
  await other.transaction((transaction) =>
    setPlan(transaction, HOSTED, organizationId, { plan, additionalUnits }),
  );
}

describe('takers of one allowance', () => {
  it(`get exactly as much as there is, ${ROUNDS} at once from two processes`, {
    timeout: 60_000,
  }, async () => {
    const taken = await Promise.all(
      Array.from({ length: ROUNDS }, (_, n) => take({ from: n % 2 === 0 ? database : other })),
    );
    expect(taken.filter((each) => each.granted)).toHaveLength(100);
    expect(await used()).toEqual({ used: 100, limit: 100 });
  });

  it('get exactly as much when they take several at once', { timeout: 60_000 }, async () => {
    const counts = Array.from({ length: 200 }, (_, n) => (n % 3) + 1);
    const taken = await Promise.all(
      counts.map(async (count, n) => {
        const allowance = await take({ count, from: n % 2 === 0 ? database : other });
        return allowance.granted ? count : 0;
      }),
    );
    // The last ones of one and two still fit where three did not.
    expect(taken.reduce((sum, each) => sum + each, 0)).toBe(100);
    expect((await used()).used).toBe(100);
  });

  it('who take what is left, at most so many, share exactly as much as there is', {
    timeout: 60_000,
  }, async () => {
    const counts = Array.from({ length: 60 }, (_, n) => (n % 5) + 1);
    const taken = await Promise.all(
      counts.map((count, n) => takeUpTo(count, { from: n % 2 === 0 ? database : other })),
    );
    expect(taken.reduce((sum, each) => sum + each, 0)).toBe(100);
    expect(await used()).toEqual({ used: 100, limit: 100 });
  });

  it('take nothing in a transaction that is rolled back', async () => {
    const failing = database.transaction(async (transaction) => {
      expect(await consumeAllowance(transaction, HOSTED, organizationId, WEBHOOKS)).toEqual({
        granted: true,
      });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect((await used()).used).toBe(0);
  });

  it('lose nothing and gain nothing while the plan changes again and again', {
    timeout: 60_000,
  }, async () => {
    const plans: readonly Plan[] = ['solo', 'team', 'free', 'solo', 'solo', 'free', 'team', 'solo'];
    let granted = 0;
    const takers = Array.from({ length: 400 }, async (_, n) => {
      if ((await take({ from: n % 2 === 0 ? database : other })).granted) granted += 1;
    });
    for (const plan of plans) await choosePlan(plan);
    await Promise.all(takers);
    expect(granted).toBeGreaterThan(0);
    expect(await used()).toEqual({ used: granted, limit: 750 });
  });
});

describe('an allowance', () => {
  it('is refused with the seconds until the window ends', async () => {
    await holdClock(database, Date.parse('2026-02-28T23:00:00.400Z'));
    await take({ count: 100 });
    expect(await take()).toEqual({ granted: false, retryAfterSeconds: 3600 });
    await holdClock(database, Date.parse('2026-02-28T23:59:59.999Z'));
    expect(await take()).toEqual({ granted: false, retryAfterSeconds: 1 });
    await holdClock(database, Date.parse('2026-03-01T00:00:00.000Z'));
    expect(await take()).toEqual({ granted: true });
    expect((await used()).used).toBe(1);
  });

  it('is all or nothing', async () => {
    await take({ count: 99 });
    expect((await take({ count: 2 })).granted).toBe(false);
    expect((await used()).used).toBe(99);
    expect((await take({ count: 1 })).granted).toBe(true);
  });

  it('that is taken in part gives what is left, and then nothing', async () => {
    await take({ count: 37 });
    expect(await takeUpTo(1000)).toBe(63);
    expect(await takeUpTo(1000)).toBe(0);
    expect(await used()).toEqual({ used: 100, limit: 100 });
  });

  it('that nobody touched yet is taken in part as well', async () => {
    expect(await takeUpTo(101)).toBe(100);
  });

  it('is counted in full while limits are off', async () => {
    expect(await takeUpTo(1000, { plans: SELF_HOSTED })).toBe(1000);
  });

  it('is taken in part with at most three statements on the counter, however much was asked for', async () => {
    const names: string[] = [];
    await take({ count: 37 });
    await database.transaction(async (transaction) => {
      const counting: Transaction = {
        send: (statement, values) => {
          names.push(statement.name);
          transaction.send(statement, values);
        },
        query: (statement, values) => {
          names.push(statement.name);
          return transaction.query(statement, values);
        },
      };
      expect(await consumeAllowanceUpTo(counting, HOSTED, organizationId, WEBHOOKS, 1_000_000)).toBe(63);
    });
    expect(names.filter((name) => name.startsWith('usage-')).length).toBeLessThanOrEqual(3);
  });

  it('is refused from the first one where the plan has none', async () => {
    expect((await take({ meter: 'monthly_remote_activations' })).granted).toBe(false);
    expect(await used(HOSTED, 'monthly_remote_activations')).toEqual({ used: 0, limit: 0 });
  });

  it('is counted beyond every number and never refused while limits are off', async () => {
    for (let n = 0; n < 3; n += 1) await take({ plans: SELF_HOSTED, count: 2_000_000_000 });
    expect(await used(SELF_HOSTED)).toEqual({ used: 6_000_000_000, limit: 2_147_483_647 });
    expect(await isAllowanceLeft(database, SELF_HOSTED, organizationId, WEBHOOKS)).toBe(true);
  });

  it('is there until it is used up, for those who only look', async () => {
    await take({ count: 99 });
    expect(await isAllowanceLeft(database, HOSTED, organizationId, WEBHOOKS)).toBe(true);
    await take();
    expect(await isAllowanceLeft(database, HOSTED, organizationId, WEBHOOKS)).toBe(false);
  });

  it('belongs to one organization', async () => {
    await take({ count: 100 });
    ({ organizationId } = await createOrganization(database));
    expect(await used()).toEqual({ used: 0, limit: 100 });
  });
});

describe('what is used', () => {
  it('stays when the plan changes, up, down and up again', async () => {
    await take({ count: 100 });
    await choosePlan('solo');
    expect(await used()).toEqual({ used: 100, limit: 750 });
    await take({ count: 20 });
    await choosePlan('free');
    expect(await used()).toEqual({ used: 120, limit: 100 });
    expect((await take()).granted).toBe(false);
    await choosePlan('team');
    expect(await used()).toEqual({ used: 120, limit: 15_000 });
  });

  it('stays when units are added', async () => {
    await choosePlan('solo');
    await take({ count: 750 });
    expect((await take()).granted).toBe(false);
    await choosePlan('solo', 1);
    expect(await used()).toEqual({ used: 750, limit: 1000 });
    expect((await take({ count: 250 })).granted).toBe(true);
  });

  it('goes with the organization into its trial and out of it by conversion', async () => {
    await take({ count: 60 });
    await database.transaction((transaction) => startTrial(transaction, HOSTED, organizationId, 'solo'));
    await take({ count: 300 });
    expect(await used()).toEqual({ used: 360, limit: 750 });
    await choosePlan('team');
    expect(await used()).toEqual({ used: 360, limit: 15_000 });
  });

  it('begins anew when the window does, also behind a trial that ended', async () => {
    await holdClock(database, Date.parse('2026-01-10T12:00:00Z'));
    ({ organizationId } = await createOrganization(database));
    await database.transaction((transaction) => startTrial(transaction, HOSTED, organizationId, 'solo'));
    await take({ count: 500 });
    await holdClock(database, Date.parse('2026-02-09T12:00:00Z'));
    expect(await used()).toEqual({ used: 0, limit: 100 });
  });
});
