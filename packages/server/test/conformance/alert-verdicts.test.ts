import {
  type AlertVerdict,
  listAlertVerdicts,
  listRuleVerdicts,
} from '@culprit/contract/alerts/alert-verdicts';
import { createClient } from '@culprit/contract/endpoints/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertClient } from '../support/alert-client.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { expectOk } from '../support/expect-ok.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { EX } from './incidents-fixtures.ts';

/** docs/contract/notifications.md 1.21: each rule says why it sent something, or did not. */
describe('verdicts of alert rules', () => {
  let culprit: TestCulprit;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    culprit = await startCulprit({ retryScale: 0.02 });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await culprit.stop();
    await receiver.stop();
  });

  /** All verdicts of an incident or a rule, read in pages of that many. */
  const verdictsOf = async (client: IncidentClient, id: string, limit = 100): Promise<AlertVerdict[]> => {
    const api = createClient({ baseUrl: culprit.url, token: client.project.memberToken });
    const endpoint = id.startsWith('alt_') ? listRuleVerdicts : listAlertVerdicts;
    const read: AlertVerdict[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
      const page = expectOk(await api.call(endpoint, { params: { id }, query }));
      expect(page.verdicts.length).toBeLessThanOrEqual(limit);
      read.push(...page.verdicts);
      cursor = page.next_cursor;
    }
    return read;
  };
  /** The verdicts of one transition, in the order of the rules. */
  const words = async (client: IncidentClient, id: string, transition: string) =>
    (await verdictsOf(client, id)).flatMap((each) => (each.transition === transition ? [each.verdict] : []));

  it('name the first reason, one for each rule and transition', async () => {
    const client = await connect(culprit);
    const alerts = alertClient(culprit, client.project);
    const to = (path: string) => ({ channel: 'webhook', config: { target_url: `${receiver.url}/${path}` } });
    const rules = [
      { ...to('a') },
      { ...to('a') },
      { ...to('b'), is_enabled: false },
      { ...to('c'), condition_type: 'error_spike' },
      { ...to('d'), services: ['other'] },
      { ...to('e'), environments: ['staging'] },
      { ...to('f'), severity_min: 'critical' },
      { ...to('g'), condition_type: 'severity_threshold', cooldown_seconds: 3600, name: 'Both' },
      { ...to('h'), condition_type: 'incident_regressed' },
    ];
    const made = [];
    for (const rule of rules) made.push(await alerts.create(rule));
    await client.send(EX());
    await alerts.evaluated();
    const { incident_id: id } = await client.only();
    const opened = [
      'sent',
      'joined',
      'disabled',
      'not_this_condition',
      'other_service',
      'other_environment',
      'below_severity',
      'sent',
      'not_this_condition',
    ];
    expect(await words(client, id, 'new_incident')).toEqual(opened);
    const verdicts = await verdictsOf(client, id);
    expect(verdicts).toHaveLength(rules.length);
    expect(verdicts[6]?.detail).toBe('The severity was high; the rule needs critical or above.');
    expect(verdicts[7]).toMatchObject({ alert_name: 'Both', alert_delivery_id: expect.any(String) });
    expect(new Set(verdicts.map(({ alert_id }) => alert_id)).size).toBe(rules.length);

    // The rule of both transitions has a word of its own for each, so that its cooldown does not hold the second.
    await client.resolve(id);
    await client.send(EX());
    await alerts.evaluated();
    expect((await words(client, id, 'incident_regressed')).slice(7)).toEqual(['sent', 'sent']);
    await client.resolve(id);
    await client.send(EX());
    await alerts.evaluated();
    const last = (await verdictsOf(client, id)).slice(0, rules.length);
    expect(last[7]).toMatchObject({
      verdict: 'cooldown',
      detail: expect.stringMatching(/cooldown is 60 min/),
    });

    await alerts.create(to('i'));
    await alerts.update(made[6]?.alert_id ?? '', { severity_min: 'low' });
    const later = await verdictsOf(client, id);
    expect(later).toHaveLength(3 * (rules.length + 1));
    expect(later.slice(-4).map(({ verdict }) => verdict)).toEqual([
      'changed_since',
      'sent',
      'not_this_condition',
      'created_later',
    ]);

    // Pages have each verdict once, also where one ends within a transition.
    expect(await verdictsOf(client, id, 7)).toEqual(later);
    for (const { alert_id } of made) {
      const own = await verdictsOf(client, alert_id, 2);
      expect(own).toEqual(later.filter((each) => each.alert_id === alert_id));
      expect(own.map(({ incident_id }) => incident_id)).toEqual([id, id, id]);
    }

    // Messages are removed after 30 days, and what was sent then is not known.
    const age = async (days: number) =>
      await culprit.database.query(
        {
          name: 'test-old-transitions',
          text: `update lifecycle_events set occurred_at = occurred_at - make_interval(days => $2) where incident_id = $1`,
        },
        [id.slice('inc_'.length), days],
      );
    await age(29);
    expect(await verdictsOf(client, id)).toHaveLength(later.length);
    await age(1);
    expect(await verdictsOf(client, id)).toEqual([]);
    expect(await verdictsOf(client, made[0]?.alert_id ?? '')).toEqual([]);
    const api = managementClient(culprit, client.project.memberToken);
    for (const cursor of ['x', `2026-03-24T10:30:00.000Z|0|${made[0]?.alert_id}`]) {
      const query = `?cursor=${encodeURIComponent(cursor)}`;
      expect(await api.get(`/v1/alerts/${made[0]?.alert_id}/verdicts${query}`)).toMatchObject({
        status: 400,
      });
    }
  });

  it('of a snoozed incident say that it was snoozed, also when it is awake again', async () => {
    const client = await connect(culprit);
    const alerts = alertClient(culprit, client.project);
    await client.send(EX());
    const { incident_id: id } = await client.only();
    await alerts.create({
      channel: 'webhook',
      condition_type: 'error_spike',
      config: { target_url: receiver.url },
    });
    const api = managementClient(culprit, client.project.memberToken);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    expect(await api.post(`/v1/incidents/${id}/snooze`, { until, wakes_on_escalation: false })).toMatchObject(
      {
        status: 200,
      },
    );
    await culprit.database.query(
      {
        name: 'test-spike-row',
        text: `insert into lifecycle_events (project_id, incident_id, kind, data)
          select project_id, incident_id, 'incident.spike_detected', '{}' from incidents where incident_id = $1`,
      },
      [id.slice('inc_'.length)],
    );
    expect(await api.post(`/v1/incidents/${id}/wake`)).toMatchObject({ status: 200 });
    expect(await words(client, id, 'error_spike')).toEqual(['snoozed']);
    expect(await words(client, id, 'new_incident')).toEqual(['created_later']);
  });
});
