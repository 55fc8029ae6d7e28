import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { sealConfig } from '../../src/platform/secrets/sealed-address.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { EX, named } from '../conformance/incidents-fixtures.ts';
import { type AlertClient, type AlertDelivery, alertClient } from '../support/alert-client.ts';
import { readNumber } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type MailFate, type MailServer, startMailServer } from '../support/mail-server.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { newAddress } from '../support/people.ts';
import { CONTRACT_DELIVERIES } from '../support/receivers-allowed.ts';
import { hang, startReceiver } from '../support/webhook-receiver.ts';

/** Looked for every 20 ms, so that moving the clock is noticed at once. */
const RETRY_SCALE = 0.02;
const SHORT_WAITS = [1, 1, 1, 1, 1, 1, 1, 1, 1];
const ATTEMPTS_MAX = 6;
const DIGEST_MS = 10_000;
const LIMITS = {
  connectTimeoutMs: 1000,
  greetingTimeoutMs: 300,
  silenceTimeoutMs: 300,
  totalTimeoutMs: 2000,
};

interface Watched {
  client: IncidentClient;
  alerts: AlertClient;
}

async function watch(culprit: TestCulprit): Promise<Watched> {
  const client = await connect(culprit);
  return { client, alerts: alertClient(culprit, client.project) };
}

/** Many rules for new incidents at once. */
async function addRules(
  culprit: TestCulprit,
  client: IncidentClient,
  rules: readonly { channel: string; config: object }[],
): Promise<void> {
  const key = deriveKeys(culprit.dataKey).receiverAddresses;
  const rows = rules.map(({ channel, config }) => {
    const id = newUuid();
    return { id, channel, config: sealConfig(key, config, id) };
  });
  await culprit.database.query(
    {
      name: 'test-add-rules',
      text: `insert into alert_rules (alert_id, project_id, created_by_user_id, channel, condition_type,
          cooldown_seconds, config, is_enabled)
        select id, $1, gen_random_uuid(), channel, 'new_incident', 0, config, true
        from json_to_recordset($2::json) as r (id uuid, channel text, config jsonb)`,
    },
    [client.project.projectId.replace('proj_', ''), JSON.stringify(rows)],
  );
}

describe('the attempts of an alert', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ retryScale: RETRY_SCALE });
  });
  afterAll(() => culprit.stop());
  afterEach(() => moveClock(culprit.database, 0));

  it('are six, at the quick times of the contract', async () => {
    const receiver = await startReceiver(500);
    const { client, alerts } = await watch(culprit);
    await alerts.create({ channel: 'webhook', config: { target_url: receiver.url } });
    let nowMs = Date.now();
    await holdClock(culprit.database, nowMs);
    await client.send(EX());
    const [made] = await alerts.evaluated();
    // While it is under way, the end of its claim stands there, which may be the same moment.
    const next = `alert_messages where message_id = $1 and leased_until is null`;
    const clock = 'extract(epoch from max(next_attempt_at)) * 1000';
    for (const [index, waitMs] of CONTRACT_DELIVERIES.scheduleMs.slice(0, 5).entries()) {
      await holdClock(culprit.database, nowMs);
      await eventually(async () =>
        expect(await readNumber(culprit, clock, next, [made?.message_id ?? ''])).toBe(nowMs + waitMs),
      );
      await alerts.reached([{ status: 'retrying', attempt_count: index + 1, last_error: 'http_500' }]);
      nowMs += waitMs;
    }
    await holdClock(culprit.database, nowMs);
    await alerts.reached([{ status: 'failed', attempt_count: 6, last_response_code: 500 }]);
    expect(receiver.requests).toHaveLength(ATTEMPTS_MAX);
    expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
    // Rules are never switched off by failures.
    const list = await client.get(`/v1/alerts?project_id=${client.project.projectId}`);
    expect(list.body).toMatchObject({ alerts: [{ is_enabled: true }] });
    await receiver.stop();
  });

  it('end when the rule is switched off or deleted, and go to its new address', async () => {
    const [dead, alive] = await Promise.all([startReceiver(500), startReceiver()]);
    const { client, alerts } = await watch(culprit);
    const rules = await Promise.all(
      ['off', 'gone', 'moved', 'changed'].map((name) =>
        alerts.create({ channel: 'webhook', config: { target_url: `${dead.url}/${name}` } }),
      ),
    );
    const [off = '', gone = '', moved = '', changed = ''] = rules.map(({ alert_id }) => alert_id);
    await client.send(EX());
    await alerts.reached(rules.map(() => ({ status: 'retrying', attempt_count: 2 })));
    // Attempts count when they begin.
    await dead.received(8);
    await alerts.update(off, { is_enabled: false });
    await alerts.delete(gone);
    await alerts.update(moved, { channel: 'webhook', config: { target_url: alive.url } });
    await alerts.update(changed, { channel: 'discord', config: { webhook_url: alive.url } });
    for (const id of [off, gone, changed]) {
      await alerts.reached([{ status: 'failed', last_error: 'alert_disabled' }], id);
    }
    await moveClock(culprit.database, 6_000);
    await alerts.reached([{ status: 'delivered' }], moved);
    expect([dead.requests.length, alive.requests.length]).toEqual([8, 1]);
    await Promise.all([dead.stop(), alive.stop()]);
  });
});

describe('alerts to a mail server', () => {
  const fates = new Map<string, (attempt: number) => MailFate>();
  let culprit: TestCulprit;
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer({
      fate: (recipient, attempt) => fates.get(recipient)?.(attempt) ?? 'accept',
    });
    culprit = await startCulprit({
      retryScale: RETRY_SCALE,
      deliveries: { scheduleMs: SHORT_WAITS },
      mail: { transport: 'smtp', smtpUrl: new Secret(server.url), limits: LIMITS },
    });
  });
  afterAll(async () => {
    await server.stop();
    await culprit.stop();
  });
  afterEach(() => moveClock(culprit.database, 0));

  const gaveUp = { status: 'failed', last_error: 'mail_unavailable' } as const;
  const cases: readonly {
    name: string;
    fate(attempt: number): MailFate;
    ends: Partial<AlertDelivery>;
    copies: number;
  }[] = [
    ...(['defer', 'defer_body', 'hang'] as const).map((first) => ({
      name: `${first} once`,
      fate: (attempt: number) => (attempt === 1 ? first : 'accept'),
      ends: { status: 'delivered', attempt_count: 2, last_error: null } as const,
      copies: 1,
    })),
    { name: 'defer', fate: () => 'defer', ends: { ...gaveUp, attempt_count: ATTEMPTS_MAX }, copies: 0 },
    ...(['reject', 'reject_body'] as const).map((fate) => ({
      name: fate,
      fate: () => fate,
      ends: { status: 'failed', last_error: 'mail_rejected', attempt_count: 1 } as const,
      copies: 0,
    })),
    // Whether it took the message, nobody can tell: it gets it a second time and never a third.
    { name: 'drop', fate: () => 'drop_after_body', ends: { ...gaveUp, attempt_count: 2 }, copies: 2 },
    {
      name: 'drop once',
      fate: (attempt) => (attempt === 1 ? 'drop_after_body' : 'accept'),
      ends: { status: 'delivered', attempt_count: 2 },
      copies: 2,
    },
  ];

  it('that defers, hangs, rejects or drops the line leave each address with the copies it may have', async () => {
    const { client, alerts } = await watch(culprit);
    const asked: ((typeof cases)[number] & { to: string; alert_id: string })[] = [];
    for (const each of cases) {
      const to = newAddress('fate');
      fates.set(to, each.fate);
      const { alert_id } = await alerts.create({ channel: 'email', config: { to } });
      asked.push({ ...each, to, alert_id });
    }
    await client.send(EX());
    await alerts.reached(asked.map(() => ({ status: 'pending' })));
    await moveClock(culprit.database, DIGEST_MS);
    for (const { name, to, alert_id, ends, copies } of asked) {
      await alerts.reached([ends], alert_id);
      expect([name, server.received.filter((each) => each.to.includes(to)).length]).toEqual([name, copies]);
    }
    expect(await alerts.used()).toBe(asked.length);
  });

  it('that hangs on many addresses hold up nobody else, nor do receivers that hang', async () => {
    const receiver = await startReceiver();
    const silent = await startReceiver(hang);
    const stuck = await watch(culprit);
    const addresses = Array.from({ length: 24 }, () => newAddress('stuck'));
    for (const to of addresses) fates.set(to, () => 'hang');
    await addRules(culprit, stuck.client, [
      ...addresses.map((to) => ({ channel: 'email', config: { to } })),
      ...Array.from({ length: 50 }, (_, n) => ({
        channel: 'webhook',
        config: { target_url: `${silent.url}/${n}` },
      })),
    ]);
    await stuck.client.send(named('Stuck'));
    await silent.received(50);
    const { client, alerts } = await watch(culprit);
    const to = newAddress('quick');
    await alerts.create({ channel: 'email', config: { to } });
    await alerts.create({ channel: 'webhook', config: { target_url: receiver.url } });
    await client.send(EX());
    await receiver.received(1);
    await alerts.reached([{}, { status: 'delivered' }]);
    const waited = `alert_messages where project_id = $1 and channel = 'webhook'`;
    const id = client.project.projectId.replace('proj_', '');
    const seconds = 'max(extract(epoch from delivered_at - created_at))';
    expect(await readNumber(culprit, seconds, waited, [id])).toBeLessThan(5);
    await moveClock(culprit.database, DIGEST_MS);
    await eventually(() => expect(server.received.some((each) => each.to.includes(to))).toBe(true));
    await Promise.all([receiver.stop(), silent.stop()]);
  });
});

describe('alerts to a mail server that takes minutes to answer', () => {
  it('are sent once, however many leases end in the meantime', async () => {
    const answer = Promise.withResolvers<void>();
    const server = await startMailServer({ answersAfter: () => answer.promise });
    const culprit = await startCulprit({
      retryScale: RETRY_SCALE,
      mail: { transport: 'smtp', smtpUrl: new Secret(server.url) },
    });
    try {
      const { client, alerts } = await watch(culprit);
      const to = newAddress('patient');
      await alerts.create({ channel: 'email', config: { to } });
      await client.send(EX());
      await alerts.reached([{ status: 'pending' }]);
      await moveClock(culprit.database, DIGEST_MS);
      await eventually(() => expect(server.attempts.get(to)).toBe(1));
      const leftSeconds = 'extract(epoch from max(leased_until) - culprit_now())';
      const message = 'alert_messages where recipient = $1';
      for (let minutes = 0.4; minutes < 2; minutes += 0.4) {
        await moveClock(culprit.database, DIGEST_MS + minutes * 60_000);
        await eventually(async () =>
          expect(await readNumber(culprit, leftSeconds, message, [to])).toBeGreaterThan(25),
        );
      }
      answer.resolve();
      await alerts.reached([{ status: 'delivered', attempt_count: 1 }]);
      expect(server.received).toHaveLength(1);
      expect(server.attempts.get(to)).toBe(1);
    } finally {
      answer.resolve();
      await culprit.stop();
      await server.stop();
    }
  });
});

describe('alerts to names', () => {
  it('that do not resolve have a fixed error, and hold up nobody', async () => {
    const dns = await startDnsServer();
    dns.set('silent.example.com', 'silent');
    dns.set('empty.example.com', 'empty');
    const receiver = await startReceiver();
    const culprit = await startCulprit({
      retryScale: RETRY_SCALE,
      deliveries: { scheduleMs: SHORT_WAITS },
      outbound: { nameServers: [dns.address] },
    });
    try {
      const { client, alerts } = await watch(culprit);
      const hook = (target_url: string) => alerts.create({ channel: 'webhook', config: { target_url } });
      const silent = await hook('https://silent.example.com/x');
      const empty = await hook('https://empty.example.com/x');
      await hook(receiver.url);
      await client.send(EX());
      await receiver.received(1);
      await alerts.reached([{ last_error: 'dns_error' }], silent.alert_id);
      await alerts.reached(
        [
          {
            status: 'failed',
            attempt_count: ATTEMPTS_MAX,
            last_error: 'dns_error',
            last_response_code: null,
          },
        ],
        empty.alert_id,
      );
    } finally {
      await culprit.stop();
      await Promise.all([receiver.stop(), dns.close()]);
    }
  });
});
