import { listRuleVerdicts } from '@culprit/contract/alerts/alert-verdicts';
import { createClient } from '@culprit/contract/endpoints/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertClient } from '../support/alert-client.ts';
import { setPlan } from '../support/collaborators.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { expectOk } from '../support/expect-ok.ts';
import { connect } from '../support/incident-client.ts';
import { newChannel, slackAppOf, slackClient } from '../support/slack-client.ts';
import { type SlackServer, startSlackServer } from '../support/slack-server.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { changed, EX, named } from './incidents-fixtures.ts';

/** docs/contract/notifications.md 1.17: rules that send the same to the same place send it once. */

let culprit: TestCulprit;
let slack: SlackServer;
beforeAll(async () => {
  slack = await startSlackServer();
  culprit = await startCulprit({ plans: HOSTED, retryScale: 0.02, slack: slackAppOf(slack) });
});
afterAll(async () => {
  await culprit.stop();
  await slack.close();
});

async function watch(plan: 'free' | 'team' = 'team') {
  const client = await connect(culprit, { name: 'Main App', plan: 'team' });
  await setPlan(culprit, client.project, plan);
  return { client, alerts: alertClient(culprit, client.project) };
}

/** The verdicts of a rule, newest first. */
async function verdicts(project: TestProject, id: string) {
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
  return expectOk(await api.call(listRuleVerdicts, { params: { id } })).verdicts.map(
    ({ verdict }) => verdict,
  );
}

const THRESHOLD = { condition_type: 'severity_threshold', severity_min: 'high' };
const bodyOf = (request: { body: Buffer } | undefined): unknown =>
  JSON.parse(request?.body.toString() ?? 'null');

describe.concurrent('several rules that one transition satisfies', () => {
  it.each([
    [
      'slack',
      'webhook_url',
      { blocks: expect.arrayContaining([{ type: 'context', elements: [expect.anything()] }]) },
    ],
    [
      'discord',
      'webhook_url',
      {
        embeds: [{ title: expect.stringMatching(/^\\\[[A-Z0-9]+-1\\\] Severity threshold, new incident: /) }],
      },
    ],
    ['webhook', 'target_url', { condition_type: 'severity_threshold', alerts: [{}, {}, {}] }],
  ])('send one message over %s that names them all, for one unit', async (channel, key, shape) => {
    const receiver = await startReceiver();
    const { client, alerts } = await watch();
    const { port } = new URL(receiver.url);
    const [loud, numeric] = [`HTTP://127.0.0.1:${port}/./in/#part`, `http://0x7f.1:${port}/in/?`] as const;
    const first = await alerts.create({ channel, config: { [key]: `${receiver.url}/` } });
    const second = await alerts.create({
      ...THRESHOLD,
      channel,
      config: { [key]: loud },
      name: 'Pager',
    });
    const third = await alerts.create({ channel, config: { [key]: numeric } });
    const other = await alerts.create({ channel, config: { [key]: `${receiver.url}/other` } });
    await client.send(EX());
    const requests = await receiver.received(2);
    const told = await alerts.reached(
      Array.from({ length: 4 }, () => ({ status: 'delivered', attempt_count: 1 })),
    );
    expect(receiver.requests).toHaveLength(2);
    const message = requests.find(({ path }) => path === '/in/');
    expect(bodyOf(message)).toMatchObject(shape);
    const named =
      channel === 'webhook'
        ? ['Pager', first.alert_id, third.alert_id]
        : ['Pager', 'Severity threshold', 'New incident'];
    for (const name of named) expect(message?.body.toString()).toContain(name);
    expect(message?.body.toString()).not.toContain(other.alert_id);
    expect(new Set(told.map(({ message_id }) => message_id)).size).toBe(2);
    expect(await alerts.used()).toBe(2);
    if (channel === 'webhook') expect(message?.headers['x-service-alert']).toBe(second.alert_id);
    await receiver.stop();
  });

  it('keep cooldowns of their own, and share a message again when both may send', async () => {
    const receiver = await startReceiver();
    const { client, alerts } = await watch();
    const config = { target_url: receiver.url };
    await alerts.create({ channel: 'webhook', config, condition_type: 'incident_regressed' });
    const calm = await alerts.create({
      channel: 'webhook',
      config,
      condition_type: 'incident_regressed',
      cooldown_seconds: 3600,
    });
    await client.send(EX());
    const { incident_id } = await client.only();
    for (let n = 0; n < 2; n += 1) {
      await client.resolve(incident_id);
      await client.send(EX());
      await receiver.received(n + 1);
    }
    await alerts.reached([{ dedupe_key: 'incident_regressed:1' }], calm.alert_id);
    const [both, one] = receiver.requests.map(bodyOf);
    expect(both).toMatchObject({ alerts: [{}, {}] });
    expect(one).not.toHaveProperty('alerts');
    expect(await alerts.used()).toBe(2);
    await receiver.stop();
  });

  it('get all of their message while the allowance has one unit, and nothing at its end', async () => {
    const receiver = await startReceiver();
    const { client, alerts } = await watch('free');
    for (let n = 0; n < 3; n += 1)
      await alerts.create({ channel: 'webhook', config: { target_url: receiver.url } });
    await culprit.database.query(
      {
        name: 'test-almost-used-up',
        text: `insert into usage_counters (organization_id, window_started_at, meter, used)
          select organization_id, date_trunc('month', culprit_now(), 'UTC'), 'monthly_alert_deliveries', 24
          from projects where project_id = $1`,
      },
      [client.project.projectId.replace('proj_', '')],
    );
    await client.send(named('First'));
    await alerts.reached(Array.from({ length: 3 }, () => ({ status: 'delivered' })));
    await client.send(named('Second'));
    expect(await alerts.evaluated()).toHaveLength(3);
    expect(receiver.requests).toHaveLength(1);
    const [rule] = (await alerts.deliveries()).map(({ alert_id }) => alert_id);
    expect(await verdicts(client.project, rule ?? '')).toEqual(['allowance', 'sent']);
    await receiver.stop();
  });

  it('say that the plan has no connected channels, once the organization has a smaller one', async () => {
    const { client, alerts } = await watch();
    const { slack_destination_id } = await slackClient(culprit, slack, client.project).destination();
    const { alert_id: rule } = await alerts.create({ channel: 'slack', config: { slack_destination_id } });
    await setPlan(culprit, client.project, 'free');
    await client.send(EX());
    expect(await alerts.evaluated()).toEqual([]);
    expect(await verdicts(client.project, rule)).toEqual(['plan']);
  });

  it('go where each sends now when one is moved, and lose nothing when one is switched off', async () => {
    const receiver = await startReceiver(500);
    const repaired = await startReceiver();
    const { client, alerts } = await watch();
    const config = { target_url: receiver.url };
    const moved = await alerts.create({ channel: 'webhook', config, ...THRESHOLD });
    const stays = await alerts.create({ channel: 'webhook', config });
    const off = await alerts.create({ channel: 'webhook', config });
    await client.send(EX());
    await receiver.received(1);
    await alerts.update(off.alert_id, { is_enabled: false });
    await alerts.update(moved.alert_id, { channel: 'webhook', config: { target_url: repaired.url } });
    receiver.answer(204);
    await repaired.received(1);
    await alerts.reached([{ status: 'delivered' }], moved.alert_id);
    await alerts.reached([{ status: 'delivered' }], stays.alert_id);
    await alerts.reached([{ status: 'failed', last_error: 'alert_disabled' }], off.alert_id);
    expect(repaired.requests.map(bodyOf)).toMatchObject([{ alert_id: moved.alert_id }]);
    expect(bodyOf(receiver.requests.at(-1))).toMatchObject({ alert_id: stays.alert_id });
    expect(await alerts.used()).toBe(1);
    await receiver.stop();
    await repaired.stop();
  });

  it('share the message of a connected channel and of its address, and its refusal', async () => {
    const { client, alerts } = await watch();
    const channel = newChannel();
    const { slack_destination_id } = await slackClient(culprit, slack, client.project).destination(channel);
    const config = { slack_destination_id };
    await alerts.create({ channel: 'slack', config });
    await alerts.create({ channel: 'slack', config, ...THRESHOLD });
    await client.send(named('First'));
    await alerts.reached([{ status: 'delivered' }, { status: 'delivered' }]);
    expect(slack.messages(channel.channelId)).toHaveLength(1);
    slack.refuse(channel.channelId, { status: 404, word: 'channel_not_found' });
    await client.send(named('Second'));
    const refused = { status: 'failed', last_error: 'slack_rejected', attempt_count: 1 } as const;
    await alerts.reached([{}, {}, refused, refused]);
    expect(await alerts.used()).toBe(2);
  });

  it('hear of their environments only', async () => {
    const receiver = await startReceiver();
    const { client, alerts } = await watch();
    const scopes = { prod: ['prod*'], rest: ['!production'], none: ['Production'] };
    for (const [name, environments] of Object.entries(scopes)) {
      await alerts.create({
        channel: 'webhook',
        config: { target_url: `${receiver.url}/${name}` },
        environments,
      });
    }
    const staging = changed(named('Second'), {
      service: { name: 'checkout-api', environment: ' staging ' },
    });
    await client.send(named('First'), staging);
    await alerts.reached([{ status: 'delivered' }, { status: 'delivered' }]);
    const heard = receiver.requests.map((request) => [request.path, bodyOf(request)]);
    expect(heard.sort()).toMatchObject([
      ['/in/prod', { incident: { environment: 'production' } }],
      ['/in/rest', { incident: { environment: 'staging' } }],
    ]);
    await receiver.stop();
  });
});
