import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeThresholds } from '../../src/pipeline/incidents/thresholds/judge-thresholds.ts';
import { parseId } from '../../src/platform/ids.ts';
import { type AlertClient, alertClient } from '../support/alert-client.ts';
import { countRows } from '../support/count-rows.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { named } from './incidents-fixtures.ts';

/** docs/contract/notifications.md 1.23: rules with a query. */
describe('a rule with a query', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  interface Stage {
    client: IncidentClient;
    alerts: AlertClient;
    projectId: string;
    rule(query: string | null, more?: Record<string, unknown>): Promise<string>;
  }

  async function stage(): Promise<Stage> {
    const client = await connect(culprit);
    const alerts = alertClient(culprit, client.project);
    return {
      client,
      alerts,
      projectId: parseId(['proj'], client.project.projectId) ?? '',
      rule: async (query, more = {}) => (await alerts.create({ ...SEND, query, ...more })).alert_id,
    };
  }

  const SEND = { channel: 'webhook', config: { target_url: 'http://127.0.0.1:9/none' } };
  const tagged = (name: string, tenant: string) => ({ ...named(name), context: { tags: { tenant } } });

  /** Lets jobs that wait for tags run once tags are counted. */
  async function judged({ client, alerts, projectId }: Stage): Promise<void> {
    await client.processed();
    await eventually(async () =>
      expect(await countRows(culprit, `jobs where fairness_key = $1 and lane = 'facts'`, [projectId])).toBe(
        0,
      ),
    );
    await culprit.database.script(
      `update jobs set run_at = culprit_now() where fairness_key = '${projectId}' and kind = 'alerts.evaluate-late'`,
    );
    await alerts.evaluated();
  }

  it('sends what it matches once tags are counted, and its verdict says what it does not', async () => {
    const at = await stage();
    const { client, alerts, rule } = at;
    const all = await rule(null);
    const acme = await rule('tag.tenant:acme -type:Timeout*');
    const timeouts = await rule('type:Timeout*');
    await client.send(tagged('Cart', 'acme'), tagged('Timeout', 'acme'), tagged('Pay', 'other'));
    await judged(at);
    const sent = async (id: string) => (await alerts.deliveries(id)).length;
    expect(await sent(all)).toBe(3);
    expect(await sent(timeouts)).toBe(1);
    expect(await sent(acme)).toBe(1);
    const [other] = await client.list({ q: 'tag.tenant:other' });
    const answer = await client.get(`/v1/incidents/${other?.incident_id}/alert-verdicts`);
    expect(answer.body).toMatchObject({
      verdicts: [
        { alert_id: all, verdict: 'sent' },
        {
          alert_id: acme,
          verdict: 'query_not_matched',
          detail: 'The query does not match: tag.tenant:acme -type:Timeout*',
        },
        { alert_id: timeouts, verdict: 'query_not_matched' },
      ],
    });
  });

  it('is read, changed and cleared, and shows in a preview what it would have sent', async () => {
    const at = await stage();
    const { client, alerts, rule } = at;
    const api = managementClient(culprit, client.project.memberToken);
    await client.send(tagged('Cart', 'acme'), tagged('Pay', 'other'));
    await judged(at);
    const preview = async (query: string) =>
      await api.post('/v1/alerts/preview', {
        project_id: client.project.projectId,
        ...SEND,
        condition_type: 'new_incident',
        query,
        days: 30,
      });
    expect(await preview('tag.tenant:acme')).toMatchObject({
      status: 200,
      body: { messages: 1, matches: [{ title: expect.stringContaining('CartError') }] },
    });
    expect(await preview('tag.tenant:*')).toMatchObject({ body: { messages: 2 } });
    expect(await preview('tag.tenant:nobody')).toMatchObject({ body: { messages: 0, matches: [] } });
    const id = await rule('  severity:>=low  ');
    expect(await alerts.update(id, { name: 'Kept' })).toMatchObject({ query: 'severity:>=low' });
    expect(await alerts.update(id, { query: 'env:prod*' })).toMatchObject({ query: 'env:prod*' });
    expect(await alerts.update(id, { query: null })).toMatchObject({ query: null });
  });

  it('keeps incidents that it does not match from reaching its threshold', async () => {
    const at = await stage();
    const { client, alerts, projectId, rule } = at;
    const threshold = { condition_type: 'occurrence_threshold', threshold_count: 2, window_minutes: 60 };
    const cart = await rule('type:CartError', threshold);
    const unassigned = await rule('is:unassigned', threshold);
    await client.send(named('Cart'), named('Cart'), named('Pay'), named('Pay'));
    await judged(at);
    await culprit.database.script(
      `update projects set thresholds_checked_at = culprit_now() - interval '1 min' where project_id = '${projectId}'`,
    );
    while (await judgeThresholds(culprit.database));
    await culprit.database.script(`select from projects where project_id = '${projectId}' for update`);
    await alerts.evaluated();
    expect(await alerts.deliveries(cart)).toHaveLength(1);
    expect(await alerts.deliveries(unassigned)).toHaveLength(2);
    expect(await client.ledger('incident.threshold_reached')).toHaveLength(3);
  });

  it.each([
    ['count:>5', 'count cannot be used in an alert rule (at character 1)'],
    ['type:A user:u1', 'user cannot be used in an alert rule (at character 8)'],
    ['is:mine', 'is takes assigned or unassigned in an alert rule (at character 1)'],
    ['assignee:me', 'assignee cannot be "me" in an alert rule (at character 1)'],
    ['severity:urgent', 'severity takes low, medium, high, critical, also with >= or <= (at character 1)'],
    ['x servce:api', 'has no such filter; "service:" was probably meant (at character 3)'],
    ['a '.repeat(21), 'must have at most 20 terms'],
    ['a'.repeat(301), 'must have at most 300 characters'],
  ])('is refused as %s', async (query, words) => {
    const { client, rule, alerts } = await stage();
    const api = managementClient(culprit, client.project.memberToken);
    const body = { ...SEND, condition_type: 'new_incident', query };
    const id = await rule('type:A');
    for (const answer of [
      await api.post('/v1/alerts', { project_id: client.project.projectId, ...body }),
      await api.patch(`/v1/alerts/${id}`, { query }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
      expect(answer.headers.get('x-service-problem')).toBe(`/query: ${words}`);
    }
    expect(await alerts.update(id, { name: 'x' })).toMatchObject({ query: 'type:A' });
  });
});
