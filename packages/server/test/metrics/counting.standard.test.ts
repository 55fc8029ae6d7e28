import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { buildShop } from '../support/built-shop.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { whileLocked } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { type MetricsPage, scrape } from '../support/metrics-client.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { deliveriesRest, webhookClient } from '../support/webhook-client.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** The numbers that the service tells about itself, on real work. */

const WORKER = { role: 'worker' };
/** Every label there may be: words of this program and of its runtime. */
const LABELS = [
  ...['role', 'le', 'fate', 'lane', 'pool', 'state', 'kind', 'outcome', 'operation', 'to', 'step', 'verdict'],
  ...['type', 'space', 'version', 'major', 'minor', 'patch', 'protocol'],
];
const SERVICE = 'checkout-of-somebody';

let culprit: TestCulprit;
let proxy: TcpProxy;
let client: IncidentClient;
let receiver: WebhookReceiver;
beforeAll(async () => {
  proxy = await startTcpProxy(await createTestDatabase());
  culprit = await startCulprit({ databaseUrl: proxy.url });
  client = await connect(culprit, { email: 'ada@example.test', name: 'shop' });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.stop();
  await culprit.stop();
  await proxy.close();
});

/** What a change adds to a metric, once it is there. */
async function growth(name: string, labels: Readonly<Record<string, string>>, before: MetricsPage) {
  return (await scrape(culprit.url)).value(name, labels) - before.value(name, labels);
}

async function expectGrowth(
  before: MetricsPage,
  expected: readonly [name: string, labels: Readonly<Record<string, string>>, added: number][],
): Promise<void> {
  await eventually(async () => {
    for (const [name, labels, added] of expected) {
      expect([name, labels, await growth(name, { ...WORKER, ...labels }, before)]).toEqual([
        name,
        labels,
        added,
      ]);
    }
  });
}

describe('the metrics', () => {
  it('count what was accepted, each fate, and how long the way to the incident took', async () => {
    const before = await scrape(culprit.url);
    const eventId = newUuid();
    const once = EX({ event_id: eventId });
    const answer = acknowledgement(
      await sendEvents(culprit.url, client.project.projectToken, [once, EX(), { not: 'an event' }]),
    );
    expect(answer.accepted).toBe(2);
    await culprit.drain();
    acknowledgement(await sendEvents(culprit.url, client.project.projectToken, [once]));
    await culprit.drain();
    await expectGrowth(before, [
      ['culprit_events_accepted_total', {}, 3],
      ['culprit_event_fates_total', { fate: 'submitted' }, 4],
      ['culprit_event_fates_total', { fate: 'processed' }, 2],
      ['culprit_event_fates_total', { fate: 'duplicate' }, 1],
      ['culprit_event_fates_total', { fate: 'invalid' }, 1],
      ['culprit_event_fates_total', { fate: 'dead_letter' }, 0],
      ['culprit_event_to_incident_seconds_count', {}, 2],
      ['culprit_object_store_failures_total', { operation: 'append' }, 0],
      ['culprit_object_store_failures_total', { operation: 'put' }, 0],
    ]);
    const after = await scrape(culprit.url);
    // Files that ran before in this process have added to the sum.
    const sum = 'culprit_event_to_incident_seconds_sum';
    const seconds = after.value(sum, WORKER) - before.value(sum, WORKER);
    expect(seconds).toBeGreaterThan(0);
    // Of two events: not milliseconds, and not times of day.
    expect(seconds).toBeLessThan(2 * 120);
    for (const operation of ['append', 'put']) {
      const count = after.value('culprit_object_store_seconds_count', { ...WORKER, operation });
      expect([operation, count > 0]).toEqual([operation, true]);
    }
    expect(
      after.value('culprit_database_pool_connections', {
        ...WORKER,
        pool: 'culprit-worker-events',
        state: 'idle',
      }) +
        after.value('culprit_database_pool_connections', {
          ...WORKER,
          pool: 'culprit-worker-events',
          state: 'used',
        }),
    ).toBeGreaterThan(0);
  });

  it('count frames by what source maps made of them, and maps by their verdicts', async () => {
    const shop = await buildShop('metrics');
    const before = await scrape(culprit.url);
    await uploadMaps(culprit, client.project, [shop]);
    const address = 'https://shop.example/assets/index.js';
    const { line, column } = shop.place('price.amount');
    const other = 'https://shop.example/other.js';
    await client.send({
      ...EX(),
      event_type: 'frontend_exception',
      payload: {
        ...{ name: 'E', message: 'mapped' },
        stack: `E: mapped\n    at e (${address}:${line}:${column})\n    at f (${other}:1:1)`,
        debug_ids: { [address]: shop.debugId, [other]: crypto.randomUUID() },
      },
    });
    await culprit.drain();
    await expectGrowth(before, [
      ['culprit_map_frames_total', { outcome: 'mapped' }, 1],
      ['culprit_map_frames_total', { outcome: 'no_map_for_debug_id' }, 1],
      ['culprit_map_frames_total', { outcome: 'file_differs' }, 0],
      ['culprit_map_read_seconds_count', { verdict: 'ready' }, 1],
    ]);
    const after = await scrape(culprit.url);
    expect(after.value('culprit_map_cache_bytes', WORKER)).toBeGreaterThan(0);
    expect(after.value('culprit_map_lookup_seconds_count', WORKER)).toBeGreaterThan(0);
  });

  it('count sends by what came of them, and how long the way to the webhook took', async () => {
    const other = await connect(culprit, { email: 'bob@example.test', name: 'other' });
    const webhooks = webhookClient(culprit, other.project);
    const { webhook } = await webhooks.create(receiver.url, { events: ['bundle.created'] });
    const before = await scrape(culprit.url);
    receiver.answer(503, 204);
    await webhooks.test(webhook.webhook_id);
    await webhooks.delivery(webhook.webhook_id, { status: 'delivered' });
    await expectGrowth(before, [
      ['culprit_sends_total', { kind: 'webhook', outcome: 'http_5xx' }, 1],
      ['culprit_sends_total', { kind: 'webhook', outcome: 'delivered' }, 1],
      ['culprit_event_to_webhook_seconds_count', {}, 0],
    ]);
    await other.send(EX());
    await culprit.drain();
    await deliveriesRest(culprit, other.project);
    await expectGrowth(before, [
      ['culprit_sends_total', { kind: 'webhook', outcome: 'delivered' }, 2],
      ['culprit_event_to_webhook_seconds_count', {}, 1],
    ]);
    expect((await scrape(culprit.url)).value('culprit_event_to_webhook_seconds_sum', WORKER)).toBeLessThan(
      20,
    );
  });

  it('count mail', async () => {
    const before = await scrape(culprit.url);
    await culprit.signIn('carol@example.test');
    await expectGrowth(before, [['culprit_sends_total', { kind: 'mail', outcome: 'delivered' }, 1]]);
  });

  it('tell how much waits and since when, what is parked, and how old the oldest transaction is', async () => {
    await culprit.stopWorker();
    acknowledgement(await sendEvents(culprit.url, client.project.projectToken, [EX()]));
    await culprit.database.query(
      {
        name: 'test-dead-letter',
        text: `insert into dead_letters (project_id, batch_id, position, reason, attempts)
          values (gen_random_uuid(), gen_random_uuid(), 0, 'a reason of ada@example.test', 8)`,
      },
      [],
    );
    await whileLocked(culprit, 'lock table rate_windows in share mode', () =>
      eventually(async () => {
        const page = await scrape(culprit.url);
        expect(page.value('culprit_database_up')).toBe(1);
        expect(page.value('culprit_queue_length', { lane: 'events' })).toBe(1);
        expect(page.value('culprit_queue_due', { lane: 'events' })).toBe(1);
        expect(page.value('culprit_queue_oldest_due_seconds', { lane: 'events' })).toBeGreaterThan(0.5);
        expect(page.value('culprit_dead_letters')).toBe(1);
        expect(page.value('culprit_database_oldest_transaction_seconds')).toBeGreaterThan(0.5);
        expect(page.text).toMatch(/^culprit_queue_dead_rows \d+$/m);
      }),
    );
    expect((await scrape(culprit.url)).value('culprit_up', WORKER)).toBe(0);
    await culprit.startWorker();
    await eventually(async () => {
      const page = await scrape(culprit.url);
      expect(page.value('culprit_queue_due', { lane: 'events' })).toBe(0);
      expect(page.value('culprit_up', WORKER)).toBe(1);
    });
  });

  it('name no project, person, service or token, whatever was sent', async () => {
    const hostile = EX({ service: { name: SERVICE, environment: 'prod"} 1\nplanted_total 7' } });
    acknowledgement(await sendEvents(culprit.url, client.project.projectToken, [hostile]));
    await culprit.drain();
    const { text, samples } = await scrape(culprit.url);
    for (const sample of samples) {
      expect(LABELS).toEqual(expect.arrayContaining(Object.keys(sample.labels)));
    }
    for (const planted of [
      ...[SERVICE, 'planted', 'example.test', '127.0.0.1'],
      ...[client.project.projectId, client.project.projectToken, client.project.memberToken],
      client.project.projectId.replace(/^proj_/, ''),
    ]) {
      expect(text).not.toContain(planted);
    }
  });

  it.each([
    ['refuses connections', () => proxy.refuse()],
    ['hangs', async () => proxy.hang()],
  ])(
    'are told while the database %s, without what only it knows',
    { timeout: 60_000 },
    async (_what, begin) => {
      await begin();
      try {
        await eventually(async () => {
          const page = await scrape(culprit.url);
          expect(page.status).toBe(200);
          expect(page.value('culprit_database_up')).toBe(0);
          expect(page.text).toMatch(/^culprit_database_up 0$/m);
          expect(page.text).not.toContain('culprit_queue_length');
          expect(page.value('culprit_events_accepted_total', WORKER)).toBeGreaterThan(0);
        });
      } finally {
        await proxy.mend();
      }
      await eventually(async () => expect((await scrape(culprit.url)).value('culprit_database_up')).toBe(1));
    },
  );
});
