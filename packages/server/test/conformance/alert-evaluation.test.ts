import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { insertLifecycleEvents } from '../../src/pipeline/ledger/lifecycle.queries.ts';
import { type AlertClient, alertClient } from '../support/alert-client.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { webhookClient } from '../support/webhook-client.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { ago, DEP, EX, HOUR, MINUTE, named, OPAQUE } from './incidents-fixtures.ts';

/** Looked for every 20 ms, so that moving the clock is noticed at once. */
const RETRY_SCALE = 0.02;

let culprit: TestCulprit;
let receiver: WebhookReceiver;
beforeAll(async () => {
  [culprit, receiver] = await Promise.all([startCulprit({ retryScale: RETRY_SCALE }), startReceiver()]);
});
afterAll(async () => {
  await culprit.stop();
  await receiver.stop();
});

interface Watched {
  client: IncidentClient;
  alerts: AlertClient;
  /** A rule to a webhook, and a look at its deliveries once everything is evaluated. */
  rule(body: Parameters<AlertClient['create']>[0]): Promise<() => Promise<string[]>>;
  /** Resolves the incident of `EX`, and makes it regress. */
  regress(): Promise<void>;
}

async function watch(): Promise<Watched> {
  const client = await connect(culprit);
  const alerts = alertClient(culprit, client.project);
  return {
    client,
    alerts,
    async rule(body) {
      const { alert_id } = await alerts.create({
        channel: 'webhook',
        config: { target_url: receiver.url },
        ...body,
      });
      return async () => (await alerts.evaluated(alert_id)).map(({ dedupe_key }) => dedupe_key);
    },
    async regress() {
      const found = await client.list();
      const incident = found.find((each) => each.service_name === 'checkout-api');
      await client.resolve(incident?.incident_id ?? '');
      await client.send(EX());
      await client.processed();
    },
  };
}

describe.concurrent('which transitions satisfy a rule', () => {
  // N-18
  it('the severity filter holds for every condition', async () => {
    const { client, rule } = await watch();
    const high = await rule({ severity_min: 'high' });
    const low = await rule({ severity_min: 'low' });
    const all = await rule({});
    await client.send(OPAQUE());
    expect([await high(), await low(), await all()]).toEqual([[], ['new_incident'], ['new_incident']]);
  });

  // N-19, A-31
  it('a threshold looks at both transitions, or at the one of its scope', async () => {
    const { client, rule, regress } = await watch();
    const threshold = { condition_type: 'severity_threshold', severity_min: 'high' };
    const both = await rule(threshold);
    const opened = await rule({ ...threshold, severity_lifecycle_scope: 'new_incident' });
    const regressed = await rule({ ...threshold, severity_lifecycle_scope: 'incident_regressed' });
    await client.send(OPAQUE());
    expect(await both()).toEqual([]);
    await client.send(EX());
    expect(await both()).toEqual(['new_incident']);
    await regress();
    expect(await both()).toEqual(['new_incident', 'incident_regressed:1']);
    expect([await opened(), await regressed()]).toEqual([['new_incident'], ['incident_regressed:1']]);
  });

  it('conditions, services and switched-off rules keep apart', async () => {
    const { client, alerts, rule } = await watch();
    const opened = await rule({});
    const regressed = await rule({ condition_type: 'incident_regressed' });
    const spike = await rule({ condition_type: 'error_spike' });
    const deployed = await rule({ condition_type: 'regression_after_deploy' });
    const off = await rule({ is_enabled: false });
    const cleared = await alerts.create({ channel: 'webhook', config: { target_url: receiver.url } });
    await alerts.update(cleared.alert_id, { channel: 'webhook', config: null });
    await client.send(EX());
    const { service_id, incident_id } = await client.only();
    const here = await rule({ condition_type: 'incident_regressed', service_id });
    await client.send(EX({ service: { name: 'elsewhere' } }));
    await client.counted(1, 1);
    const elsewhere = (await client.list()).find((each) => each.incident_id !== incident_id);
    const there = await rule({
      condition_type: 'incident_regressed',
      service_id: elsewhere?.service_id ?? null,
    });
    await client.resolve(incident_id);
    await client.send(EX());
    await client.processed();
    expect(await opened()).toEqual(['new_incident', 'new_incident']);
    expect(await regressed()).toEqual(['incident_regressed:1']);
    expect(await here()).toEqual(['incident_regressed:1']);
    for (const none of [spike, deployed, off, there]) expect(await none()).toEqual([]);
    expect(await alerts.evaluated(cleared.alert_id)).toEqual([]);
  });

  it('a regression within a day of a deploy satisfies both conditions, and tells of the deploy', async () => {
    const { client, rule, regress } = await watch();
    const own = await startReceiver();
    const config = { target_url: own.url };
    const deployed = await rule({ condition_type: 'regression_after_deploy', config });
    const regressed = await rule({ condition_type: 'incident_regressed' });
    await client.send(EX(), DEP());
    await client.only();
    await regress();
    expect(await deployed()).toEqual(['regression_after_deploy:1']);
    expect(await regressed()).toEqual(['incident_regressed:1']);
    const [request] = await own.received(1);
    expect([JSON.parse(request?.body.toString() ?? '')]).toMatchObject([
      {
        lifecycle_event: 'incident_regressed',
        incident: { status: 'regressed' },
        spike: null,
        deploy: {
          version: '2026.03.24.1',
          commit_sha: 'a1b2c3d4',
          branch: 'main',
          deployed_at: expect.stringMatching(/Z$/),
          minutes_since_deploy: expect.any(Number),
        },
      },
    ]);
    await own.stop();
  });

  //
  it('a spike fires once in its episode, with its figures', async () => {
    const { client, rule } = await watch();
    const spike = await rule({ condition_type: 'error_spike' });
    for (let start = 0; start < 120; start += 40) {
      const events = Array.from({ length: 40 }, (_, n) =>
        EX({ timestamp: ago(64 * MINUTE - ((54 * MINUTE) / 119) * (start + n)) }),
      );
      await client.send(...events);
      await client.processed();
    }
    expect(await spike()).toEqual([]);
    await client.send(...Array.from({ length: 35 }, () => EX()));
    await client.send(EX());
    await client.processed();
    const [incident] = await client.list();
    expect(await spike()).toEqual([`error_spike:${incident?.spike_detected_at}`]);
    const [row] = await client.ledger('incident.spike_detected');
    expect(row?.data).toMatchObject({ severity: 'high' });
    expect(row?.data.events_5m).toBeGreaterThanOrEqual(35);
    expect(row?.data.baseline_5m).toBeCloseTo(10, 0);
    expect(row?.data.ratio).toBeCloseTo(3.6, 0);
  });

  // N-22
  it('a manual reopening, a resolution and a raised severity are silent', async () => {
    const { client, alerts, rule } = await watch();
    const webhooks = webhookClient(culprit, client.project);
    const { webhook } = await webhooks.create(receiver.url, { events: ['bundle.reopened'] });
    await client.send(EX());
    const { incident_id } = await client.only();
    for (const condition_type of ['incident_regressed', 'error_spike', 'severity_threshold']) {
      await rule({ condition_type });
    }
    await client.resolve(incident_id);
    await client.reopen(incident_id);
    await client.send(EX({ context: { severity: 'critical' } }));
    await webhooks.delivery(webhook.webhook_id, { event_type: 'bundle.reopened' });
    await client.counted(2);
    expect(await alerts.evaluated()).toEqual([]);
  });
});

describe('what comes twice', () => {
  afterEach(() => moveClock(culprit.database, 0));

  // N-20
  it('a cooldown counts from the delivery, and is over in time', async () => {
    const { rule, client, regress } = await watch();
    const cooled = await rule({ condition_type: 'incident_regressed', cooldown_seconds: 3600 });
    const every = await rule({ condition_type: 'incident_regressed' });
    await client.send(EX());
    await client.only();
    await regress();
    expect(await cooled()).toEqual(['incident_regressed:1']);
    await moveClock(culprit.database, HOUR / 2);
    await regress();
    expect(await cooled()).toEqual(['incident_regressed:1']);
    // What was held back does not prolong it.
    await moveClock(culprit.database, HOUR + MINUTE);
    await regress();
    expect(await cooled()).toEqual(['incident_regressed:1', 'incident_regressed:3']);
    expect(await every()).toEqual(['incident_regressed:1', 'incident_regressed:2', 'incident_regressed:3']);
  });

  it('opaque browser errors share a cooldown, other incidents have their own', async () => {
    const { client, rule, alerts } = await watch();
    const cooled = await rule({ cooldown_seconds: 3600 });
    await client.send(OPAQUE());
    await client.processed();
    await client.send(OPAQUE({}, { file_name: 'https://shop.example/other.js' }));
    await client.processed();
    expect(await client.list()).toHaveLength(2);
    await client.send(named('First'), named('Second'));
    expect(await cooled()).toHaveLength(3);
    const keys = (await alerts.deliveries()).map(({ notification_key }) => notification_key);
    expect(keys[0]).toMatch(/^new_incident\|opaque:window_error:[0-9a-f-]{36}:production$/);
    expect(keys[1]).toMatch(/^new_incident\|fp:[0-9a-f]{64}:[0-9a-f-]{36}:production$/);
  });

  it('a delivery that failed holds nothing up', async () => {
    const { rule, alerts, client, regress } = await watch();
    const refused = await startReceiver();
    const cooled = await rule({
      condition_type: 'incident_regressed',
      cooldown_seconds: 3600,
      config: { target_url: refused.url },
    });
    // Nobody is there any more, and the last attempt is behind it.
    await refused.stop();
    await client.send(EX());
    await client.only();
    await regress();
    await cooled();
    await alerts.reached([{ last_error: 'connection_error' }]);
    await culprit.database.query({
      name: 'test-fail-messages',
      text: `update alert_messages set status = 'failed', next_attempt_at = null where next_attempt_at is not null`,
    });
    await regress();
    expect(await cooled()).toEqual(['incident_regressed:1', 'incident_regressed:2']);
  });

  // N-21
  it('a transition that is evaluated again makes nothing', async () => {
    const { client, alerts, rule } = await watch();
    const opened = await rule({});
    await client.send(EX());
    await client.only();
    expect(await opened()).toEqual(['new_incident']);
    await culprit.database.query(
      {
        name: 'test-evaluate-again',
        text: `insert into jobs (lane, kind, fairness_key, payload)
          select 'alerts', 'alerts.evaluate', project_id, jsonb_build_object('lifecycleIds', jsonb_agg(lifecycle_id))
          from lifecycle_events where project_id = $1 and kind = 'incident.opened' group by project_id`,
      },
      [client.project.projectId.replace('proj_', '')],
    );
    expect(await opened()).toEqual(['new_incident']);
    expect(await alerts.used()).toBe(1);
  });

  it('a project without an enabled rule has no such work', async () => {
    const { client, rule, alerts } = await watch();
    const { alert_id } = await alerts.create({ channel: 'webhook', config: { target_url: receiver.url } });
    await client.send(EX());
    const incidentId = (await client.only()).incident_id.replace('inc_', '');
    const projectId = client.project.projectId.replace('proj_', '');
    await alerts.evaluated();
    const queued = () =>
      culprit.database.transaction(async (transaction) => {
        insertLifecycleEvents(transaction, [{ projectId, incidentId, kind: 'incident.opened', data: {} }]);
        const jobs = await transaction.query<{ lane: string }>(
          { name: 'test-queued', text: 'select lane from jobs where fairness_key = $1' },
          [projectId],
        );
        return jobs.filter(({ lane }) => lane === 'alerts').length;
      });
    expect(await queued()).toBe(1);
    await alerts.delete(alert_id);
    await rule({ is_enabled: false });
    await alerts.evaluated();
    expect(await queued()).toBe(0);
  });
});
