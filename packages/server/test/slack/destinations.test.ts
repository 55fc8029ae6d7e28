import { DELETION_PHRASE } from '@culprit/contract/workspace/account';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deactivateSlackDestination } from '../../src/notify/slack/deactivate-slack-destination.ts';
import { openSlackDestination } from '../../src/notify/slack/find-slack-destination.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { createCollaborator, setPlan } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { codeIn, mailsTo, nextMail } from '../support/mailbox.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { join, newAddress, signInAs } from '../support/people.ts';
import { readPages } from '../support/read-pages.ts';
import { newChannel, type SlackClient, slackAppOf, slackClient } from '../support/slack-client.ts';
import { type SlackServer, startSlackServer } from '../support/slack-server.ts';

/** List, test and deletion of destinations (docs/contract/notifications.md 2.1, 2.5, 6). */

let slack: SlackServer;
let culprit: TestCulprit;
let project: TestProject;
let ownerEmail: string;
let owner: ManagementClient;
let client: SlackClient;
beforeAll(async () => {
  slack = await startSlackServer();
  culprit = await startCulprit({ plans: HOSTED, slack: slackAppOf(slack), duties: [] });
  ownerEmail = newAddress('owner');
  project = await culprit.createProject({ plan: 'team', email: ownerEmail, name: 'shop & <co>' });
  owner = managementClient(culprit, project.memberToken);
  client = slackClient(culprit, slack, project);
});
afterAll(async () => {
  await culprit?.stop();
  await slack?.close();
});

const pathOf = (id: string, of = project) => `/v1/projects/${of.projectId}/slack/destinations/${id}`;
const isActive = async (id: string) =>
  (await client.list()).find((each) => each.slack_destination_id === id)?.is_active;

describe('the list of destinations', () => {
  it('is of the organization, newest first, page by page', async () => {
    const first = await client.destination();
    const second = await client.destination();
    const other = await owner.createProject();
    const path = `/v1/projects/${other.project_id}/slack/destinations`;
    expect(await readPages(owner, path, 'destinations', 1)).toEqual([second, first]);
    expectProblem(await owner.get(`${path}?cursor=x`), 400, 'invalid_query');
    expect(await slackClient(culprit, slack, await culprit.createProject()).list()).toEqual([]);
  });

  it('can be read by every member, and after a downgrade', async () => {
    const member = await createCollaborator(culprit, project, 'member');
    const path = `/v1/projects/${project.projectId}/slack/destinations`;
    expect((await managementClient(culprit, member.memberToken).get(path)).status).toBe(200);
    const made = await client.destination();
    await setPlan(culprit, project, 'free');
    expect(await client.list()).toContainEqual(made);
    await setPlan(culprit, project, 'team');
  });

  it('names nobody once the account of whoever connected the channel is gone', async () => {
    const email = newAddress('owner');
    const here = await culprit.createProject({ plan: 'team', email });
    const admin = await join(culprit, await signInAs(culprit, email), here.projectId, 'admin');
    const connector = await createCollaborator(culprit, here, 'admin');
    const made = await slackClient(culprit, slack, { ...here, ...connector }).destination();
    expect(made.installed_by_member_id).toBe(connector.userId);
    await culprit.database.query({ name: 'test-gone', text: 'delete from users where user_id = $1' }, [
      connector.userId,
    ]);
    const path = `/v1/projects/${here.projectId}/slack/destinations`;
    const { body } = await admin.request('GET', path);
    expect(body).toMatchObject({ destinations: [{ installed_by_member_id: null }] });
  });
});

describe('the account of an organization', () => {
  it('takes its destinations along when its owner deletes it, and exports them without the address before', async () => {
    const email = newAddress('leaves');
    const here = await culprit.createProject({ plan: 'team', email });
    const person = await signInAs(culprit, email);
    const made = await slackClient(culprit, slack, here).destination();
    const { body } = await person.request('GET', '/v1/account/export');
    expect(body).toMatchObject({ slack_destinations: [made] });
    for (const secret of slack.secrets) expect(JSON.stringify(body)).not.toContain(secret);

    const confirmation = { confirmation_text: DELETION_PHRASE };
    await person.request('POST', '/v1/account/delete/request-otp', confirmation);
    const otp = codeIn(await nextMail(culprit.mailDirectory, person.email, 0, 'Code'));
    const answer = await person.request('DELETE', '/v1/account', { ...confirmation, otp });
    expect(answer.status).toBe(200);
    const rows = 'slack_destinations where slack_destination_id = $1';
    expect(await countRows(culprit, rows, [made.slack_destination_id])).toBe(0);
  });
});

describe('the test of a destination', () => {
  it('sends one message that names the project and the person, and takes no allowance', async () => {
    const channel = newChannel();
    const { slack_destination_id: id } = await client.destination(channel);
    const answer = await owner.post(`${pathOf(id)}/test`);
    expect([answer.status, answer.body]).toEqual([200, { delivered: true }]);
    const line = `${ownerEmail} sent this test message for the project shop &amp; &lt;co&gt;.`;
    expect(slack.messages(channel.channelId)).toMatchObject([
      { text: line, blocks: [{ type: 'header' }, { type: 'section', text: { type: 'mrkdwn', text: line } }] },
    ]);
    expect(await countRows(culprit, 'usage_counters')).toBe(0);
    expect(
      await countRows(culprit, `audit_log where action = 'slack_destination.tested' and subject = $1`, [
        `slack_destination:${id}`,
      ]),
    ).toBe(1);
  });

  it('makes a destination inactive that Slack refuses for good, tells the owner once, and recovers it', async () => {
    const channel = newChannel({ channelName: '#gone', teamName: 'Refusers' });
    const { slack_destination_id: id } = await client.destination(channel);
    const subject = 'Slack refuses messages to #gone of Refusers';
    slack.refuse(channel.channelId, { status: 410, word: 'channel_is_archived' });
    const both = await Promise.all([owner.post(`${pathOf(id)}/test`), owner.post(`${pathOf(id)}/test`)]);
    for (const answer of both) expectProblem(answer, 502, 'slack_delivery_failed');
    expect(await isActive(id)).toBe(false);
    const mail = await nextMail(culprit.mailDirectory, ownerEmail, 0, subject);
    for (const form of [mail.text, mail.html]) {
      expect(form).toContain('no longer accepts messages for it');
      expect(form).toContain('The channel is now inactive');
      expect(form).toContain('Connect the channel again');
    }

    slack.refuse(channel.channelId, null);
    expect((await owner.post(`${pathOf(id)}/test`)).status).toBe(200);
    expect(await isActive(id)).toBe(true);
    slack.refuse(channel.channelId, { status: 404, word: 'channel_not_found' });
    await owner.post(`${pathOf(id)}/test`);
    await nextMail(culprit.mailDirectory, ownerEmail, 1, subject);
    await culprit.drain();
    expect(await mailsTo(culprit.mailDirectory, ownerEmail, subject)).toHaveLength(2);
  });

  it('leaves a destination active that was connected again while an older address was refused', async () => {
    const channel = newChannel();
    const { slack_destination_id: id, organization_id } = await client.destination(channel);
    const { database, dataKey } = culprit;
    const runtime = { plans: HOSTED, keys: deriveKeys(dataKey), appUrl: culprit.baseUrl };
    const older = await openSlackDestination(database, runtime, organization_id, id);
    if (older === null) throw new Error('no destination');
    await client.destination(channel);
    await database.transaction((transaction) => deactivateSlackDestination(transaction, runtime, older));
    expect(await isActive(id)).toBe(true);
    const newer = await openSlackDestination(database, runtime, organization_id, id);
    expect(newer?.url).not.toBe(older.url);
  });

  it('leaves a destination active that Slack refuses for now', async () => {
    const channel = newChannel();
    const { slack_destination_id: id } = await client.destination(channel);
    slack.refuse(channel.channelId, { status: 500, word: 'rollup_error' });
    expectProblem(await owner.post(`${pathOf(id)}/test`), 502, 'slack_delivery_failed');
    expect(await isActive(id)).toBe(true);
  });

  it('asks for project, plan and destination in the order of the contract', async () => {
    const { slack_destination_id: id } = await client.destination();
    const member = managementClient(
      culprit,
      (await createCollaborator(culprit, project, 'member')).memberToken,
    );
    const foreign = await culprit.createProject({ plan: 'team' });
    const stranger = managementClient(culprit, foreign.memberToken);
    expectProblem(await owner.post(`${pathOf('a%20b')}/test`), 400, 'invalid_slack_destination_id');
    for (const path of [pathOf(newUuid()), pathOf('nothing')]) {
      expectProblem(await owner.post(`${path}/test`), 404, 'slack_destination_not_found');
      expectProblem(await member.post(`${path}/test`), 404, 'slack_destination_not_found');
    }
    expect(await member.post(`${pathOf(id)}/test`)).toMatchObject({ status: 200, body: { delivered: true } });
    expectProblem(await member.delete(pathOf(id)), 403, 'forbidden');
    expectProblem(await stranger.post(`${pathOf(id)}/test`), 404, 'slack_destination_not_found');
    // A destination of another organization, under a project of one's own.
    expectProblem(await stranger.post(`${pathOf(id, foreign)}/test`), 404, 'slack_destination_not_found');
    expectProblem(await stranger.delete(pathOf(id, foreign)), 404, 'slack_destination_not_found');
    await setPlan(culprit, project, 'solo');
    expectProblem(await owner.post(`${pathOf(id)}/test`), 403, 'upgrade_required');
    expectProblem(await owner.post(`${pathOf(newUuid())}/test`), 404, 'slack_destination_not_found');
    await setPlan(culprit, project, 'team');
  });
});
