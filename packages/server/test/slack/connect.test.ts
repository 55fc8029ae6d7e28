import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createState, stateHash } from '../../src/notify/slack/install-state.ts';
import { insertInstall } from '../../src/notify/slack/slack-installs.queries.ts';
import { parseId } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { createCollaborator, setPlan } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { newAddress, type Person, signInAs } from '../support/people.ts';
import { followCallback, newChannel, slackAppOf, slackClient } from '../support/slack-client.ts';
import { type SlackMode, type SlackServer, startSlackServer } from '../support/slack-server.ts';
import { tablesWith } from '../support/tables-with.ts';

/** Connecting a channel (docs/contract/notifications.md 2.3, 2.4), against a server that speaks Slack's protocol. */

const APP = 'http://app.culprit.test';
const STATE_LIFE_MS = 600_000;

let slack: SlackServer;
let culprit: TestCulprit;
let project: TestProject;
let owner: Person;
beforeAll(async () => {
  slack = await startSlackServer();
  const app = slackAppOf(slack, { requestTimeoutMs: 300 });
  culprit = await startCulprit({ plans: HOSTED, slack: app, appUrl: APP, duties: [] });
  const email = newAddress('owner');
  project = await culprit.createProject({ plan: 'team', email });
  owner = await signInAs(culprit, email);
});
afterAll(async () => {
  await culprit?.stop();
  await slack?.close();
});

const client = () => slackClient(culprit, slack, project);
/** Goes back in a browser that the owner is signed in with. */
const follow = (url: string) => followCallback(culprit, url, { cookie: owner.headers.cookie ?? '' });
const installPath = () => `/v1/slack/app/install-url?project_id=${project.projectId}`;

describe('the install URL', () => {
  it('leads to Slack, with the scope of one channel, our callback and a state', async () => {
    const page = new URL(await client().installUrl());
    expect(page.origin + page.pathname).toBe(`${slack.url}/oauth/v2/authorize`);
    expect(Object.fromEntries(page.searchParams)).toEqual({
      client_id: slack.clientId,
      scope: 'incoming-webhook',
      redirect_uri: 'http://localhost:4800/v1/slack/app/callback',
      state: expect.stringMatching(/^[\w-]{43}\.[\w-]{43}$/),
    });
  });

  it('gives a browser a cookie, and a bearer caller none', async () => {
    const answer = await owner.request('GET', installPath());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^svc_slack_state=[\w.-]{87}; Path=\/v1\/slack\/app; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    const bearer = await managementClient(culprit, project.memberToken).get(installPath());
    expect(bearer.headers.get('set-cookie')).toBeNull();
  });

  it('is not for a token that may only read', async () => {
    const client = managementClient(culprit, project.memberToken);
    const { body } = await client.post('/v1/member/tokens', { label: 'reads', access: 'read' });
    const token = String(Reflect.get(Object(Reflect.get(Object(body), 'token')), 'plaintext'));
    expectProblem(await managementClient(culprit, token).get(installPath()), 403, 'forbidden');
  });

  it('is for every member, on Team', async () => {
    const admin = await createCollaborator(culprit, project, 'admin');
    const member = await createCollaborator(culprit, project, 'member');
    expect((await managementClient(culprit, admin.memberToken).get(installPath())).status).toBe(200);
    expect((await managementClient(culprit, member.memberToken).get(installPath())).status).toBe(200);
    const solo = await culprit.createProject({ plan: 'solo' });
    const path = `/v1/slack/app/install-url?project_id=${solo.projectId}`;
    expectProblem(await managementClient(culprit, solo.memberToken).get(path), 403, 'upgrade_required');
  });
});

describe('the callback', () => {
  it('connects the channel and leads back to the page the person came from', async () => {
    const channel = newChannel();
    expect(await client().connect(channel)).toBe(
      `${APP}/projects/${project.projectId}/alerts?slack_connect=success`,
    );
    expect(await client().list()).toMatchObject([
      {
        slack_team_name: 'Acme',
        slack_channel_id: channel.channelId,
        installed_by_member_id: project.userId,
      },
    ]);
    const audited = `audit_log where action = 'slack_destination.connected' and actor_user_id = $1 and project_id is not null`;
    expect(await countRows(culprit, audited, [project.userId])).toBe(1);
  });

  it.each([
    ['/settings', '/settings?slack_connect=success'],
    ['/a?tab=1#slack', '/a?tab=1&slack_connect=success#slack'],
    ['/@evil.test', '/@evil.test?slack_connect=success'],
    ['/..//evil.test', '//evil.test?slack_connect=success'],
  ])('leads back to %s', async (returnTo, expected) => {
    expect(await client().connect(newChannel(), returnTo)).toBe(APP + expected);
  });

  it('changes the destination a channel has already, and makes it active again', async () => {
    const channel = newChannel();
    const before = await client().destination(channel);
    await culprit.database.query(
      {
        name: 'test-inactive',
        text: 'update slack_destinations set is_active = false where slack_destination_id = $1',
      },
      [before.slack_destination_id],
    );
    const after = await client().destination({ ...channel, channelName: '#renamed' });
    expect(after).toEqual({
      ...before,
      slack_channel_name: '#renamed',
      is_active: true,
      updated_at: after.updated_at,
    });
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  it('keeps no secret of Slack readable: no code, no token, no address', async () => {
    const seen = slack.secrets.length;
    await client().destination();
    const given = slack.secrets.slice(seen);
    // A code, the two parts of an address, a token.
    expect(given).toHaveLength(4);
    for (const secret of given) {
      expect(await tablesWith(culprit, secret)).toEqual([]);
    }
  });

  it('tells when the person says no', async () => {
    const seen = slack.requests.length;
    expect(await client().connect('cancels', '/p')).toBe(`${APP}/p?slack_connect=cancelled`);
    expect(slack.requests.length).toBe(seen);
  });

  it.each(['cut', 'silent', 'failing', 'garbage', 'enterprise'] satisfies SlackMode[])(
    'tells when Slack is %s, and connects nothing',
    async (mode) => {
      const before = await client().list();
      slack.setMode(mode);
      const location = await client()
        .connect(newChannel(), '/p')
        .finally(() => slack.setMode('up'));
      expect(location).toBe(`${APP}/p?slack_connect=error`);
      expect(await client().list()).toEqual(before);
    },
  );

  it.each([
    ['no code', (url: URL) => url.searchParams.delete('code')],
    ['a code Slack does not know', (url: URL) => url.searchParams.set('code', 'x')],
    ['two codes', (url: URL) => url.searchParams.append('code', 'x')],
    ['a code that is too long', (url: URL) => url.searchParams.set('code', 'x'.repeat(2049))],
    ['another error', (url: URL) => url.searchParams.set('error', 'server_error')],
    ['two errors', (url: URL) => (url.search += '&error=access_denied&error=access_denied')],
  ])('tells of %s', async (_, change) => {
    const url = new URL(slack.visit(await client().installUrl('/p'), newChannel()));
    change(url);
    expect((await follow(url.href)).location).toBe(`${APP}/p?slack_connect=error`);
  });

  it('tells of a failure of our own, and keeps the state used', async () => {
    const url = slack.visit(await client().installUrl('/p'), newChannel());
    const refuse = (isOn: boolean) =>
      culprit.database.script(
        isOn
          ? 'alter table slack_destinations add constraint test_refuse check (false) not valid'
          : 'alter table slack_destinations drop constraint test_refuse',
      );
    await refuse(true);
    const { location } = await follow(url).finally(() => refuse(false));
    expect(location).toBe(`${APP}/p?slack_connect=error`);
    expect((await follow(url)).location).toBe(`${APP}/?slack_connect=error`);
  });

  it('ignores parameters it does not know', async () => {
    const url = slack.visit(await client().installUrl('/p'), newChannel());
    const { location } = await follow(`${url}&added=1&added=2`);
    expect(location).toBe(`${APP}/p?slack_connect=success`);
  });

  it('checks membership and plan again', async () => {
    const other = await culprit.createProject({ plan: 'team' });
    const otherClient = slackClient(culprit, slack, other);
    const url = slack.visit(await otherClient.installUrl('/p'), newChannel());
    await setPlan(culprit, other, 'solo');
    const browser = { cookie: await otherClient.sessionCookie() };
    expect((await followCallback(culprit, url, browser)).location).toBe(`${APP}/p?slack_connect=error`);
    await setPlan(culprit, other, 'team');

    const member = await createCollaborator(culprit, other, 'member');
    const byMember = slackClient(culprit, slack, { ...other, ...member });
    const memberUrl = slack.visit(await byMember.installUrl('/p'), newChannel());
    const memberBrowser = { cookie: await byMember.sessionCookie() };
    await managementClient(culprit, other.memberToken).delete(
      `/v1/projects/${other.projectId}/members/${member.userId}`,
    );
    const { location } = await followCallback(culprit, memberUrl, memberBrowser);
    expect(location).toBe(`${APP}/p?slack_connect=error`);
    expect(await otherClient.list()).toEqual([]);
  });

  it('connects the channel of a plain member', async () => {
    const other = await culprit.createProject({ plan: 'team' });
    const member = await createCollaborator(culprit, other, 'member');
    const channel = newChannel();
    expect(await slackClient(culprit, slack, { ...other, ...member }).connect(channel, '/p')).toBe(
      `${APP}/p?slack_connect=success`,
    );
    expect(await slackClient(culprit, slack, other).list()).toMatchObject([
      { slack_channel_id: channel.channelId, installed_by_member_id: member.userId },
    ]);
  });
});

describe('the state', () => {
  const root = `${APP}/?slack_connect=error`;

  it('works once', async () => {
    const url = slack.visit(await client().installUrl('/p'), newChannel());
    const both = await Promise.all([follow(url), follow(url)]);
    expect(both.map(({ location }) => location).sort()).toEqual([root, `${APP}/p?slack_connect=success`]);
  });

  it('works for ten minutes', async () => {
    const url = slack.visit(await client().installUrl('/p'), newChannel());
    const late = slack.visit(await client().installUrl('/p'), newChannel());
    try {
      await moveClock(culprit.database, STATE_LIFE_MS - 30_000);
      expect((await follow(url)).location).toBe(`${APP}/p?slack_connect=success`);
      await moveClock(culprit.database, STATE_LIFE_MS + 30_000);
      expect((await follow(late)).location).toBe(root);
    } finally {
      await moveClock(culprit.database, 0);
    }
  });

  it('is refused when it is missing, repeated, too long, forged or of another signature', async () => {
    const seen = slack.requests.length;
    const url = new URL(slack.visit(await client().installUrl('/p'), newChannel()));
    const state = url.searchParams.get('state') ?? '';
    const [nonce = '', signature = ''] = state.split('.');
    const forged = [
      '',
      'forged',
      `${nonce}.${'A'.repeat(43)}`,
      `${'A'.repeat(43)}.${signature}`,
      state + state,
      `${state}.`,
      'x'.repeat(2049),
    ];
    for (const wrong of forged) {
      url.searchParams.set('state', wrong);
      expect((await follow(url.href)).location).toBe(root);
    }
    url.searchParams.set('state', state);
    const { location } = await follow(`${url.href}&state=${state}`);
    expect(location).toBe(root);
    expect(slack.requests.length).toBe(seen);
  });

  it('is refused when another key signed it, even if it were stored', async () => {
    const state = createState(new Secret(randomBytes(32)));
    await insertInstall(culprit.database, stateHash(state), {
      userId: project.userId,
      projectId: parseId(['proj'], project.projectId) ?? '',
      returnTo: '/p',
      isBrowserBound: false,
    });
    const url = `${APP}/v1/slack/app/callback?error=access_denied&state=${state}`;
    expect((await follow(url)).location).toBe(root);
  });

  it('of a browser works in that browser only, where others cannot use it up', async () => {
    const answer = await owner.request('GET', `${installPath()}&return_to=/p`);
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    const url = slack.visit(Reflect.get(Object(answer.body), 'install_url'), newChannel());
    expect(await followCallback(culprit, url)).toEqual({ location: root, cookies: [] });
    expect(await follow(url)).toEqual({ location: root, cookies: [] });
    const other = cookie.replace(/=.{4}/, '=AAAA');
    expect((await followCallback(culprit, url, { cookie: other })).location).toBe(root);
    expect(await followCallback(culprit, url, { cookie })).toEqual({
      location: `${APP}/p?slack_connect=success`,
      cookies: ['svc_slack_state=; Path=/v1/slack/app; Max-Age=0; HttpOnly; SameSite=Lax'],
    });
  });

  it('of a browser is kept on https in a cookie that no neighbouring host can plant', async () => {
    const app = slackAppOf(slack, { requestTimeoutMs: 300 });
    const signIn = { isCookieSecure: true };
    const secure = await startCulprit({ slack: app, appUrl: APP, duties: [], signIn });
    try {
      const { projectId } = await secure.createProject({ email: 'https@example.test' });
      const person = await signInAs(secure, 'https@example.test');
      const answer = await person.request('GET', `/v1/slack/app/install-url?project_id=${projectId}`);
      const cookie = answer.headers.get('set-cookie') ?? '';
      expect(cookie).toMatch(/^__Host-svc_slack_state=[\w.-]{87}; Path=\/; .*; Secure$/);
      const url = slack.visit(Reflect.get(Object(answer.body), 'install_url'), newChannel());
      const planted = cookie.replace('__Host-', '').replace(/;.*/, '');
      expect((await followCallback(secure, url, { cookie: planted })).location).toBe(root);
      const kept = { cookie: `svc_slack_state=x; __Host-${planted}` };
      expect((await followCallback(secure, url, kept)).location).toContain('slack_connect=success');
    } finally {
      await secure.stop();
    }
  });

  it('of a token works in a browser of the same person only, where others cannot use it up', async () => {
    const stranger = await signInAs(culprit, newAddress('stranger'));
    const before = (await client().list()).length;
    const url = slack.visit(await client().installUrl('/p'), newChannel());
    for (const headers of [{}, stranger.headers, { authorization: `Bearer ${project.memberToken}` }]) {
      expect(await followCallback(culprit, url, headers)).toEqual({ location: root, cookies: [] });
    }
    expect(await client().list()).toHaveLength(before);
    expect((await follow(url)).location).toBe(`${APP}/p?slack_connect=success`);
  });

  it('stands nowhere in the database', async () => {
    const state = new URL(await client().installUrl()).searchParams.get('state') ?? '';
    expect(await tablesWith(culprit, state.slice(0, 43))).toEqual([]);
  });
});
