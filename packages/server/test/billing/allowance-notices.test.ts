import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import type { ThreadDuty } from '../../src/roles/thread-settings.ts';
import { ALLOWANCE_CHECK } from '../../src/workspace/billing/billing.jobs.ts';
import type { Meter } from '../../src/workspace/billing/meters.ts';
import type { PlanSettings } from '../../src/workspace/billing/plan.ts';
import { consumeAllowance } from '../../src/workspace/billing/take-allowance.ts';
import { calendarMonth } from '../../src/workspace/billing/usage-window.ts';
import { EX, named } from '../conformance/incidents-fixtures.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { mailsTo } from '../support/mailbox.ts';
import { moveClock } from '../support/move-clock.ts';
import { organizationOf, setPlanOf } from '../support/organizations.ts';
import { newAddress } from '../support/people.ts';

/** What the owner hears of allowances (docs/contract/notifications.md 6). Two pools stand for two processes. */

const WEBHOOKS = 'monthly_webhook_deliveries';
const EVENTS = 'monthly_raw_ingested_events';
const HOST = '(errors.example.test)';
const NEXT_MONTH_MS = calendarMonth(Date.now()).endMs;

let culprit: TestCulprit;
let first: Database;
let second: Database;
let client: IncidentClient;
let organizationId: string;
let email: string;

/** Starts the service of a `describe` block, whose worker has these threads. */
function useCulprit(duties: readonly ThreadDuty[]): void {
  beforeAll(async () => {
    culprit = await startCulprit({ plans: HOSTED, duties, appUrl: 'https://errors.example.test' });
    const pool = { connectionsMax: 8, connectTimeoutMs: 30_000, applicationName: 'culprit-test' };
    const open = () => openDatabase({ url: culprit.databaseUrl, ...pool });
    [first, second] = [open(), open()];
  });
  afterAll(async () => {
    await Promise.all([first?.close(), second?.close()]);
    await culprit?.stop();
  });
}

beforeEach(async () => {
  email = newAddress('owner');
  client = await connect(culprit, { email });
  organizationId = await organizationOf(culprit.database, client.project.userId);
});
afterEach(() => moveClock(culprit.database, 0));

async function take(
  count = 1,
  meter: Meter = WEBHOOKS,
  from: Database = first,
  plans: PlanSettings = HOSTED,
) {
  const allowance = await from.transaction((transaction) =>
    consumeAllowance(transaction, plans, organizationId, meter, count),
  );
  return allowance.granted;
}

/** Makes a meter of the calendar month that the clock shows read like this. */
async function setUsed(meter: string, used: number): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-set-used',
      text: `insert into usage_counters (organization_id, window_started_at, meter, used)
        values ($1, date_trunc('month', culprit_now(), 'UTC'), $2, $3)
        on conflict (organization_id, window_started_at, meter) do update set used = excluded.used`,
    },
    [organizationId, meter, used],
  );
}

/** Subjects of all messages so far, once nothing is left that is due. */
async function subjects(): Promise<string[]> {
  await culprit.drain();
  return (await mailsTo(culprit.mailDirectory, email)).map(({ subject }) => subject);
}

const NEARLY = `80 percent of your webhook deliveries are used ${HOST}`;
const USED_UP = `Your webhook deliveries are used up ${HOST}`;

describe('the owner', () => {
  useCulprit([]);

  it('is told at 80 and at 100 percent, and at nothing between and behind', async () => {
    await take(79);
    expect(await subjects()).toEqual([]);
    await take();
    expect(await subjects()).toEqual([NEARLY]);
    await take(19);
    expect(await subjects()).toEqual([NEARLY]);
    await take();
    expect(await take()).toBe(false);
    expect(await subjects()).toEqual([NEARLY, USED_UP]);
  });

  it('is told once of each, however many take at once in two processes', async () => {
    const rush = (takers: number) =>
      Promise.all(Array.from({ length: takers }, (_, n) => take(1, WEBHOOKS, n % 2 === 0 ? first : second)));
    await rush(85);
    expect(await subjects()).toEqual([NEARLY]);
    expect((await rush(40)).filter(Boolean)).toHaveLength(15);
    expect(await subjects()).toEqual([NEARLY, USED_UP]);
    expect(await countRows(culprit, 'jobs where kind = $1', [ALLOWANCE_CHECK])).toBe(0);
  });

  it('is told again in the next window', async () => {
    await take(80);
    expect(await subjects()).toEqual([NEARLY]);
    await moveClock(culprit.database, NEXT_MONTH_MS + 60_000 - Date.now());
    await take(80);
    expect(await subjects()).toEqual([NEARLY, NEARLY]);
  });

  it('is told the higher alone when one step reaches both', async () => {
    await take(100);
    expect(await subjects()).toEqual([USED_UP]);
  });

  it('is told nothing of what was rolled back', async () => {
    const failing = first.transaction(async (transaction) => {
      await consumeAllowance(transaction, HOSTED, organizationId, WEBHOOKS, 80);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await subjects()).toEqual([]);
    await take(80);
    expect(await subjects()).toEqual([NEARLY]);
  });

  it('is told nothing that is over when the worker comes back late', async () => {
    await culprit.stopWorker();
    await take(80);
    await moveClock(culprit.database, NEXT_MONTH_MS + 60_000 - Date.now());
    await culprit.startWorker();
    expect(await subjects()).toEqual([]);
  });

  it('is told when a smaller plan makes it so much, and in one window once', async () => {
    await take(90);
    expect(await subjects()).toEqual([NEARLY]);
    const planOf = (plan: 'free' | 'solo') => setPlanOf(culprit.database, client.project.userId, plan);
    await planOf('solo');
    await take(60);
    await planOf('free');
    expect(await subjects()).toEqual([NEARLY, USED_UP]);
    await planOf('solo');
    await planOf('free');
    expect(await subjects()).toEqual([NEARLY, USED_UP]);
  });

  it('is told nothing while plan limits are off, and of allowances the plan does not give', async () => {
    await take(20_000, WEBHOOKS, first, { ...SELF_HOSTED, source: 'account' });
    expect(await take(1, 'monthly_remote_activations')).toBe(false);
    expect(await countRows(culprit, 'jobs where kind = $1', [ALLOWANCE_CHECK])).toBe(0);
    expect(await subjects()).toEqual([]);
  });

  it.each([
    ['monthly_bundle_requests', 100, 'evidence builds', 'get no evidence'],
    ['monthly_alert_deliveries', 25, 'alert messages', 'alert rules send no message'],
    ['monthly_webhook_deliveries', 100, 'webhook deliveries', 'webhooks get no new deliveries'],
  ] satisfies [Meter, number, string, string][])(
    'reads of %s what happened, what changes and what to do, in both forms',
    async (meter, limit, counted, consequence) => {
      await take(limit, meter);
      await culprit.drain();
      const [mail] = await mailsTo(culprit.mailDirectory, email, `Your ${counted} are used up`);
      const until = `${new Date(NEXT_MONTH_MS).toISOString().slice(0, 10)} 00:00 UTC`;
      for (const form of [mail?.text, mail?.html]) {
        expect(form).toContain(
          `used ${limit} of the ${limit} ${counted} that its Free plan includes until ${until}`,
        );
        expect(form).toContain(consequence);
        expect(form).toContain('a larger plan or more capacity units raise the allowance immediately');
      }
    },
  );
});

describe('the owner of a project that sends many events', () => {
  useCulprit(['events', 'events', 'bundles']);

  const NEARLY_EVENTS = `80 percent of your events are used ${HOST}`;
  const EVENTS_USED_UP = `Your events are used up ${HOST}`;

  async function sendBatches(batches: number): Promise<void> {
    await Promise.all(Array.from({ length: batches }, () => client.send(EX(), named('Other'))));
    await client.processed();
  }

  it('is told once by two workers, and all events are counted', async () => {
    await setUsed(EVENTS, 590);
    await sendBatches(10);
    expect(await subjects()).toEqual([NEARLY_EVENTS]);
    await setUsed(EVENTS, 740);
    await sendBatches(10);
    expect(await subjects()).toEqual([NEARLY_EVENTS, EVENTS_USED_UP]);
    expect(
      await countRows(culprit, 'usage_counters where organization_id = $1 and used = 760', [organizationId]),
    ).toBe(1);
  });

  it('is told with the first event of a window that begins used up', async () => {
    await moveClock(culprit.database, NEXT_MONTH_MS - 60_000 - Date.now());
    await setUsed(EVENTS, 2000);
    await moveClock(culprit.database, NEXT_MONTH_MS + 60_000 - Date.now());
    await client.send(EX());
    await client.processed();
    expect(await subjects()).toEqual([EVENTS_USED_UP]);
  });

  it('is told with what the window before left over', async () => {
    await moveClock(culprit.database, NEXT_MONTH_MS - 60_000 - Date.now());
    await setUsed(EVENTS, 1250);
    await moveClock(culprit.database, NEXT_MONTH_MS + 60_000 - Date.now());
    await client.send(EX());
    await client.processed();
    expect(await subjects()).toEqual([]);
    await setUsed(EVENTS, 98);
    await client.send(EX());
    await client.processed();
    expect(await subjects()).toEqual([]);
    await client.send(EX());
    await client.processed();
    expect(await subjects()).toEqual([NEARLY_EVENTS]);
  });
});
