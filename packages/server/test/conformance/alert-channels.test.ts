import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import type { Plan } from '../../src/workspace/billing/plan.ts';
import { type AlertClient, alertClient } from '../support/alert-client.ts';
import { setPlan } from '../support/collaborators.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { newChannel, slackAppOf, slackClient } from '../support/slack-client.ts';
import { type SlackServer, startSlackServer } from '../support/slack-server.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { EX, named } from './incidents-fixtures.ts';

describe.concurrent('the channels of alerts', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ retryScale: 0.02 });
  });
  afterAll(() => culprit.stop());

  it('a webhook gets the body and headers of the contract', async () => {
    const receiver = await startReceiver();
    const client = await connect(culprit, { name: 'Main App' });
    const alerts = alertClient(culprit, client.project);
    const { alert_id } = await alerts.create({ channel: 'webhook', config: { target_url: receiver.url } });
    await client.send(EX({ context: { release: 'shop@1.9.0' } }));
    const [request] = await receiver.received(1);
    const incident = await client.only();
    const body: unknown = JSON.parse(request?.body.toString() ?? '');
    expect(body).toEqual({
      type: 'alert.triggered',
      alert_id,
      alert_delivery_id: request?.headers['x-service-delivery'],
      condition_type: 'new_incident',
      lifecycle_event: 'new_incident',
      triggered_at: expect.stringMatching(/Z$/),
      project: { project_id: client.project.projectId, name: 'Main App' },
      incident: {
        incident_id: incident.incident_id,
        short_id: incident.short_id,
        title: incident.title,
        severity: 'high',
        status: 'open',
        service_id: incident.service_id,
        service_name: 'checkout-api',
        environment: 'production',
        occurrence_count: 1,
        first_seen_at: incident.first_seen_at,
        last_seen_at: incident.last_seen_at,
      },
      release: 'shop@1.9.0',
      spike: null,
      deploy: null,
      links: {
        incident: `${culprit.baseUrl}/incidents/${incident.incident_id}`,
        bundle: `${culprit.baseUrl}/bundles/${incident.incident_id.replace('inc_', 'bun_')}`,
      },
    });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'culprit-alerts/1',
      'x-service-alert': alert_id,
    });
    await alerts.reached([{ status: 'delivered', attempt_count: 1, last_response_code: 204 }]);
    await receiver.stop();
  });

  it('Slack and Discord get their own forms at an address of their own', async () => {
    const receiver = await startReceiver();
    const client = await connect(culprit, { name: 'Main App' });
    const alerts = alertClient(culprit, client.project);
    await alerts.create({ channel: 'slack', config: { webhook_url: `${receiver.url}/slack` } });
    await alerts.create({
      channel: 'discord',
      config: { webhook_url: `${receiver.url}/discord` },
    });
    await client.send(EX());
    await receiver.received(2);
    const incident = await client.only();
    const sent = (path: string): unknown =>
      JSON.parse(receiver.requests.find((each) => each.path === `/in/${path}`)?.body.toString() ?? '');
    expect(sent('slack')).toMatchObject({
      text: `High new incident: [${incident.short_id}] ${incident.title} (checkout-api)`,
      blocks: expect.arrayContaining([
        { type: 'context', elements: [{ type: 'mrkdwn', text: 'Main App, rule "New incident"' }] },
      ]),
    });
    expect(sent('discord')).toMatchObject({
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title: `\\[${incident.short_id}\\] New incident: ${incident.title}`,
          color: 16224265,
          footer: { text: 'Main App, rule "New incident"' },
        },
      ],
    });
    await alerts.reached([{ status: 'delivered' }, { status: 'delivered' }]);
    await receiver.stop();
  });

  it('a receiver that asks to wait is not asked sooner, 15 minutes at most', async () => {
    const receiver = await startReceiver((response, { path }) => {
      const wait = path.includes('/bot') ? 40 : 86_400;
      const headers = path.includes('/bot') ? {} : { 'retry-after': String(wait) };
      response.writeHead(429, headers).end(JSON.stringify({ ok: false, parameters: { retry_after: wait } }));
    });
    const client = await connect(culprit);
    const alerts = alertClient(culprit, client.project);
    const url = receiver.url;
    await alerts.create({ channel: 'telegram', config: { token: '7:s', chat_id: '-1', target_url: url } });
    await alerts.create({ channel: 'slack', config: { webhook_url: `${url}/slack` } });
    await client.send(EX());
    await alerts.reached([{ status: 'retrying' }, { status: 'retrying' }]);
    const rows = await culprit.database.query<{ asked: number; isNotSooner: boolean; isNotLater: boolean }>(
      {
        name: 'test-asked-waits',
        // The wait begins with the answer, which is between the begin of the attempt and this statement.
        text: `select asked, next_attempt_at >= last_attempted_at + make_interval(secs => asked) as "isNotSooner",
            next_attempt_at <= culprit_now() + make_interval(secs => asked) as "isNotLater"
          from alert_messages join (values ('telegram', 40), ('slack', 900)) as w (channel, asked) using (channel)
          where project_id = $1 order by asked`,
      },
      [parseId(['proj'], client.project.projectId)],
    );
    const isAsAsked = { isNotSooner: true, isNotLater: true };
    expect(rows).toEqual([
      { asked: 40, ...isAsAsked },
      { asked: 900, ...isAsAsked },
    ]);
    await receiver.stop();
  });

  it('Teams, Mattermost, ntfy, Telegram and templates get theirs, and what they refuse is not repeated', async () => {
    const receiver = await startReceiver((response, { path }) => {
      response.writeHead(path.includes('/bot') ? 403 : 200).end('{}');
    });
    const client = await connect(culprit, { name: 'Main App' });
    const alerts = alertClient(culprit, client.project);
    const rules: JsonObject[] = [
      { channel: 'teams', config: { webhook_url: `${receiver.url}/teams` } },
      { channel: 'mattermost', config: { webhook_url: `${receiver.url}/hooks` } },
      { channel: 'ntfy', config: { target_url: `${receiver.url}/culprit`, token: 'tk_1' } },
      {
        channel: 'telegram',
        config: { token: '7:secret', chat_id: '-1001', thread_id: 4, target_url: receiver.url },
      },
    ];
    rules.push({
      channel: 'template',
      config: {
        target_url: `${receiver.url}/own`,
        body: '{"text":"{{severity}} in {{service}}","n":"{{occurrences}}"}',
        headers: ['Authorization: GenieKey k1', 'X-Team: Payments'],
      },
    });
    // A message each: they differ behind a sign that would end an address.
    rules.push({
      channel: 'template',
      config: { target_url: `${receiver.url}/own`, body: '{"text":"#{{severity}}"}' },
    });
    rules.push({
      channel: 'template',
      config: { target_url: `${receiver.url}/own`, body: '{"text":"#{{service}}"}' },
    });
    for (const rule of rules) {
      const { token, headers } = rule.config as { token?: string; headers?: string[] };
      const shown = {
        ...(token === undefined ? {} : { token: `***${token.slice(-4)}` }),
        ...(headers === undefined ? {} : { headers: ['Authorization: ***', 'X-Team: ***'] }),
      };
      const config = { ...(rule.config as object), ...shown };
      expect(await alerts.create(rule)).toMatchObject({ ...rule, config });
    }
    await client.send(EX());
    await receiver.received(7);
    const sent = new Map<string, unknown>(
      receiver.requests.map(({ path, body }) => [path.replace('/in', ''), JSON.parse(body.toString())]),
    );
    expect(sent.get('/teams')).toMatchObject({
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive' }],
    });
    expect(sent.get('/hooks')).toMatchObject({ username: 'Culprit', attachments: [{ color: '#f79009' }] });
    expect(sent.get('/')).toMatchObject({
      topic: 'culprit',
      priority: 4,
    });
    const headersAt = (path: string) =>
      receiver.requests.map((each) => (each.path === path ? each.headers : {}));
    expect(headersAt('/in/')).toContainEqual(expect.objectContaining({ authorization: 'Bearer tk_1' }));
    expect(headersAt('/in/own')).toContainEqual(
      expect.objectContaining({
        authorization: 'GenieKey k1',
        'x-team': 'Payments',
        'content-type': 'application/json',
      }),
    );
    expect(sent.get('/bot7:secret/sendMessage')).toMatchObject({
      chat_id: '-1001',
      message_thread_id: 4,
      parse_mode: 'HTML',
    });
    const own = receiver.requests
      .filter(({ path }) => path === '/in/own')
      .map(({ body }) => JSON.parse(body.toString()));
    expect(own).toHaveLength(3);
    expect(own).toEqual(
      expect.arrayContaining([
        { text: 'high in checkout-api', n: 1 },
        { text: '#high' },
        { text: '#checkout-api' },
      ]),
    );
    const delivered = { status: 'delivered', attempt_count: 1 } as const;
    await alerts.reached([
      delivered,
      delivered,
      delivered,
      { status: 'failed', attempt_count: 1, last_error: 'http_403' },
      delivered,
      delivered,
      delivered,
    ]);
    await receiver.stop();
  });

  it.each<[string, JsonObject]>([
    ['a header of the connection', { headers: ['Host: a.example.test'] }],
    ['a header twice', { headers: ['X-A: 1', 'x-a: 2'] }],
    ['a masked header', { headers: ['Authorization: ***'] }],
    ['six headers', { headers: ['A: 1', 'B: 1', 'C: 1', 'D: 1', 'E: 1', 'F: 1'] }],
    ['a header of two lines', { headers: ['A: 1\r\nHost: b'] }],
    ['an unknown placeholder', { body: '{"t":"{{constructor}}"}' }],
    ['a body that is not JSON', { body: '{"t":{{title}}' }],
    ['17 KiB when it is filled in', { body: JSON.stringify({ t: '{{title}}'.repeat(87) }) }],
  ])('a template cannot have %s', async (_, config) => {
    const { project } = await connect(culprit);
    const body = { target_url: 'https://hooks.example.test', body: '{}', ...config };
    const rule = { channel: 'template', condition_type: 'new_incident', config: body };
    const api = managementClient(culprit, project.memberToken);
    const answer = await api.post('/v1/alerts', { project_id: project.projectId, ...rule });
    expectProblem(answer, 400, 'invalid_payload');
  });

  it.each([
    ['teams', [404, 410]],
    ['mattermost', [400, 404, 410]],
    ['ntfy', [401, 403, 404]],
    ['telegram', [400, 401, 404]],
    ['pagerduty', [400, 401, 403, 404]],
    ['template', [404, 410]],
  ] as const)('%s that answers one of %j is asked once, and after 503 again', async (channel, refusals) => {
    const answers = [...refusals, 503];
    const receiver = await startReceiver((response, { path }) => {
      response.writeHead(Number(/in\/(\d+)/.exec(path)?.[1] ?? 503)).end('{}');
    });
    const client = await connect(culprit);
    const alerts = alertClient(culprit, client.project);
    const configOf = (target: string, status: number): JsonObject => {
      if (channel === 'teams' || channel === 'mattermost') return { webhook_url: target };
      if (channel === 'ntfy') return { target_url: `${target}/topic` };
      if (channel === 'telegram') return { token: '7:secret', chat_id: `-${status}`, target_url: target };
      if (channel === 'pagerduty') return { token: `${status}${'a'.repeat(29)}`, target_url: target };
      return { target_url: target, body: '{"t":"{{title}}"}' };
    };
    for (const status of answers)
      await alerts.create({ channel, config: configOf(`${receiver.url}/${status}`, status) });
    await client.send(EX());
    await eventually(async () => {
      const found = await alerts.evaluated();
      expect(new Map(found.map((each) => [each.last_error, each.status]))).toEqual(
        new Map(answers.map((status) => [`http_${status}`, status === 503 ? 'retrying' : 'failed'])),
      );
      expect(found.filter((each) => each.status === 'failed').map((each) => each.attempt_count)).toEqual(
        refusals.map(() => 1),
      );
    });
    await receiver.stop();
  });
});

describe('pages', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ retryScale: 0.02 });
  });
  afterAll(() => culprit.stop());

  const KEY = 'a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6';
  const both = { condition_type: 'severity_threshold', cooldown_seconds: 3600 };

  it('open, are acknowledged when the incident is assigned, and close when it is resolved', async () => {
    const receiver = await startReceiver(202);
    const client = await connect(culprit, { name: 'Main App' });
    const alerts = alertClient(culprit, client.project);
    const pager = { ...both, channel: 'pagerduty', config: { token: KEY, target_url: receiver.url } };
    const short = { ...pager, config: { token: KEY.slice(1), target_url: receiver.url } };
    await expect(alerts.create(short)).rejects.toThrow('400');
    expect(await alerts.create(pager)).toMatchObject({
      config: { token: '***c5D6', target_url: receiver.url },
    });
    const body =
      '{"action":"{{action}}","state":"{{state}}","id":"{{id}}","who":"{{assignee}}","at":"{{ticket}}","users":"{{users}}"}';
    const template = { channel: 'template', config: { target_url: `${receiver.url}/own`, body } };
    await alerts.create({ ...both, ...template });
    // It says nothing of an end, so it has none.
    await alerts.create({
      channel: 'template',
      config: { target_url: `${receiver.url}/once`, body: '{"text":"{{title}}"}' },
    });
    const actions = (path: string) =>
      receiver.requests
        .filter((each) => each.path === `/in${path}`)
        .map((each): JsonObject => JSON.parse(each.body.toString()));
    const api = managementClient(culprit, client.project.memberToken);
    const ownership = `/v1/projects/${client.project.projectId}/ownership`;
    const people = await api.get(`/v1/projects/${client.project.projectId}/people`);
    const [{ handle = '' } = {}] = (people.body as { people: { handle?: string }[] }).people;
    expect(await api.post(ownership, { text: `* @${handle}`, version: 0 })).toMatchObject({ status: 200 });
    await client.send(EX());
    await receiver.received(3);
    const { incident_id } = await client.only();
    // A line of ownership did not read the page, so it does not acknowledge it.
    await eventually(async () => {
      const { body: answer } = await api.get(`/v1/incidents/${incident_id}`);
      expect(answer).toMatchObject({ incident: { triage: { assignee: { id: client.project.userId } } } });
    });
    await alerts.evaluated();
    await api.patch(`/v1/incidents/${incident_id}`, { assignee: null });
    const dedup_key = `culprit:${incident_id}`;
    await api.patch(`/v1/incidents/${incident_id}`, { assignee: { user_id: client.project.userId } });
    await receiver.received(4);
    await api.post(`/v1/incidents/${incident_id}/links`, { url: 'https://wiki.example.test/outage' });
    await client.resolve(incident_id);
    await receiver.received(6);
    expect(actions('/v2/enqueue')).toMatchObject([
      {
        routing_key: KEY,
        event_action: 'trigger',
        dedup_key,
        payload: { severity: 'error', source: 'checkout-api', group: 'production' },
        client_url: `${culprit.baseUrl}/incidents/${incident_id}`,
      },
      { routing_key: KEY, event_action: 'acknowledge', dedup_key },
      { routing_key: KEY, event_action: 'resolve', dedup_key },
    ]);
    expect(actions('/own')).toEqual([
      { action: 'trigger', state: 'firing', id: incident_id, who: expect.any(String), at: '', users: 0 },
      {
        ...{ action: 'resolve', state: 'resolved', id: incident_id, users: 0 },
        ...{ who: expect.stringMatching(/^owner-/), at: 'https://wiki.example.test/outage' },
      },
    ]);
    await client.send(EX());
    await receiver.received(8);
    await client.resolve(incident_id);
    await receiver.received(10);
    const all = ['trigger', 'acknowledge', 'resolve', 'trigger', 'resolve'];
    expect(actions('/v2/enqueue').map(({ event_action }) => event_action)).toEqual(all);
    expect(actions('/once')).toHaveLength(1);
    await receiver.stop();
  });

  it('are neither opened nor closed when the incident is resolved before a receiver takes one', async () => {
    const receiver = await startReceiver(503);
    const client = await connect(culprit, { name: 'Main App' });
    const alerts = alertClient(culprit, client.project);
    await alerts.create({ ...both, channel: 'pagerduty', config: { token: KEY, target_url: receiver.url } });
    await client.send(EX());
    await receiver.received(1);
    await client.resolve((await client.only()).incident_id);
    const ended = await eventually(async () => {
      const found = await alerts.evaluated();
      if (found.some(({ status }) => status !== 'failed')) throw new Error(JSON.stringify(found));
      return found;
    });
    expect(ended[0]).toMatchObject({ last_error: 'incident_resolved' });
    for (const end of ended.slice(1)) expect(end).toMatchObject({ last_error: 'page_not_opened' });
    for (const { body } of receiver.requests)
      expect(JSON.parse(body.toString())).toMatchObject({ event_action: 'trigger' });
    await receiver.stop();
  });
});

describe('connected Slack destinations in alerts', () => {
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

  async function connected(plan: Plan): Promise<{
    client: IncidentClient;
    alerts: AlertClient;
    api: ManagementClient;
    channelId: string;
    config: { slack_destination_id: string };
  }> {
    const client = await connect(culprit, { plan: 'team' });
    const channel = newChannel();
    const made = await slackClient(culprit, slack, client.project).destination(channel);
    await setPlan(culprit, client.project, plan);
    return {
      client,
      alerts: alertClient(culprit, client.project),
      api: managementClient(culprit, client.project.memberToken),
      channelId: channel.channelId,
      config: { slack_destination_id: made.slack_destination_id },
    };
  }

  // N-24
  it('need Team; a direct address does not', async () => {
    const { alerts, api, client, config } = await connected('free');
    const rule = {
      project_id: client.project.projectId,
      channel: 'slack',
      condition_type: 'new_incident',
    };
    expectProblem(await api.post('/v1/alerts', { ...rule, config }), 403, 'upgrade_required');
    const unknown = { slack_destination_id: '11111111-1111-4111-8111-111111111111' };
    for (const other of [unknown, (await connected('team')).config]) {
      expectProblem(
        await api.post('/v1/alerts', { ...rule, config: other }),
        404,
        'slack_destination_not_found',
      );
    }
    const direct = { webhook_url: 'https://hooks.example.com/services/a' };
    const { alert_id } = await alerts.create({ ...rule, config: direct });
    const path = `/v1/alerts/${alert_id}`;
    expectProblem(await api.patch(path, { channel: 'slack', config }), 403, 'upgrade_required');
    await setPlan(culprit, client.project, 'team');
    expect((await alerts.update(alert_id, { channel: 'slack', config })).config).toEqual(config);
  });

  // N-25
  it('stay as long as a rule names them, be it switched off', async () => {
    const { alerts, api, client, config } = await connected('team');
    const { alert_id } = await alerts.create({ channel: 'slack', config, is_enabled: false });
    const path = `/v1/projects/${client.project.projectId}/slack/destinations/${config.slack_destination_id}`;
    expectProblem(await api.delete(path), 409, 'slack_destination_in_use');
    await alerts.delete(alert_id);
    await setPlan(culprit, client.project, 'free');
    expect((await api.delete(path)).status).toBe(204);
  });

  it('get messages while the plan has them and Slack takes them', async () => {
    const { alerts, client, config, channelId } = await connected('team');
    const { alert_id } = await alerts.create({ channel: 'slack', config });
    await client.send(named('First'));
    await alerts.reached([{ status: 'delivered' }]);
    expect(slack.messages(channelId)).toMatchObject([{ text: expect.stringContaining('First failed') }]);
    await setPlan(culprit, client.project, 'free');
    await client.send(named('Second'));
    expect(await alerts.evaluated(alert_id)).toHaveLength(1);
    await setPlan(culprit, client.project, 'team');
    slack.refuse(channelId, { status: 404, word: 'channel_not_found' });
    await client.send(named('Third'));
    await alerts.reached([
      { status: 'delivered' },
      { status: 'failed', last_error: 'slack_rejected', attempt_count: 1, last_response_code: 404 },
    ]);
    const destinations = await slackClient(culprit, slack, client.project).list();
    expect(destinations).toMatchObject([{ is_active: false }]);
    slack.refuse(channelId, null);
    await client.send(named('Fourth'));
    expect(await alerts.evaluated(alert_id)).toHaveLength(2);
  });
});

describe('a Slack destination without a Slack app', () => {
  it('cannot be named', async () => {
    const bare = await startCulprit({ hasWorker: false });
    try {
      const project = await bare.createProject();
      const destination = newUuid();
      await bare.database.query(
        {
          name: 'test-older-destination',
          text: `insert into slack_destinations (slack_destination_id, organization_id, slack_team_id,
              slack_channel_id, sealed_url, is_active)
            select $1, organization_id, 'T1', 'C1', '', true from projects where project_id = $2`,
        },
        [destination, project.projectId.replace('proj_', '')],
      );
      const answer = await managementClient(bare, project.memberToken).post('/v1/alerts', {
        project_id: project.projectId,
        channel: 'slack',
        condition_type: 'new_incident',
        config: { slack_destination_id: destination },
      });
      expectProblem(answer, 503, 'slack_not_configured');
    } finally {
      await bare.stop();
    }
  });
});
