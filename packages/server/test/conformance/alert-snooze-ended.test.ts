import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertClient } from '../support/alert-client.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { DAY, EX } from './incidents-fixtures.ts';

/** docs/contract/notifications.md 1.24: rules about snoozes that end before their time. */
describe('a rule about snoozes that end early', () => {
  let culprit: TestCulprit;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    [culprit, receiver] = await Promise.all([shareCulprit(), startReceiver()]);
  });
  afterAll(async () => {
    await culprit.stop();
    await receiver.stop();
  });

  async function stage(severity_min: string | null = null) {
    const client = await connect(culprit);
    const alerts = alertClient(culprit, client.project);
    const rule = {
      channel: 'webhook',
      config: { target_url: receiver.url },
      condition_type: 'snooze_ended',
      severity_min,
    };
    const { alert_id: alertId } = await alerts.create(rule);
    await client.send(EX());
    const { incident_id: id } = await client.only();
    const until = new Date(Date.now() + DAY).toISOString();
    const snooze = async (more: object) => {
      const answer = await client.post(`/v1/incidents/${id}/snooze`, { until, ...more });
      expect(answer.status).toBe(200);
    };
    return { client, alerts, rule, alertId, id, snooze };
  }

  it('tells once what woke the incident and how much was kept silent', async () => {
    const { client, alerts, rule, alertId, id, snooze } = await stage();
    await snooze({ for_occurrences: 2 });
    await client.send(EX());
    expect(await alerts.evaluated(alertId)).toEqual([]);
    await client.send(EX());
    await client.processed();
    await client.send(EX());
    const [delivery, ...others] = await alerts.reached([{ status: 'delivered' }], alertId);
    expect(others).toEqual([]);
    expect(delivery?.dedupe_key).toMatch(/^snooze_ended:\d+$/);
    const [request] = await receiver.received(1);
    expect(JSON.parse(String(request?.body))).toMatchObject({
      condition_type: 'snooze_ended',
      lifecycle_event: 'snooze_ended',
      snooze: { because: 'occurrences', kept_silent: 2 },
    });
    const { body } = await client.get(`/v1/incidents/${id}/alert-verdicts`);
    expect(body).toMatchObject({
      verdicts: [
        { transition: 'snooze_ended', verdict: 'sent' },
        { transition: 'new_incident', verdict: 'not_this_condition' },
      ],
    });
    const preview = { project_id: client.project.projectId, ...rule, days: 1 };
    const api = managementClient(culprit, client.project.memberToken);
    expect(await api.post('/v1/alerts/preview', preview)).toMatchObject({
      status: 200,
      body: { messages: 1, matches: [{ kind: 'snooze_ended', outcome: 'sent' }] },
    });
  });

  it('tells nothing of incidents that were woken by hand or whose severity is too low', async () => {
    const low = await stage('critical');
    const { client, alerts, alertId, id, snooze } = await stage();
    await snooze({ for_occurrences: 5 });
    expect((await client.post(`/v1/incidents/${id}/wake`)).status).toBe(200);
    await low.snooze({ for_occurrences: 1 });
    await low.client.send(EX());
    await low.client.processed();
    expect(await low.client.ledger('incident.woke')).toHaveLength(1);
    expect(await low.alerts.evaluated(low.alertId)).toEqual([]);
    expect(await alerts.evaluated(alertId)).toEqual([]);
    const { body } = await client.get(`/v1/incidents/${id}/alert-verdicts`);
    expect(body).toMatchObject({ verdicts: [{ transition: 'new_incident' }] });
  });
});
