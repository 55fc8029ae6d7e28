// Proves 18.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimAttempts, recordFailure, recordSuccess } from '../../src/notify/webhooks/attempts.queries.ts';
import { WEBHOOKS_LANE } from '../../src/notify/webhooks/webhooks.jobs.ts';
import { insertLifecycleEvents } from '../../src/pipeline/ledger/lifecycle.queries.ts';
import { parseId } from '../../src/platform/ids.ts';
import { CLAIM_SECONDS } from '../../src/platform/row-queue/claim-statement.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startWorkerProcess } from '../support/role-process.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { type WebhookClient, webhookClient } from '../support/webhook-client.ts';
import { hang, startReceiver } from '../support/webhook-receiver.ts';

/**
 * docs/contract/reliability.md test 18 for allowances and deliveries, and what becomes of deliveries whose workers die:
 * each ledger row makes one delivery of each webhook, charged once, and a delivery is sent once unless its worker ended
 * over it.
 */

const SEED = chooseSeed();
const ROUNDS = 1000;
const WORKERS = 3;
const KILLS = 6;
const NO_WEBHOOK = '00000000-0000-0000-0000-000000000000';
const CAPACITY = { all: 64, untested: 64, slow: 64, perReceiver: 4, concurrent: 64, underWay: {} };

interface Subscribed {
  client: IncidentClient;
  webhooks: WebhookClient;
  webhookId: string;
  projectId: string;
  /** Writes ledger rows, each with a job of its own, as as many transitions would. */
  tell(rows: number): Promise<void>;
}

async function subscribe(culprit: TestCulprit, url: string): Promise<Subscribed> {
  const client = await connect(culprit, { plan: 'team' });
  await client.send(EX());
  const incidentId = parseId(['inc'], (await client.only()).incident_id) ?? '';
  await client.settled();
  const projectId = parseId(['proj'], client.project.projectId) ?? '';
  const webhooks = webhookClient(culprit, client.project);
  const { webhook } = await webhooks.create(url, { events: ['bundle.resolved'] });
  return {
    client,
    webhooks,
    webhookId: webhook.webhook_id,
    projectId,
    async tell(rows) {
      await culprit.database.transaction(async (transaction) => {
        for (let n = 0; n < rows; n += 1) {
          const event = { projectId, incidentId, kind: 'incident.resolved', data: {} } as const;
          insertLifecycleEvents(transaction, [event]);
        }
      });
    },
  };
}

async function startWorkers(culprit: TestCulprit, count: number): Promise<RoleProcess[]> {
  return await Promise.all(
    Array.from({ length: count }, () =>
      startWorkerProcess(culprit, { plans: HOSTED, duties: [], hasBackground: true }),
    ),
  );
}

async function killAll(workers: readonly RoleProcess[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.kill()));
}

async function used(culprit: TestCulprit, projectId: string): Promise<number> {
  return await readNumber(
    culprit,
    'sum(used)',
    `usage_counters where meter = 'monthly_webhook_deliveries'
      and organization_id = (select organization_id from projects where project_id = $1)`,
    [projectId],
  );
}

describe(`workers that race for deliveries (seed ${SEED})`, () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ plans: HOSTED, deliveries: { scheduleMs: [1, 1, 1, 1, 1, 1, 1, 1, 1] } });
  });
  afterAll(() => culprit.stop());

  it(`make and send each of ${ROUNDS} once, although each ledger row comes three times`, {
    timeout: 120_000,
  }, async () => {
    const receiver = await startReceiver();
    const { webhookId, projectId, tell } = await subscribe(culprit, receiver.url);
    await culprit.stopWorker();
    await tell(ROUNDS);
    await culprit.database.script(`
      insert into jobs (lane, kind, fairness_key, payload)
      select lane, kind, fairness_key, payload from jobs, generate_series(1, 2) where lane = '${WEBHOOKS_LANE}'`);
    expect(await countRows(culprit, `jobs where lane = '${WEBHOOKS_LANE}'`)).toBe(3 * ROUNDS);
    const workers = await startWorkers(culprit, WORKERS);
    try {
      await eventually(async () => {
        expect(await countRows(culprit, `jobs where lane = '${WEBHOOKS_LANE}'`)).toBe(0);
        expect(await countRows(culprit, `webhook_deliveries where status <> 'delivered'`)).toBe(0);
      }, 100_000);
    } finally {
      await killAll(workers);
      await culprit.startWorker();
    }
    const id = parseId(['whk'], webhookId);
    expect(await countRows(culprit, 'webhook_deliveries where webhook_id = $1', [id])).toBe(ROUNDS);
    expect(await used(culprit, projectId)).toBe(ROUNDS);
    expect(receiver.requests).toHaveLength(ROUNDS);
    expect(new Set(receiver.requests.map(({ headers }) => headers['x-service-delivery'])).size).toBe(ROUNDS);
    await receiver.stop();
  });

  it('never pass the allowance, however many fan out at once', { timeout: 60_000 }, async () => {
    const receiver = await startReceiver();
    const { webhookId, projectId, tell } = await subscribe(culprit, receiver.url);
    await culprit.stopWorker();
    const left = 137;
    await culprit.database.query(
      {
        name: 'test-use-deliveries',
        text: `insert into usage_counters (organization_id, window_started_at, meter, used)
          select p.organization_id, w.window_started_at, 'monthly_webhook_deliveries', 15000 - $2
          from projects p join usage_counters w using (organization_id)
          where p.project_id = $1 and w.meter = 'monthly_raw_ingested_events'`,
      },
      [projectId, left],
    );
    await tell(300);
    const workers = await startWorkers(culprit, 2);
    try {
      await eventually(async () => {
        expect(await countRows(culprit, `jobs where lane = '${WEBHOOKS_LANE}'`)).toBe(0);
      }, 50_000);
    } finally {
      await killAll(workers);
      await culprit.startWorker();
    }
    const id = parseId(['whk'], webhookId);
    expect(await countRows(culprit, 'webhook_deliveries where webhook_id = $1', [id])).toBe(left);
    expect(await used(culprit, projectId)).toBe(15_000);
    await receiver.stop();
  });

  it('repeat a delivery under its id when the worker ends between request and record', {
    timeout: 60_000,
  }, async () => {
    const receiver = await startReceiver(hang, 204);
    const { webhooks, webhookId, tell } = await subscribe(culprit, receiver.url);
    await culprit.stopWorker();
    const [doomed] = await startWorkers(culprit, 1);
    await tell(1);
    await receiver.received(1);
    await doomed?.kill();
    expect(await webhooks.deliveries(webhookId)).toMatchObject([{ status: 'pending', attempt_count: 1 }]);
    await culprit.startWorker();
    await moveClock(culprit.database, (CLAIM_SECONDS + 1) * 1000);
    const delivery = await webhooks.delivery(webhookId, { status: 'delivered', attempt_count: 2 });
    const headers = receiver.requests.map((request) => request.headers);
    expect(headers).toMatchObject([
      { 'x-service-delivery': delivery.delivery_id, 'x-service-attempt': '1' },
      { 'x-service-delivery': delivery.delivery_id, 'x-service-attempt': '2' },
    ]);
    await moveClock(culprit.database, 0);
    await receiver.stop();
  });

  it('give back what is under way when they stop', { timeout: 60_000 }, async () => {
    const receiver = await startReceiver(hang, 204);
    const { webhooks, webhookId, tell } = await subscribe(culprit, receiver.url);
    await tell(1);
    await receiver.received(1);
    await culprit.stopWorker();
    expect(await webhooks.deliveries(webhookId)).toMatchObject([{ status: 'pending', attempt_count: 1 }]);
    await culprit.startWorker();
    await webhooks.delivery(webhookId, { status: 'delivered', attempt_count: 2 });
    await receiver.stop();
  });

  it('lose nothing over random kills, and repeat only what was under way', { timeout: 120_000 }, async () => {
    const random = seededRandom(SEED);
    const receiver = await startReceiver((response) => {
      setTimeout(() => void response.writeHead(204).end(), 5);
    });
    const { webhookId, tell } = await subscribe(culprit, receiver.url);
    await culprit.stopWorker();
    const rows = 400;
    await tell(rows);
    const id = parseId(['whk'], webhookId);
    let aheadMs = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const [worker] = await startWorkers(culprit, 1);
      const goal = receiver.requests.length + random.integer(1, 40);
      await receiver.received(Math.min(goal, rows));
      await worker?.kill();
      aheadMs += (CLAIM_SECONDS + 1) * 1000;
      await moveClock(culprit.database, aheadMs);
    }
    await culprit.startWorker();
    await eventually(async () => {
      const delivered = `webhook_deliveries where webhook_id = $1 and status = 'delivered'`;
      expect(await countRows(culprit, delivered, [id])).toBe(rows);
    }, 60_000);
    const times = new Map<unknown, number>();
    for (const { headers } of receiver.requests) {
      const deliveryId = headers['x-service-delivery'];
      times.set(deliveryId, (times.get(deliveryId) ?? 0) + 1);
    }
    expect(times.size).toBe(rows);
    // A worker has at most four requests of a webhook under way.
    expect(receiver.requests.length - rows).toBeLessThanOrEqual(4 * KILLS);
    await moveClock(culprit.database, 0);
    await receiver.stop();
  });

  it('record nothing of an attempt that another has taken over', async () => {
    const { webhooks, webhookId, tell } = await subscribe(culprit, 'http://127.0.0.1:9/in');
    await culprit.stopWorker();
    await tell(1);
    await culprit.startWorker();
    await eventually(async () => expect(await webhooks.deliveries(webhookId)).toHaveLength(1));
    await culprit.stopWorker();
    const id = parseId(['whk'], webhookId);
    // Whatever its own worker did with it: as if it had just been made.
    await culprit.database.query(
      {
        name: 'test-make-due',
        text: `update webhook_deliveries set status = 'pending', attempt_count = 0, next_attempt_at = culprit_now(),
          leased_until = null where webhook_id = $1`,
      },
      [id],
    );
    const claim = async () =>
      (await claimAttempts(culprit.database, NO_WEBHOOK, CAPACITY)).attempts.filter(
        (attempt) => attempt.receiverId === id,
      );
    const both = await Promise.all([claim(), claim()]);
    const [stale] = both.flat();
    expect(both.flat()).toHaveLength(1);
    await moveClock(culprit.database, (CLAIM_SECONDS + 1) * 1000);
    const [holder] = await claim();
    if (stale === undefined || holder === undefined) throw new Error('nothing was claimed');
    expect(holder).toMatchObject({ deliveryId: stale.deliveryId, attempt: 2 });
    const failure = { responseCode: 500, error: 'http_500', waitMs: null };
    expect(await recordFailure(culprit.database, stale, failure)).toBe(false);
    expect(await recordSuccess(culprit.database, stale, 204)).toBe(false);
    expect(await recordSuccess(culprit.database, holder, 204)).toBe(true);
    expect(await webhooks.deliveries(webhookId)).toMatchObject([{ status: 'delivered', attempt_count: 2 }]);
    await moveClock(culprit.database, 0);
    await culprit.startWorker();
  });
});
