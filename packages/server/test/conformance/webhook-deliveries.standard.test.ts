import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { mailsTo } from '../support/mailbox.ts';
import { managementClient } from '../support/management-client.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { newAddress } from '../support/people.ts';
import { CONTRACT_DELIVERIES } from '../support/receivers-allowed.ts';
import { deliveriesRest, type WebhookClient, webhookClient } from '../support/webhook-client.ts';
import { hang, reply, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { EX } from './incidents-fixtures.ts';

// Runs on the oldest PostgreSQL too.

/** Looked for every 20 ms, so that moving the clock is noticed at once. */
const RETRY_SCALE = 0.02;
const DAY_MS = 86_400_000;

const receivers: WebhookReceiver[] = [];
async function receive(...answers: Parameters<typeof startReceiver>): Promise<WebhookReceiver> {
  const receiver = await startReceiver(...answers);
  receivers.push(receiver);
  return receiver;
}
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});

/** A project with a webhook to a receiver, for one event that a test causes by resolving. */
interface Subscribed {
  client: IncidentClient;
  webhooks: WebhookClient;
  webhookId: string;
  incidentId: string;
  email: string;
  /** Resolves the incident and reopens it, so that it can be resolved again. */
  resolve(): Promise<void>;
}

async function subscribe(culprit: TestCulprit, receiver: Pick<WebhookReceiver, 'url'>): Promise<Subscribed> {
  const email = newAddress('owner');
  const client = await connect(culprit, { email, name: 'shop' });
  const webhooks = webhookClient(culprit, client.project);
  await client.send(EX());
  const { incident_id: incidentId } = await client.only();
  const { webhook } = await webhooks.create(receiver.url, { events: ['bundle.resolved'] });
  return {
    client,
    webhooks,
    webhookId: webhook.webhook_id,
    incidentId,
    email,
    async resolve() {
      await client.post(`/v1/incidents/${incidentId}/resolve`);
      await client.reopen(incidentId);
    },
  };
}

describe('the schedule of attempts', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ retryScale: RETRY_SCALE });
  });
  afterAll(() => culprit.stop());
  afterEach(() => moveClock(culprit.database, 0));

  // N-36
  it('ten attempts at the times of the contract, then the delivery has failed', async () => {
    const receiver = await receive(500);
    const { client, webhooks, webhookId, resolve } = await subscribe(culprit, receiver);
    await client.bundle((await client.only()).incident_id);
    let nowMs = Date.now();
    await holdClock(culprit.database, nowMs);
    await resolve();
    for (const [index, waitMs] of CONTRACT_DELIVERIES.scheduleMs.entries()) {
      const delivery = await webhooks.delivery(webhookId, { status: 'retrying', attempt_count: index + 1 });
      await deliveriesRest(culprit, client.project);
      const [settled] = await webhooks.deliveries(webhookId);
      expect(settled).toMatchObject({
        last_response_code: 500,
        last_error: 'http_500',
        last_attempted_at: new Date(nowMs).toISOString(),
        next_attempt_at: new Date(nowMs + waitMs).toISOString(),
      });
      expect(delivery.delivered_at).toBeNull();
      nowMs += waitMs - 1;
      await holdClock(culprit.database, nowMs);
      expect(receiver.requests).toHaveLength(index + 1);
      nowMs += 1;
      await holdClock(culprit.database, nowMs);
    }
    await webhooks.delivery(webhookId, {
      status: 'failed',
      attempt_count: 10,
      next_attempt_at: null,
      last_response_code: 500,
      last_error: 'http_500',
    });
    expect(receiver.requests).toHaveLength(10);
  });
});

describe.concurrent('deliveries', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({
      retryScale: RETRY_SCALE,
      deliveries: { scheduleMs: [10, 10, 10, 10, 10, 10, 10, 10, 10] },
    });
  });
  afterAll(() => culprit.stop());

  // N-37
  it('a receiver that recovers gets the same bytes under the same id', async () => {
    const receiver = await startReceiver(500, 500, 204);
    const { webhooks, webhookId, resolve } = await subscribe(culprit, receiver);
    await resolve();
    const delivery = await webhooks.delivery(webhookId, { status: 'delivered' });
    expect(delivery).toMatchObject({ attempt_count: 3, last_response_code: 204, last_error: null });
    const { requests } = receiver;
    expect(new Set(requests.map(({ body }) => body.toString())).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['x-service-signature'])).size).toBe(1);
    expect(requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(requests.map(({ headers }) => headers['x-service-delivery']))).toEqual(
      new Set([delivery.delivery_id]),
    );
    await receiver.stop();
  });

  // N-38
  it('a redirect is a failure and is not followed', async () => {
    const target = await startReceiver();
    const receiver = await startReceiver(reply(302, { location: target.url }));
    const { webhooks, webhookId, resolve } = await subscribe(culprit, receiver);
    await resolve();
    await webhooks.delivery(webhookId, { status: 'failed', last_error: 'http_302', last_response_code: 302 });
    expect(target.requests).toEqual([]);
    await Promise.all([receiver.stop(), target.stop()]);
  });

  // N-39
  it('a receiver that never answers is left after its time', { timeout: 40_000 }, async () => {
    const receiver = await startReceiver(hang);
    const { webhooks, webhookId, resolve } = await subscribe(culprit, receiver);
    await resolve();
    await webhooks.delivery(webhookId, { last_error: 'timeout', last_response_code: null });
    await webhooks.update(webhookId, { is_enabled: false });
    await receiver.stop();
  });

  // N-41
  it('a delivery can be retried by hand in every state, for nothing', async () => {
    const receiver = await startReceiver(500);
    const { client, webhooks, webhookId, resolve } = await subscribe(culprit, receiver);
    await resolve();
    const failed = await webhooks.delivery(webhookId, { status: 'failed' });
    const used = await usedDeliveries(culprit, client);
    receiver.answer(204);
    const retried = await webhooks.retry(webhookId, failed.delivery_id);
    expect(retried).toMatchObject({
      delivery_id: failed.delivery_id,
      event_type: 'bundle.resolved',
      status: 'retrying',
      attempt_count: 0,
    });
    const first = await webhooks.delivery(webhookId, { status: 'delivered', attempt_count: 1 });
    expect((await webhooks.retry(webhookId, failed.delivery_id)).status).toBe('retrying');
    await eventually(async () => {
      const [again] = await webhooks.deliveries(webhookId);
      expect(again?.status).toBe('delivered');
      expect(Date.parse(again?.delivered_at ?? '')).toBeGreaterThan(Date.parse(first.delivered_at ?? ''));
    });
    expect(receiver.requests).toHaveLength(12);
    expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
    expect(await usedDeliveries(culprit, client)).toBe(used);
    await receiver.stop();
  });

  // N-42
  it('disabling ends what waits, and enabling again sends nothing of it', async () => {
    const receiver = await startReceiver(500);
    const patient = await startCulprit({ retryScale: RETRY_SCALE });
    try {
      const { client, webhooks, webhookId, resolve } = await subscribe(patient, receiver);
      await resolve();
      const waiting = await webhooks.delivery(webhookId, { status: 'retrying', attempt_count: 3 });
      await webhooks.update(webhookId, { is_enabled: false });
      await webhooks.delivery(webhookId, {
        status: 'disabled',
        last_error: 'webhook_disabled',
        next_attempt_at: null,
      });
      await resolve();
      await client.settled();
      expect(await webhooks.deliveries(webhookId)).toHaveLength(1);
      receiver.answer(204);
      expect((await webhooks.update(webhookId, { is_enabled: true })).is_enabled).toBe(true);
      await deliveriesRest(patient, client.project);
      await webhooks.delivery(webhookId, { status: 'disabled' });
      const before = receiver.requests.length;
      await webhooks.retry(webhookId, waiting.delivery_id);
      await webhooks.delivery(webhookId, { status: 'delivered', attempt_count: 1 });
      expect(receiver.requests).toHaveLength(before + 1);
    } finally {
      await patient.stop();
      await receiver.stop();
    }
  });

  it('a retry while an attempt is under way starts behind it', async () => {
    let finish: () => void = () => {};
    const receiver = await startReceiver(
      500,
      (response) => {
        finish = () => void response.writeHead(500).end();
      },
      204,
    );
    const { webhooks, webhookId, resolve } = await subscribe(culprit, receiver);
    await resolve();
    await receiver.received(2);
    const [running] = await webhooks.deliveries(webhookId);
    const retried = await webhooks.retry(webhookId, running?.delivery_id ?? '');
    expect(retried).toMatchObject({ status: 'retrying', attempt_count: 0 });
    expect(receiver.requests).toHaveLength(2);
    finish();
    await webhooks.delivery(webhookId, { status: 'delivered', attempt_count: 1 });
    expect(receiver.requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '1']);
    await receiver.stop();
  });

  it('what waits goes to a new address', async () => {
    const dead = await startReceiver(500);
    const alive = await startReceiver();
    const { webhooks, webhookId, resolve } = await subscribe(culprit, dead);
    await resolve();
    await dead.received(1);
    await webhooks.update(webhookId, { url: alive.url });
    await webhooks.delivery(webhookId, { status: 'delivered' });
    expect(alive.requests).toHaveLength(1);
    await Promise.all([dead.stop(), alive.stop()]);
  });

  it('a deleted webhook takes its deliveries with it, the waiting ones too', async () => {
    const receiver = await startReceiver(500);
    const { client, webhookId, resolve } = await subscribe(culprit, receiver);
    await resolve();
    await receiver.received(1);
    const path = `/v1/webhooks/${webhookId}`;
    expect((await managementClient(culprit, client.project.memberToken).delete(path)).status).toBe(204);
    const id = webhookId.replace('whk_', '');
    await eventually(async () =>
      expect(await countRows(culprit, 'webhook_deliveries where webhook_id = $1', [id])).toBe(0),
    );
    await receiver.stop();
  });

  it('a deleted project sends nothing more', async () => {
    const receiver = await startReceiver(500);
    const neighbour = await startReceiver(500);
    const slow = await startCulprit({ retryScale: RETRY_SCALE });
    try {
      const doomed = await subscribe(slow, receiver);
      const other = await subscribe(slow, neighbour);
      await Promise.all([doomed.resolve(), other.resolve()]);
      for (const { webhooks, webhookId } of [doomed, other]) {
        await webhooks.delivery(webhookId, { status: 'retrying', attempt_count: 3 });
      }
      await Promise.all([
        deliveriesRest(slow, doomed.client.project),
        deliveriesRest(slow, other.client.project),
      ]);
      const { projectId, memberToken } = doomed.client.project;
      expect((await managementClient(slow, memberToken).delete(`/v1/projects/${projectId}`)).status).toBe(
        200,
      );
      await moveClock(slow.database, 31_000);
      // Both were due; whoever looked has sent the other's.
      await neighbour.received(4);
      expect(receiver.requests).toHaveLength(3);
    } finally {
      await slow.stop();
      await Promise.all([receiver.stop(), neighbour.stop()]);
    }
  });
});

describe('the automatic disable', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({
      retryScale: RETRY_SCALE,
      deliveries: { scheduleMs: [1, 1, 1, 1, 1, 1, 1, 1, 1] },
    });
  });
  afterAll(() => culprit.stop());
  afterEach(() => moveClock(culprit.database, 0));

  /** Deliveries of ten failed attempts each. */
  async function fail({ client, resolve }: Subscribed, deliveries: number): Promise<void> {
    for (let n = 0; n < deliveries; n += 1) await resolve();
    await deliveriesRest(culprit, client.project);
    // The next attempt is planned a millisecond ahead, in which nothing seems to be due.
    await eventually(async () =>
      expect(await countRows(culprit, 'webhook_deliveries where next_attempt_at is not null')).toBe(0),
    );
  }

  // N-40
  it('comes with the fiftieth failure in a row a day after the first, with one mail to the owner', async () => {
    const receiver = await receive(500);
    const subscribed = await subscribe(culprit, receiver);
    const { webhooks, webhookId, email, client } = subscribed;
    await fail(subscribed, 6);
    expect(receiver.requests.length).toBe(60);
    await moveClock(culprit.database, DAY_MS - 3_600_000);
    await fail(subscribed, 1);
    // More than fifty, within 23 hours.
    expect((await webhooks.read(webhookId)).is_enabled).toBe(true);
    await moveClock(culprit.database, DAY_MS);
    await subscribed.resolve();
    await eventually(async () => expect((await webhooks.read(webhookId)).is_enabled).toBe(false));
    await webhooks.delivery(webhookId, {
      status: 'disabled',
      last_error: 'webhook_auto_disabled',
      next_attempt_at: null,
    });
    expect(receiver.requests).toHaveLength(71);
    await eventually(async () => {
      expect(await mailsTo(culprit.mailDirectory, email, 'A webhook of shop was disabled')).toHaveLength(1);
    });
    const [mail] = await mailsTo(culprit.mailDirectory, email, 'A webhook of shop was disabled');
    expect(mail?.text).toContain('127.0.0.1');
    expect(mail?.text).not.toContain('/in');
    // Written behind the commit that disabled it.
    await eventually(async () =>
      expect(await countRows(culprit, `audit_log where action = 'webhook.auto_disabled'`)).toBe(1),
    );
    // N-42: enabled again, a new streak is needed.
    await webhooks.update(webhookId, { is_enabled: true });
    await fail(subscribed, 1);
    expect((await webhooks.read(webhookId)).is_enabled).toBe(true);
    await client.settled();
  });

  // N-40
  it('does not come when one attempt in between succeeded', async () => {
    const failures = Array.from({ length: 49 }, () => 500);
    const receiver = await receive(...failures, 204, ...failures, 204);
    const subscribed = await subscribe(culprit, receiver);
    const { webhooks, webhookId } = subscribed;
    await subscribed.resolve();
    await receiver.received(1);
    await moveClock(culprit.database, DAY_MS);
    // One after the other, so that outcomes are recorded in the order of the answers.
    for (let n = 0; n < 10; n += 1) await fail(subscribed, 1);
    expect(receiver.requests.length).toBeGreaterThanOrEqual(99);
    expect((await webhooks.read(webhookId)).is_enabled).toBe(true);
  });

  it('does not count tests and manual retries', async () => {
    const receiver = await receive(500);
    const subscribed = await subscribe(culprit, receiver);
    const { webhooks, webhookId, client } = subscribed;
    for (let n = 0; n < 6; n += 1) await webhooks.test(webhookId);
    await deliveriesRest(culprit, client.project);
    await moveClock(culprit.database, 2 * DAY_MS);
    const { delivery_id } = await webhooks.delivery(webhookId, { status: 'failed' });
    await webhooks.retry(webhookId, delivery_id);
    await receiver.received(70);
    await deliveriesRest(culprit, client.project);
    expect((await webhooks.read(webhookId)).is_enabled).toBe(true);
    expect(
      await countRows(culprit, 'webhooks where failed_attempts > 0 and webhook_id = $1', [
        webhookId.replace('whk_', ''),
      ]),
    ).toBe(0);
  });
});

async function usedDeliveries(culprit: TestCulprit, client: IncidentClient): Promise<number> {
  return await countRows(
    culprit,
    `usage_counters u, generate_series(1, u.used) where u.meter = 'monthly_webhook_deliveries'
      and u.organization_id = (select organization_id from projects where project_id = $1)`,
    [client.project.projectId.replace('proj_', '')],
  );
}
