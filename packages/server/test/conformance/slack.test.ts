import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { setPlanOf } from '../support/organizations.ts';
import { followCallback, newChannel, slackAppOf, slackClient } from '../support/slack-client.ts';
import { type SlackServer, startSlackServer } from '../support/slack-server.ts';

/** Connected Slack destinations: docs/contract/notifications.md 10. */

const APP = 'http://app.culprit.test';
const UNKNOWN = '11111111-1111-4111-8111-111111111111';

let slack: SlackServer;
let culprit: TestCulprit;
let project: TestProject;
let owner: ManagementClient;
beforeAll(async () => {
  slack = await startSlackServer();
  culprit = await startCulprit({ plans: HOSTED, slack: slackAppOf(slack), appUrl: APP, hasWorker: false });
  project = await culprit.createProject({ plan: 'team' });
  owner = managementClient(culprit, project.memberToken);
});
afterAll(async () => {
  await culprit?.stop();
  await slack?.close();
});

const setPlan = (plan: 'free' | 'team') => setPlanOf(culprit.database, project.userId, plan);
const destinationsPath = () => `/v1/projects/${project.projectId}/slack/destinations`;

const newDestination = async () =>
  (await slackClient(culprit, slack, project).destination()).slack_destination_id;

/** Creates an alert rule of this config. */
function createAlert(config: object, more: object = {}) {
  return owner.post('/v1/alerts', {
    project_id: project.projectId,
    channel: 'slack',
    condition_type: 'new_incident',
    config,
    ...more,
  });
}

describe('connected Slack destinations', () => {
  // N-24
  it('are open to rules on Team only, while direct addresses are open on every plan', async () => {
    const id = await newDestination();
    await setPlan('free');
    expectProblem(await createAlert({ slack_destination_id: UNKNOWN }), 404, 'slack_destination_not_found');
    expectProblem(await createAlert({ slack_destination_id: id }), 403, 'upgrade_required');
    const direct = await createAlert({ webhook_url: 'https://hooks.example.com/services/a' });
    expect(direct.status).toBe(201);
    await setPlan('team');
    expect((await createAlert({ slack_destination_id: id })).status).toBe(201);
  });

  // N-25
  it('cannot be deleted while a rule uses them, enabled or not', async () => {
    const id = await newDestination();
    const { body } = await createAlert({ slack_destination_id: id }, { is_enabled: false });
    const path = `${destinationsPath()}/${id}`;
    expectProblem(await owner.delete(path), 409, 'slack_destination_in_use');
    const alertId = /alt_[0-9a-f-]{36}/.exec(JSON.stringify(body))?.[0];
    expect((await owner.delete(`/v1/alerts/${alertId}`)).status).toBe(204);
    await setPlan('free');
    expect(await owner.delete(path)).toMatchObject({ status: 204, body: null });
    await setPlan('team');
  });

  // N-26
  it('hide where messages are sent to', async () => {
    const here = await culprit.createProject({ plan: 'team' });
    const seen = slack.secrets.length;
    await slackClient(culprit, slack, here).connect(newChannel({ channelId: 'C1' }));
    const path = `/v1/projects/${here.projectId}/slack/destinations`;
    const { status, body } = await managementClient(culprit, here.memberToken).get(path);
    const uuid = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect([status, body]).toEqual([
      200,
      {
        destinations: [
          {
            slack_destination_id: uuid,
            organization_id: uuid,
            slack_team_id: 'T1',
            slack_team_name: 'Acme',
            slack_channel_id: 'C1',
            slack_channel_name: '#alerts',
            installed_by_member_id: here.userId,
            is_active: true,
            created_at: time,
            updated_at: time,
          },
        ],
        next_cursor: null,
      },
    ]);
    for (const secret of slack.secrets.slice(seen)) expect(JSON.stringify(body)).not.toContain(secret);
  });

  it.each(['//evil.test', 'https://evil.test', '/\\evil.test', '', 'projects', `/${'a'.repeat(512)}`])(
    'N-27 lead back to no other site: %s',
    async (returnTo) => {
      const query = new URLSearchParams({ project_id: project.projectId, return_to: returnTo });
      expectProblem(await owner.get(`/v1/slack/app/install-url?${query}`), 400, 'invalid_query');
    },
  );

  // N-28
  it('are not connected with a forged state', async () => {
    const before = await countRows(culprit, 'slack_destinations');
    const { location } = await followCallback(culprit, `${APP}/v1/slack/app/callback?code=x&state=forged`);
    expect(location).toBe(`${APP}/?slack_connect=error`);
    expect(await countRows(culprit, 'slack_destinations')).toBe(before);
  });
});
