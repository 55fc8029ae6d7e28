import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNumber } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { deliveriesRest, webhookClient } from '../support/webhook-client.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { named } from './incidents-fixtures.ts';

const MONTH_MS = 32 * 86_400_000;

describe('the monthly allowance of webhook deliveries', () => {
  let culprit: TestCulprit;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    [culprit, receiver] = await Promise.all([startCulprit({ plans: HOSTED }), startReceiver()]);
  });
  afterAll(async () => {
    await culprit.stop();
    await receiver.stop();
  });

  async function use(project: TestProject, deliveries: number): Promise<void> {
    await culprit.database.query(
      {
        name: 'test-use-deliveries',
        text: `insert into usage_counters (organization_id, window_started_at, meter, used)
          select organization_id, date_trunc('month', culprit_now(), 'UTC'), 'monthly_webhook_deliveries', $2
          from projects where project_id = $1
          on conflict (organization_id, window_started_at, meter) do update set used = excluded.used`,
      },
      [project.projectId.replace('proj_', ''), deliveries],
    );
  }

  async function used(project: TestProject): Promise<number> {
    return await readNumber(
      culprit,
      'sum(used)',
      `usage_counters where meter = 'monthly_webhook_deliveries'
        and organization_id = (select organization_id from projects where project_id = $1)`,
      [project.projectId.replace('proj_', '')],
    );
  }

  // N-34 and N-35
  it('used up refuses tests, makes no deliveries, and makes up for none', async () => {
    const client = await connect(culprit, { plan: 'free' });
    const { project } = client;
    const webhooks = webhookClient(culprit, project);
    const { webhook } = await webhooks.create(receiver.url, { events: ['bundle.resolved'] });
    await client.send(named('Alpha'));
    const { incident_id } = await client.only();
    await client.settled();
    await use(project, 99);
    await webhooks.test(webhook.webhook_id);
    expect(await used(project)).toBe(100);
    const answer = await managementClient(culprit, project.memberToken).post(
      `/v1/webhooks/${webhook.webhook_id}/test`,
    );
    expectProblem(answer, 429, 'monthly_quota_exceeded');
    const seconds = Number(answer.headers.get('retry-after'));
    expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 2_678_400).toBe(true);
    await client.resolve(incident_id);
    await client.settled();
    expect(await webhooks.deliveries(webhook.webhook_id)).toHaveLength(1);
    await moveClock(culprit.database, MONTH_MS);
    await client.reopen(incident_id);
    await deliveriesRest(culprit, project);
    expect(await webhooks.deliveries(webhook.webhook_id)).toHaveLength(1);
    await client.resolve(incident_id);
    await deliveriesRest(culprit, project);
    expect(await webhooks.deliveries(webhook.webhook_id)).toHaveLength(2);
    await moveClock(culprit.database, 0);
  });

  it('what is left goes to the earliest deliveries, exactly', async () => {
    const client = await connect(culprit, { plan: 'free' });
    const { project } = client;
    const webhooks = webhookClient(culprit, project);
    const created = [];
    for (let n = 0; n < 3; n += 1) {
      created.push((await webhooks.create(receiver.url, { events: ['bundle.resolved'] })).webhook.webhook_id);
    }
    await client.send(named('Alpha'), named('Beta'), named('Gamma'));
    const incidents = await client.counted(1, 1, 1);
    await client.settled();
    await use(project, 95);
    const incident_ids = incidents.map((incident) => incident.incident_id);
    await client.post('/v1/incidents/resolve', { incident_ids });
    await deliveriesRest(culprit, project);
    const counts = await Promise.all(created.map(async (id) => (await webhooks.deliveries(id)).length));
    // Nine were wanted and five were left: three for the first event, two for the second.
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5);
    expect([...counts].sort()).toEqual([1, 2, 2]);
    expect(await used(project)).toBe(100);
  });
});
