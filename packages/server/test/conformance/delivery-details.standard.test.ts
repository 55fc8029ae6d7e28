import * as deliveries from '@culprit/contract/alerts/alert-deliveries';
import * as alerts from '@culprit/contract/alerts/alerts';
import * as webhooks from '@culprit/contract/alerts/webhooks';
import { type Client, createClient } from '@culprit/contract/endpoints/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signBody } from '../../src/notify/webhooks/signing-secret.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { alertClient } from '../support/alert-client.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { webhookClient } from '../support/webhook-client.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { EX, named } from './incidents-fixtures.ts';

/** What became of messages, and what rules would send (docs/contract/server-additions.md S14, S15). */
describe.concurrent('deliveries in detail', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ retryScale: 0.02, deliveries: { scheduleMs: [20, 20] } });
  });
  afterAll(() => culprit.stop());

  const apiOf = (project: TestProject): Client =>
    createClient({ baseUrl: culprit.url, token: project.memberToken });

  function body<Body>(result: { ok: true; body: Body } | { ok: false; status: number; error: string }): Body {
    if (!result.ok) throw new Error(`answered ${result.status} ${result.error}`);
    return result.body;
  }

  it('a webhook delivery shows its bytes, its headers and each attempt', async () => {
    const receiver = await startReceiver(500, 503, 204);
    const project = await culprit.createProject();
    const client = webhookClient(culprit, project);
    const { webhook, signing_secret: secret } = await client.create(receiver.url);
    await client.test(webhook.webhook_id);
    const { delivery_id: did } = await client.delivery(webhook.webhook_id, { status: 'delivered' });
    const params = { id: webhook.webhook_id, did };
    const detail = body(await apiOf(project).call(webhooks.getWebhookDelivery, { params }));
    const last = (await receiver.received(3)).at(-1);
    expect(detail.body).toBe(last?.body.toString('utf8'));
    expect(last?.headers).toMatchObject(detail.headers);
    expect(detail.headers['x-service-signature']).toBe(signBody(secret, Buffer.from(detail.body)));
    expect(detail.attempts.map(({ response_code: code, error }) => [code, error])).toEqual([
      [500, 'http_500'],
      [503, 'http_503'],
      [204, null],
    ]);
    expect(detail.delivery).toMatchObject({ status: 'delivered', attempt_count: 3 });
    const unknown = await apiOf(project).call(webhooks.getWebhookDelivery, {
      params: { id: webhook.webhook_id, did: newUuid() },
    });
    expect(unknown).toMatchObject({ status: 404, error: 'delivery_not_found' });
    await receiver.stop();
  });

  it('keep the latest twenty attempts', async () => {
    const receiver = await startReceiver(204);
    const project = await culprit.createProject();
    const client = webhookClient(culprit, project);
    const { webhook } = await client.create(receiver.url);
    await client.test(webhook.webhook_id);
    const { delivery_id: did } = await client.delivery(webhook.webhook_id, { status: 'delivered' });
    const params = { id: webhook.webhook_id, did };
    const before = body(await apiOf(project).call(webhooks.getWebhookDelivery, { params })).attempts;
    await culprit.database.query(
      {
        name: 'test-many-attempts',
        text: `update webhook_deliveries set attempts =
          (select jsonb_agg(jsonb_build_object('started_at', n, 'duration_ms', 1, 'response_code', 500, 'error', 'x')
            order by n) from generate_series(1, 20) as n) where delivery_id = $1`,
      },
      [did.replace('del_', '')],
    );
    await client.retry(webhook.webhook_id, did);
    await client.delivery(webhook.webhook_id, { status: 'delivered' });
    const { attempts } = body(await apiOf(project).call(webhooks.getWebhookDelivery, { params }));
    expect(before).toHaveLength(1);
    expect(attempts).toHaveLength(20);
    expect(attempts[0]?.started_at).toBe(new Date(2).toISOString());
    expect(attempts.at(-1)).toMatchObject({ response_code: 204, error: null });
    await receiver.stop();
  });

  it('of a webhook can be asked for by status', async () => {
    const receiver = await startReceiver(204);
    const project = await culprit.createProject();
    const client = webhookClient(culprit, project);
    const { webhook } = await client.create(receiver.url);
    await client.test(webhook.webhook_id);
    await client.delivery(webhook.webhook_id, { status: 'delivered' });
    const listed = async (status: webhooks.DeliveryStatus) =>
      body(
        await apiOf(project).call(webhooks.listWebhookDeliveries, {
          params: { id: webhook.webhook_id },
          query: { status },
        }),
      ).deliveries.length;
    expect(await listed('delivered')).toBe(1);
    expect(await listed('failed')).toBe(0);
    await receiver.stop();
  });

  it('are signed with the new secret as soon as it is rotated', async () => {
    const receiver = await startReceiver(204);
    const project = await culprit.createProject();
    const client = webhookClient(culprit, project);
    const { webhook, signing_secret: old } = await client.create(receiver.url);
    const params = { id: webhook.webhook_id };
    const rotated = body(await apiOf(project).call(webhooks.rotateWebhookSecret, { params }));
    expect(rotated.signing_secret).toMatch(/^svc_whsec_/);
    expect(rotated.signing_secret).not.toBe(old);
    expect(rotated.webhook.webhook_id).toBe(webhook.webhook_id);
    await client.test(webhook.webhook_id);
    const [request] = await receiver.received(1);
    expect(request?.headers['x-service-signature']).toBe(
      signBody(rotated.signing_secret, request?.body ?? Buffer.alloc(0)),
    );
    await receiver.stop();
  });

  it('of an alert rule are listed, and a test message goes the way of real ones', async () => {
    const receiver = await startReceiver(204);
    const client = await connect(culprit);
    const { project } = client;
    const rules = alertClient(culprit, project);
    const { alert_id: id } = await rules.create({ channel: 'webhook', config: { target_url: receiver.url } });
    await client.send(EX());
    const { incident_id } = await client.only();
    await receiver.received(1);
    const { delivery } = body(await apiOf(project).call(deliveries.testAlert, { params: { id } }));
    expect(delivery).toMatchObject({
      alert_id: id,
      incident_id: null,
      channel: 'webhook',
      status: 'pending',
    });
    const [, test] = await receiver.received(2);
    expect(JSON.parse(test?.body.toString() ?? '')).toMatchObject({
      type: 'alert.triggered',
      alert_id: id,
      alert_delivery_id: delivery.alert_delivery_id,
      incident: { title: 'Test of an alert rule' },
    });
    await rules.reached([{ status: 'delivered' }, { status: 'delivered' }]);
    const first = body(
      await apiOf(project).call(deliveries.listAlertDeliveries, { params: { id }, query: { limit: 1 } }),
    );
    expect(first.deliveries).toMatchObject([{ alert_delivery_id: delivery.alert_delivery_id }]);
    const rest = body(
      await apiOf(project).call(deliveries.listAlertDeliveries, {
        params: { id },
        query: { cursor: first.next_cursor ?? '' },
      }),
    );
    expect(rest).toMatchObject({
      deliveries: [{ incident_id, status: 'delivered', last_response_code: 204 }],
      next_cursor: null,
    });
    expect(await rules.used()).toBe(2);
    await rules.update(id, { is_enabled: false });
    const off = body(await apiOf(project).call(deliveries.testAlert, { params: { id } })).delivery;
    expect(off).toMatchObject({ status: 'failed', last_error: 'alert_disabled' });
    expect(await rules.used()).toBe(2);
    await receiver.stop();
  });

  it('are foretold by a preview, which sends and keeps nothing', async () => {
    const client = await connect(culprit);
    const { project } = client;
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.send(EX(named('another service')));
    await client.settled();
    const preview = async (change: object) =>
      body(
        await apiOf(project).call(alerts.previewAlert, {
          body: {
            project_id: project.projectId,
            channel: 'webhook',
            condition_type: 'new_incident',
            config: { target_url: 'http://127.0.0.1:9/' },
            days: 7,
            ...change,
          },
        }),
      );
    const all = await preview({});
    expect(all).toMatchObject({ messages: 2, held_back: 0 });
    expect(all.matches.at(-1)).toMatchObject({ incident_id, kind: 'new_incident', outcome: 'sent' });
    expect(await preview({ severity_min: 'critical' })).toEqual({ messages: 0, held_back: 0, matches: [] });
    expect(await preview({ condition_type: 'incident_regressed' })).toMatchObject({ messages: 0 });
    await client.resolve(incident_id);
    await client.send(EX());
    await client.settled();
    const held = await preview({ condition_type: 'severity_threshold', cooldown_seconds: 3600 });
    expect(held).toMatchObject({ messages: 3, held_back: 0 });
    expect(await alertClient(culprit, project).deliveries()).toEqual([]);
    const refused = await apiOf(project).call(alerts.previewAlert, {
      body: {
        project_id: project.projectId,
        channel: 'email',
        condition_type: 'new_incident',
        config: { target_url: 'http://127.0.0.1:9/' },
        days: 7,
      },
    });
    expect(refused).toMatchObject({ status: 400, error: 'invalid_payload' });
  });
});
