import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { createCollaborator, setPlan } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect } from '../support/incident-client.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { newAddress } from '../support/people.ts';
import { readPages } from '../support/read-pages.ts';
import { daysOf, goTo, nextHour, reportClient, reportIsOver, reportsTo } from '../support/report-client.ts';
import { slackAppOf, slackClient } from '../support/slack-client.ts';
import { type SlackServer, startSlackServer } from '../support/slack-server.ts';
import { EX } from './incidents-fixtures.ts';

const PATH = '/v1/weekly-report-channels';
const SCHEDULE = { day_of_week: 'friday', hour_of_day: 16, timezone: 'America/New_York' };
const SLACK = {
  channel: 'slack',
  config: { webhook_url: 'https://hooks.example.com/services/a' },
  schedule: SCHEDULE,
};
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
const TIME = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/);

let culprit: TestCulprit;
let slack: SlackServer;
beforeAll(async () => {
  slack = await startSlackServer();
  culprit = await startCulprit({ plans: HOSTED, slack: slackAppOf(slack), retryScale: 0.01 });
});
afterAll(async () => {
  await culprit.stop();
  await slack.close();
});

/** A project, on Free unless said otherwise, with somebody who manages it. */
async function manage(
  options: Parameters<TestCulprit['createProject']>[0] = {},
): Promise<{ project: TestProject; owner: ManagementClient }> {
  const project = await culprit.createProject(options);
  return { project, owner: managementClient(culprit, project.memberToken) };
}

function channelIn(body: unknown): JsonObject {
  const channel = isJsonObject(body) ? body.channel : undefined;
  if (!isJsonObject(channel)) throw new Error(`no channel in ${JSON.stringify(body)}`);
  return channel;
}

describe('weekly report channels', () => {
  it('a new project has one enabled mail channel to its owner, Mondays at nine in its time zone', async () => {
    const email = newAddress('Owner');
    const { owner } = await manage({ email });
    const created = await owner.post('/v1/projects', {
      name: 'Berlin',
      weekly_report_timezone: 'Europe/Berlin',
    });
    const project = isJsonObject(created.body) ? created.body.project : undefined;
    const projectId = isJsonObject(project) ? String(project.project_id) : '';
    expect((await owner.get(`${PATH}?project_id=${projectId}`)).body).toEqual({
      channels: [
        {
          channel_id: UUID,
          project_id: projectId,
          channel: 'email',
          config: { to: [email.toLowerCase()] },
          schedule: { day_of_week: 'monday', hour_of_day: 9, timezone: 'Europe/Berlin' },
          is_enabled: true,
          created_at: TIME,
          updated_at: TIME,
        },
      ],
      next_cursor: null,
    });
  });

  // N-48
  it('there is one mail channel, with three addresses at most', async () => {
    const { project, owner } = await manage();
    const second = {
      project_id: project.projectId,
      channel: 'email',
      config: { to: ['a@example.test'] },
      schedule: SCHEDULE,
    };
    expectProblem(await owner.post(PATH, second), 409, 'weekly_report_channel_exists');
    const addresses = ['a@example.test', 'b@example.test', 'c@example.test', 'd@example.test'];
    for (const to of [addresses, [], ['nobody'], ['a@example.test, b@example.test'], 'a@example.test']) {
      expectProblem(await owner.post(PATH, { ...second, config: { to } }), 400, 'invalid_payload');
    }
    const { channel_id: id } = await reportClient(culprit, project).mailChannel();
    expect((await owner.delete(`${PATH}/${id}`)).status).toBe(204);
    const to = ['B@Example.test', ' a@example.test', 'b@example.test'];
    const made = await owner.post(PATH, { ...second, config: { to } });
    expect(made.status).toBe(201);
    expect(channelIn(made.body).config).toEqual({ to: ['b@example.test', 'a@example.test'] });
    // Calls at once make one, too.
    await owner.delete(`${PATH}/${String(channelIn(made.body).channel_id)}`);
    const answers = await Promise.all(Array.from({ length: 5 }, () => owner.post(PATH, second)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  // N-49
  it('a channel is answered as it was given, and what is none is refused', async () => {
    const { project, owner } = await manage();
    const given = { project_id: project.projectId, ...SLACK };
    const created = await owner.post(PATH, given);
    expect([created.status, created.body]).toEqual([
      201,
      {
        channel: {
          channel_id: UUID,
          ...given,
          is_enabled: true,
          created_at: TIME,
          updated_at: TIME,
        },
      },
    ]);
    const { channel_id: id } = channelIn(created.body);
    for (const schedule of [
      { ...SCHEDULE, timezone: 'Mars/Base' },
      { ...SCHEDULE, timezone: '+01:00' },
      { ...SCHEDULE, hour_of_day: 24 },
      { ...SCHEDULE, hour_of_day: 8.5 },
      { ...SCHEDULE, day_of_week: 'Friday' },
      { day_of_week: 'friday', hour_of_day: 16 },
      { ...SCHEDULE, minute: 30 },
    ]) {
      expectProblem(await owner.post(PATH, { ...given, schedule }), 400, 'invalid_payload');
      expectProblem(await owner.patch(`${PATH}/${id}`, { schedule }), 400, 'invalid_payload');
    }
    for (const config of [
      { to: ['a@example.test'] },
      {},
      { webhook_url: 'no address' },
      { webhook_url: SLACK.config.webhook_url, slack_destination_id: newUuid() },
      { webhook_url: `https://hooks.example.com/${'x'.repeat(2000)}` },
    ]) {
      expectProblem(await owner.post(PATH, { ...given, config }), 400, 'invalid_payload');
      expectProblem(await owner.patch(`${PATH}/${id}`, { config }), 400, 'invalid_payload');
    }
    for (const change of [{}, { channel: 'slack' }, { project_id: project.projectId }]) {
      expectProblem(await owner.patch(`${PATH}/${id}`, change), 400, 'invalid_payload');
    }
    const blocked = { webhook_url: 'https://10.1.2.3/x' };
    expectProblem(await owner.post(PATH, { ...given, config: blocked }), 400, 'blocked_target');
    expectProblem(await owner.patch(`${PATH}/${id}`, { config: blocked }), 400, 'blocked_target');
    const { channel_id: mail } = await reportClient(culprit, project).mailChannel();
    expectProblem(await owner.patch(`${PATH}/${mail}`, { config: SLACK.config }), 400, 'invalid_payload');
  });

  it('a change replaces config and schedule as a whole, and a deleted channel is gone', async () => {
    const { project, owner } = await manage();
    const channel = await reportClient(culprit, project).mailChannel();
    const path = `${PATH}/${channel.channel_id}`;
    const change = { config: { to: ['a@example.test'] }, schedule: SCHEDULE, is_enabled: false };
    const changed = await owner.patch(path, change);
    expect([changed.status, changed.body]).toEqual([
      200,
      { channel: { ...channel, ...change, updated_at: TIME } },
    ]);
    expect((await owner.delete(path)).status).toBe(204);
    expectProblem(await owner.delete(path), 404, 'weekly_report_channel_not_found');
    expectProblem(await owner.patch(path, change), 404, 'weekly_report_channel_not_found');
    expectProblem(await owner.delete(`${PATH}/a%20b`), 400, 'invalid_weekly_report_channel_id');
    const trail = `audit_log where subject = $1 and data::text !~ '@|http'`;
    expect(await countRows(culprit, trail, [`weekly_report_channel:${channel.channel_id}`])).toBe(2);
  });

  it('lists newest first, page by page, and asks for the project', async () => {
    const { project, owner } = await manage();
    for (let made = 0; made < 3; made += 1) {
      await owner.post(PATH, { project_id: project.projectId, ...SLACK });
    }
    const all = await reportClient(culprit, project).list();
    expect(all.map(({ channel }) => channel)).toEqual(['slack', 'slack', 'slack', 'email']);
    const paged = await readPages(owner, `${PATH}?project_id=${project.projectId}`, 'channels', 2);
    expect(paged).toEqual(all);
    for (const query of ['', `?project_id=${project.projectId}&limit=0`, '?cursor=x']) {
      expectProblem(await owner.get(PATH + query), 400, 'invalid_query');
    }
  });

  it('ten channels for Slack are the most', async () => {
    const { project, owner } = await manage();
    const given = { project_id: project.projectId, ...SLACK };
    const answers = await Promise.all(Array.from({ length: 12 }, () => owner.post(PATH, given)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expectProblem(await owner.post(PATH, given), 409, 'resource_limit_reached');
  });

  it('members see them, admins change them', async () => {
    const { project } = await manage({ plan: 'team' });
    const member = await createCollaborator(culprit, project, 'member');
    const client = managementClient(culprit, member.memberToken);
    const { channel_id: id } = await reportClient(culprit, project).mailChannel();
    expect((await client.get(`${PATH}?project_id=${project.projectId}`)).status).toBe(200);
    expectProblem(await client.post(PATH, { project_id: project.projectId, ...SLACK }), 403, 'forbidden');
    expectProblem(await client.patch(`${PATH}/${id}`, { is_enabled: false }), 403, 'forbidden');
    expectProblem(await client.delete(`${PATH}/${id}`), 403, 'forbidden');
    const admin = await createCollaborator(culprit, project, 'admin');
    const change = await managementClient(culprit, admin.memberToken).patch(`${PATH}/${id}`, {
      is_enabled: false,
    });
    expect(change.status).toBe(200);
  });

  // N-25
  it('a destination needs Team, is one of the organization, and is held by a disabled channel', async () => {
    const { project, owner } = await manage({ plan: 'team' });
    const destination = await slackClient(culprit, slack, project).destination();
    const config = { slack_destination_id: destination.slack_destination_id };
    const given = { project_id: project.projectId, ...SLACK, config, is_enabled: false };
    const { project: other } = await manage({ plan: 'team' });
    const foreign = await slackClient(culprit, slack, other).destination();
    for (const slack_destination_id of [newUuid(), foreign.slack_destination_id, 'x']) {
      const wrong = { ...given, config: { slack_destination_id } };
      expectProblem(await owner.post(PATH, wrong), 404, 'slack_destination_not_found');
    }
    const created = await owner.post(PATH, given);
    expect(created.status).toBe(201);
    expect(channelIn(created.body).config).toEqual(config);
    await setPlan(culprit, project, 'free');
    expectProblem(await owner.post(PATH, given), 403, 'upgrade_required');
    const path = `${PATH}/${String(channelIn(created.body).channel_id)}`;
    expectProblem(await owner.patch(path, { config }), 403, 'upgrade_required');
    const kept = `/v1/projects/${project.projectId}/slack/destinations/${config.slack_destination_id}`;
    expectProblem(await owner.delete(kept), 409, 'slack_destination_in_use');
    expect((await owner.delete(path)).status).toBe(204);
    expect((await owner.delete(kept)).status).toBe(204);
  });
});

describe('the default report', () => {
  // N-50
  it('tells of a week with an incident once, whatever workers do, and nothing of a quiet one', async () => {
    const email = newAddress('reported');
    const { project, ...client } = await connect(culprit, { email, name: 'Main App' });
    const quietEmail = newAddress('quiet');
    const quiet = await culprit.createProject({ email: quietEmail });
    const next = await nextHour(culprit);
    const told = await reportClient(culprit, project).reportAt(next.schedule);
    const silent = await reportClient(culprit, quiet).reportAt(next.schedule);
    await client.send(EX());
    const { incident_id: id } = await client.only();
    await client.bundle(id);
    await goTo(culprit, next.dueAtMs);
    await reportIsOver(culprit, told.channel_id, next.dueAtMs);
    await reportIsOver(culprit, silent.channel_id, next.dueAtMs);
    expect(await reportsTo(culprit, email)).toHaveLength(1);
    await culprit.stopWorker();
    // Planned anew by the worker that starts, within the hour.
    await reportClient(culprit, project).reportAt(next.schedule);
    await goTo(culprit, next.dueAtMs + 1_800_000);
    await culprit.startWorker();
    await reportIsOver(culprit, told.channel_id, next.dueAtMs);
    const [mail, ...more] = await reportsTo(culprit, email);
    expect(more).toEqual([]);
    expect(await reportsTo(culprit, quietEmail)).toEqual([]);
    expect(mail?.subject).toBe(`Weekly report: Main App, ${daysOf(next)}`);
    const link = `${culprit.baseUrl}/projects/${project.projectId}`;
    for (const fact of [
      'Events: 1 (0 the week before)',
      'New incidents: 1 (0 the week before)',
      'Regressions: 0 (0 the week before)',
      'Resolved incidents: 0 (0 the week before)',
      'Incidents with evidence: 1',
      'New insights: 0',
      '1 incident appeared, and none was resolved.',
      'checkout-api, production, 1 event',
      link,
    ]) {
      expect(mail?.text).toContain(fact);
    }
    expect(mail?.html).toMatch(new RegExp(`<a href="${link}"[^>]*>Open overview</a>`));
    const slots = 'weekly_reports where channel_id = any ($1::uuid[])';
    expect(await countRows(culprit, slots, [[told.channel_id, silent.channel_id]])).toBe(1);
  });
});
