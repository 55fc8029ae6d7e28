// Proves 14, 15.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX } from '../conformance/incidents-fixtures.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type WebhookClient, webhookClient } from '../support/webhook-client.ts';
import {
  hang,
  type ReceiverAnswer,
  reply,
  reset,
  startReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';

/**
 * docs/contract/reliability.md tests 14 and 15: receivers in every kind of trouble get and cause what the contract
 * says.
 */

const SCHEDULE_MS = [5, 5, 5, 5, 5, 5, 5, 5, 5];

interface Subscribed {
  client: IncidentClient;
  webhooks: WebhookClient;
  webhookId: string;
  resolve(): Promise<void>;
}

async function subscribe(culprit: TestCulprit, url: string): Promise<Subscribed> {
  const client = await connect(culprit);
  await client.send(EX());
  const { incident_id } = await client.only();
  const webhooks = webhookClient(culprit, client.project);
  const { webhook } = await webhooks.create(url, { events: ['bundle.resolved'] });
  return {
    client,
    webhooks,
    webhookId: webhook.webhook_id,
    async resolve() {
      await client.post(`/v1/incidents/${incident_id}/resolve`);
      await client.reopen(incident_id);
    },
  };
}

describe.concurrent('a receiver in trouble', () => {
  let culprit: TestCulprit;
  let dns: DnsServer;
  beforeAll(async () => {
    dns = await startDnsServer();
    culprit = await startCulprit({
      retryScale: 0.02,
      deliveries: { scheduleMs: SCHEDULE_MS },
      outbound: { nameServers: [dns.address] },
    });
  });
  afterAll(async () => {
    await culprit.stop();
    await dns.close();
  });

  const failing: readonly [string, ReceiverAnswer, string, number | null][] = [
    ['that answers 500', 500, 'http_500', 500],
    ['that answers 404', 404, 'http_404', 404],
    ['that sends away', reply(301, { location: 'http://127.0.0.1:9/' }), 'http_301', 301],
    ['that answers 304', 304, 'http_304', 304],
    ['that cuts the connection', reset, 'connection_error', null],
    [
      'that talks nonsense',
      (response) => void response.socket?.end('what?\r\n\r\n'),
      'invalid_response',
      null,
    ],
  ];
  it.each(failing)('%s fails ten times', async (_name, answer, lastError, lastResponseCode) => {
    const receiver = await startReceiver(answer);
    const { webhooks, webhookId, resolve } = await subscribe(culprit, receiver.url);
    await resolve();
    await webhooks.delivery(webhookId, {
      status: 'failed',
      attempt_count: 10,
      last_error: lastError,
      last_response_code: lastResponseCode,
    });
    expect(receiver.requests).toHaveLength(10);
    await receiver.stop();
  });

  const succeeding: readonly [string, ReceiverAnswer, number][] = [
    ['with a body', reply(200, {}, 'thanks'), 200],
    ['that answers 299', 299, 299],
    [
      'with endless headers',
      (response) => {
        response.socket?.write('HTTP/1.1 200 OK\r\n');
        for (let n = 0; n < 2000; n += 1) response.socket?.write(`x-${n}: ${'y'.repeat(50)}\r\n`);
      },
      200,
    ],
    [
      'with a body without end',
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
        response.on('close', () => clearInterval(timer));
      },
      200,
    ],
  ];
  it.each(succeeding)('%s has got it', async (_name, answer, code) => {
    const receiver = await startReceiver(answer);
    const { webhooks, webhookId, resolve } = await subscribe(culprit, receiver.url);
    await resolve();
    await webhooks.delivery(webhookId, { status: 'delivered', attempt_count: 1, last_response_code: code });
    expect(receiver.requests).toHaveLength(1);
    await receiver.stop();
  });

  it('that is not there at all fails ten times', async () => {
    const receiver = await startReceiver();
    await receiver.stop();
    const { webhooks, webhookId, resolve } = await subscribe(culprit, receiver.url);
    await resolve();
    await webhooks.delivery(webhookId, {
      status: 'failed',
      attempt_count: 10,
      last_error: 'connection_error',
      last_response_code: null,
    });
  });

  it('that flaps gets everything in the end, each with one id and one body', async () => {
    // Counted for each delivery: one that met every refusal among many would rightly fail after its ten attempts.
    const attempts = new Map<string, number>();
    const receiver = await startReceiver((response, { headers }) => {
      const delivery = String(headers['x-service-delivery']);
      const attempt = (attempts.get(delivery) ?? 0) + 1;
      attempts.set(delivery, attempt);
      response.writeHead(attempt % 3 === 0 ? 204 : 503).end();
    });
    const { webhooks, webhookId, resolve } = await subscribe(culprit, receiver.url);
    for (let n = 0; n < 10; n += 1) await resolve();
    await eventually(async () => {
      const deliveries = await webhooks.deliveries(webhookId);
      expect(deliveries.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'delivered'));
    });
    const bodies = new Map(
      receiver.requests.map(({ headers, body }) => [String(headers['x-service-delivery']), body.toString()]),
    );
    expect(bodies.size).toBe(10);
    expect([...attempts.values()]).toEqual(Array.from({ length: 10 }, () => 3));
    for (const { headers, body } of receiver.requests) {
      expect(body.toString()).toBe(bodies.get(String(headers['x-service-delivery'])));
    }
    expect(receiver.parallelMax()).toBeLessThanOrEqual(4);
  });

  // N-44
  it('whose name leads inside when it is called gets nothing, and is not asked again', async () => {
    const names: readonly [string, readonly string[]][] = [
      ['rebound.example.com', ['127.0.0.1']],
      ['mixed.example.com', ['93.184.216.34', '127.0.0.1']],
    ];
    for (const [name, addresses] of names) {
      dns.set(name, { addresses });
      const { webhooks, webhookId, resolve } = await subscribe(culprit, `https://${name}/in`);
      await resolve();
      await webhooks.delivery(webhookId, {
        status: 'failed',
        attempt_count: 1,
        last_error: 'target_blocked',
        last_response_code: null,
      });
    }
  });

  it('whose name nobody knows fails with the word for it', async () => {
    const { webhooks, webhookId, resolve } = await subscribe(culprit, 'https://nowhere.example.com/in');
    await resolve();
    await webhooks.delivery(webhookId, { status: 'failed', attempt_count: 10, last_error: 'dns_error' });
  });
});

describe('an allow-listed receiver', () => {
  // N-45
  it('is reached from an installation on the internet, and its neighbours are not', async () => {
    const receiver = await startReceiver();
    const port = Number(new URL(receiver.url).port);
    const culprit = await startCulprit({
      baseUrl: 'https://errors.example.test',
      outbound: { allowlist: [{ kind: 'range', address: '127.0.0.1', prefixBits: 32, port }] },
    });
    try {
      const { client, webhooks, webhookId, resolve } = await subscribe(culprit, receiver.url);
      await resolve();
      await webhooks.delivery(webhookId, { status: 'delivered' });
      for (const url of [`http://127.0.0.1:${port + 1}/in`, 'http://169.254.169.254/']) {
        const body = { project_id: client.project.projectId, url, events: ['bundle.created'] };
        expect(await client.post('/v1/webhooks', body)).toMatchObject({
          status: 400,
          body: { error: 'blocked_target' },
        });
      }
    } finally {
      await culprit.stop();
      await receiver.stop();
    }
  });
});

describe('fifty receivers that hang', () => {
  const HANGING = 50;
  const GOOD = 5;
  const EVENTS = 60;
  let culprit: TestCulprit;
  const receivers: WebhookReceiver[] = [];
  beforeAll(async () => {
    culprit = await startCulprit();
  });
  afterAll(async () => {
    // First the receivers, so that no request under way holds up the stop.
    await Promise.all(receivers.map((receiver) => receiver.stop()));
    await culprit.stop();
  });

  it('hold up no other: these get everything while most of theirs waits', { timeout: 90_000 }, async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id } = await client.only();
    const webhooks = webhookClient(culprit, client.project);
    const events = ['bundle.resolved' as const];
    for (let n = 0; n < HANGING; n += 1) {
      const receiver = await startReceiver(hang);
      receivers.push(receiver);
      await webhooks.create(receiver.url, { events });
    }
    const good: WebhookReceiver[] = [];
    for (let n = 0; n < GOOD; n += 1) good.push(await startReceiver());
    receivers.push(...good);
    for (const receiver of good) await webhooks.create(receiver.url, { events });

    for (let n = 0; n < EVENTS; n += 1) {
      await client.post(`/v1/incidents/${incident_id}/resolve`);
      await client.reopen(incident_id);
      // Long enough that the first requests to hang are given up, and asked for again, while others wait.
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    for (const receiver of good) await receiver.received(EVENTS);
    // Each request to them hangs for ten seconds: what waited behind them all would come minutes later.
    for (const receiver of receivers.slice(0, HANGING))
      expect(receiver.requests.length).toBeLessThan(EVENTS / 2);
    for (const receiver of receivers) expect(receiver.parallelMax()).toBeLessThanOrEqual(4);
  });
});
