import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MonthlyMeter } from '../../src/workspace/billing/meters.ts';
import { calendarMonth } from '../../src/workspace/billing/usage-window.ts';
import { type BillingClient, billingClient } from '../support/billing-client.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { organizationOf, setPlanOf } from '../support/organizations.ts';
import { DEP, EX, LOG, MINUTE, named, SUP } from './incidents-fixtures.ts';

/**
 * What accepted events and their bundles use of a plan (docs/contract/account.md 6.4 and A-35,
 * docs/contract/incidents.md 3.9).
 */

let culprit: TestCulprit;
let client: IncidentClient;
let billing: BillingClient;

beforeAll(async () => {
  // Three threads, so that bundles of one organization are stored at the same time.
  culprit = await startCulprit({ plans: HOSTED, duties: ['events', 'bundles', 'bundles', 'bundles'] });
});
afterAll(() => culprit.stop());
beforeEach(async () => {
  client = await connect(culprit, { preset: 'investigative' });
  billing = billingClient(culprit, client.project.memberToken);
});
afterEach(() => moveClock(culprit.database, 0));

/** The start of the month after this one, by the real clock. */
const NEXT_MONTH_MS = calendarMonth(Date.now()).endMs;

/** Puts the clock this far from the next month; it goes on running. */
async function nearNextMonth(offsetMs: number): Promise<void> {
  await moveClock(culprit.database, NEXT_MONTH_MS + offsetMs - Date.now());
}

/** Makes a meter of the calendar month that the clock shows read like this. */
async function setUsed(meter: MonthlyMeter, used: number): Promise<void> {
  const organizationId = await organizationOf(culprit.database, client.project.userId);
  const { usage_window: window } = await billing.read();
  await culprit.database.query(
    {
      name: 'test-set-used',
      text: `insert into usage_counters (organization_id, window_started_at, meter, used) values ($1, $2, $3, $4)
        on conflict (organization_id, window_started_at, meter) do update set used = excluded.used`,
    },
    [organizationId, window.starts_at, meter, used],
  );
}

async function used(meter: keyof Awaited<ReturnType<BillingClient['read']>>['allowances']): Promise<number> {
  return (await billing.read()).allowances[meter].used;
}

/** Waits until this many events are counted. */
async function countsEvents(expected: number): Promise<void> {
  await client.processed();
  expect(await used('monthly_raw_ingested_events')).toBe(expected);
}

const bundleOf = async (incidentId: string) => (await client.get(`/v1/incidents/${incidentId}/bundle`)).body;
const failed = (reason: string) => ({ status: 'failed', reason });

describe('the meter of events', () => {
  //
  it('goes beyond the allowance, and the next window begins with the excess', async () => {
    await nearNextMonth(-MINUTE);
    await setUsed('monthly_raw_ingested_events', 750);
    await client.send(EX(), named('Other'));
    await countsEvents(752);
    expect((await billing.read()).allowances.monthly_raw_ingested_events).toEqual({ used: 752, limit: 750 });
    await nearNextMonth(MINUTE);
    expect(await used('monthly_raw_ingested_events')).toBe(2);
    await client.send(EX());
    await countsEvents(3);
  });

  it('counts on Free what can open incidents, and nothing else', async () => {
    await client.send(EX(), LOG('error', 'broken'), LOG('warning', 'slow'), DEP(), SUP());
    await countsEvents(2);
  });

  it('counts context too on Solo, but no summaries of suppressed errors', async () => {
    await setPlanOf(culprit.database, client.project.userId, 'solo');
    await client.send(EX(), LOG('error', 'broken'), LOG('warning', 'slow'), DEP(), SUP());
    await countsEvents(4);
  });

  it('counts a repetition once', async () => {
    const event = EX({ event_id: 'evt_repeated' });
    await client.send(event);
    await client.send(event, event);
    await countsEvents(1);
  });
});

describe('the meter of bundle generations', () => {
  it('counts the first generation and no refresh', async () => {
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    await client.send(EX());
    await client.bundle(incident_id, 2);
    expect(await used('monthly_bundle_requests')).toBe(1);
    expect(await used('retained_bundle_cap')).toBe(1);
  });

  it('lets pass exactly what is left when many bundles are made at once', async () => {
    await setUsed('monthly_bundle_requests', 97);
    await client.send(...Array.from({ length: 10 }, (_, n) => named(`Case${letters(n)}`)));
    const incidents = await client.counted(...Array<number>(10).fill(1));
    await client.settled();
    const answers = await Promise.all(incidents.map(({ incident_id }) => bundleOf(incident_id)));
    const refused = answers.filter((answer) => isFailed(answer, 'monthly_quota_exceeded'));
    expect(refused).toHaveLength(7);
    expect(await used('monthly_bundle_requests')).toBe(100);
    expect(await used('retained_bundle_cap')).toBe(3);
    expect(await client.ledger('bundle.created')).toHaveLength(3);
  });

  it('leaves stored bundles readable and refreshed when it is used up', async () => {
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    await setUsed('monthly_bundle_requests', 100);
    await client.send(EX());
    expect((await client.bundle(incident_id, 2)).signal.occurrence_count).toBe(2);
    expect(await used('monthly_bundle_requests')).toBe(100);
  });

  it('answers why there is no document, until the reset, whatever comes in', async () => {
    await nearNextMonth(-5 * MINUTE);
    await setUsed('monthly_bundle_requests', 100);
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.settled();
    await client.send(EX(), DEP({ payload: { deployed_at: new Date(NEXT_MONTH_MS - 6 * MINUTE) } }));
    await client.only(2);
    await client.settled();
    expect(await bundleOf(incident_id)).toEqual(failed('monthly_quota_exceeded'));
    const reproduction = await client.get(`/v1/incidents/${incident_id}/reproduction`);
    expect(reproduction).toMatchObject({ status: 404, body: { error: 'reproduction_not_found' } });
    expect(await client.ledger('bundle.created')).toEqual([]);
  });

  it('makes a document after the reset when somebody reads it, and is pending meanwhile', async () => {
    await nearNextMonth(-MINUTE);
    await setUsed('monthly_bundle_requests', 100);
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.settled();
    await culprit.stopWorker();
    try {
      await nearNextMonth(MINUTE);
      expect(await bundleOf(incident_id)).toEqual({ status: 'pending' });
      expect(await bundleOf(incident_id)).toEqual({ status: 'pending' });
      expect(await countRows(culprit, 'jobs where key = $1', [incident_id.replace('inc_', '')])).toBe(1);
    } finally {
      await culprit.startWorker();
    }
    expect((await client.bundle(incident_id)).metadata.generation_number).toBe(1);
    expect(await used('monthly_bundle_requests')).toBe(1);
    expect(await client.ledger('bundle.created')).toHaveLength(1);
  });

  it('makes a document after the reset when the next signal comes', async () => {
    await nearNextMonth(-MINUTE);
    await setUsed('monthly_bundle_requests', 100);
    await client.send(EX());
    await client.only();
    await client.settled();
    await nearNextMonth(MINUTE);
    await client.send(EX());
    await eventually(async () => expect(await client.ledger('bundle.created')).toHaveLength(1));
  });

  it('has room again as soon as the plan has', async () => {
    await setUsed('monthly_bundle_requests', 100);
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.settled();
    expect(await bundleOf(incident_id)).toEqual(failed('monthly_quota_exceeded'));
    await setPlanOf(culprit.database, client.project.userId, 'solo');
    await client.bundle(incident_id);
    expect((await billing.read()).allowances.monthly_bundle_requests).toEqual({ used: 101, limit: 750 });
  });

  it('counts and refuses nothing while limits are off', async () => {
    const selfHosted = await startCulprit({ plans: SELF_HOSTED });
    try {
      client = await connect(selfHosted);
      billing = billingClient(selfHosted, client.project.memberToken);
      await client.send(EX(), named('Other'));
      await client.counted(1, 1);
      await client.settled();
      expect(await used('monthly_bundle_requests')).toBe(2);
      expect(await used('monthly_raw_ingested_events')).toBe(2);
    } finally {
      await selfHosted.stop();
    }
  });
});

describe('the cap on stored bundles', () => {
  const CAP = 50;

  /** Fills the cap, oldest first, and one more in the end. */
  async function fill(count: number): Promise<void> {
    await client.send(...Array.from({ length: count }, (_, n) => named(`Case${letters(n)}`)));
    await client.counted(...Array<number>(count).fill(1));
    await client.settled();
  }

  /** The one bundle that was removed. */
  async function rotated(): Promise<string[]> {
    const found: string[] = [];
    for (const { incident_id } of await client.list()) {
      if (isFailed(await bundleOf(incident_id), 'bundle_rotated')) found.push(incident_id);
    }
    return found;
  }

  it('is exact when many bundles are stored at once', async () => {
    await fill(60);
    expect(await used('retained_bundle_cap')).toBe(CAP);
    expect(await used('monthly_bundle_requests')).toBe(60);
    expect(await rotated()).toHaveLength(10);
    expect(await countRows(culprit, 'object_tombstones where project_id = $1', [bareId()])).toBe(10);
  });

  it('removes the bundle whose last generation is the oldest', async () => {
    await client.send(named('Eldest'));
    const eldest = await client.only();
    await client.bundle(eldest.incident_id);
    await client.send(named('Second'));
    const [second] = await eventually(async () => await client.counted(1, 1));
    await client.settled();
    // The first one is the younger by its last generation now.
    await client.send(named('Eldest'));
    await client.bundle(eldest.incident_id, 2);
    await client.send(...Array.from({ length: 49 }, (_, n) => named(`Case${letters(n)}`)));
    await client.settled();
    expect(await rotated()).toEqual([second?.incident_id]);
    expect(await used('retained_bundle_cap')).toBe(CAP);
  });

  it('lets the next signal of a removed bundle build it again, counted again and with the next number', async () => {
    await client.send(named('Removed'));
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    await client.send(...Array.from({ length: CAP }, (_, n) => named(`Case${letters(n)}`)));
    await client.settled();
    expect(await bundleOf(incident_id)).toEqual(failed('bundle_rotated'));
    expect(await used('monthly_bundle_requests')).toBe(51);

    // Context alone brings it back no more than a look does.
    await client.send(DEP());
    await client.settled();
    expect(await bundleOf(incident_id)).toEqual(failed('bundle_rotated'));

    await client.send(named('Removed'));
    const again = await client.bundle(incident_id, 2);
    expect(again.metadata.generation_number).toBe(2);
    await client.settled();
    expect(await used('monthly_bundle_requests')).toBe(52);
    expect(await used('retained_bundle_cap')).toBe(CAP);
    expect(await rotated()).toHaveLength(1);
    expect(await client.ledger('bundle.created')).toHaveLength(51);
  });

  function bareId(): string {
    return client.project.projectId.replace('proj_', '');
  }
});

/** A word of letters for each number, as numbers in a message do not tell errors apart. */
function letters(n: number): string {
  return String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26));
}

function isFailed(answer: unknown, reason: string): boolean {
  return JSON.stringify(answer) === JSON.stringify(failed(reason));
}
