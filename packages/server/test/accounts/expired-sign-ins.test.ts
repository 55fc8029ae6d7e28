import { afterAll, beforeAll, expect, it } from 'vitest';
import { ACCOUNT_TABLES } from '../../src/workspace/accounts/accounts.tables.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { deleteExpiredRows } from '../support/expired-rows.ts';
import { moveClock } from '../support/move-clock.ts';
import { askForCode } from '../support/sign-in.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit({ duties: [] });
});
afterAll(() => culprit.stop());

async function rowsLeft(): Promise<{ rates: number; codes: number; sessions: number }> {
  return {
    rates: await countRows(culprit, 'sign_in_rates'),
    codes: await countRows(culprit, 'sign_in_codes'),
    sessions: await countRows(culprit, 'sessions'),
  };
}

it('removes counters when their time is over, and sessions a month after their last', async () => {
  await culprit.signIn('dev@example.test');
  await askForCode(culprit.url, 'nobody@example.test');
  const steps: [ageMs: number, left: Awaited<ReturnType<typeof rowsLeft>>][] = [
    [4 * MINUTE_MS, { rates: 1, codes: 2, sessions: 1 }],
    [6 * MINUTE_MS, { rates: 1, codes: 2, sessions: 1 }],
    [59 * MINUTE_MS, { rates: 1, codes: 2, sessions: 1 }],
    // The browser that signed in is known for 90 days.
    [61 * MINUTE_MS, { rates: 0, codes: 1, sessions: 1 }],
    [36 * DAY_MS, { rates: 0, codes: 1, sessions: 1 }],
    [37 * DAY_MS + MINUTE_MS, { rates: 0, codes: 1, sessions: 0 }],
    [90 * DAY_MS - MINUTE_MS, { rates: 0, codes: 1, sessions: 0 }],
    [90 * DAY_MS + MINUTE_MS, { rates: 0, codes: 0, sessions: 0 }],
  ];
  for (const [ageMs, left] of steps) {
    await moveClock(culprit.database, ageMs);
    await deleteExpiredRows(culprit.database, ACCOUNT_TABLES);
    expect([ageMs, await rowsLeft()]).toEqual([ageMs, left]);
  }
});
