import { createHash, generateKeyPairSync } from 'node:crypto';
import { api } from '@culprit/contract/endpoints/api';
import { DELETION_PHRASE } from '@culprit/contract/workspace/account';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { EXR, FRONTEND } from '../conformance/incidents-fixtures.ts';
import { countRows } from '../support/count-rows.ts';
import { eventually } from '../support/eventually.ts';
import { exchange, openBrowser, openDevice, personWith, plaintextIn } from '../support/github-client.ts';
import { startHttpTarget } from '../support/http-target.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { codeIn, nextMail } from '../support/mailbox.ts';
import { managementClient } from '../support/management-client.ts';
import { accept, invite, newAddress, signInAs } from '../support/people.ts';
import { acknowledgement, sendEvents, sendRequest } from '../support/send-events.ts';
import { askForCode, browserOf, requestCode, verifyCode } from '../support/sign-in.ts';
import { followCallback, newChannel, slackClient } from '../support/slack-client.ts';
import { sendOperation } from './operation-request.ts';
import { operationRequests } from './operation-requests.ts';
import type { PlantedSecret, SecretWorld } from './plant-secrets.ts';
import { textAt } from './request-state.ts';
import { readTables } from './secret-search.ts';
import { openSession } from './tenant.ts';

/** The ways in which secrets come about and are used, in the order in which they build on each other. */
export const secretUses: readonly ((world: SecretWorld) => Promise<void>)[] = [
  useTokens,
  signInAndOut,
  invitePeople,
  useProbes,
  useWebhooks,
  useGithub,
  useSlack,
  useChannels,
  useTrackers,
  sendEventsWithCredentials,
  presentWrongly,
  askForCodesWithoutMail,
  deleteAccounts,
  troubleWorker,
  readEverything,
];

/** Shown by one answer, to whoever it is for. */
export function once(path: RegExp): NonNullable<PlantedSecret['shown']> {
  return { in: path, times: 1 };
}

async function useTokens(world: SecretWorld): Promise<void> {
  const { theatre, stage } = world;
  const { tenant } = stage;
  const { projectId } = tenant.project;
  const owner = managementClient(theatre.culprit, tenant.owner.memberToken);
  const member = await owner.createMemberToken('used');
  world.plant('member token', member.plaintext, once(/member\/tokens$/));
  await world.request('GET', '/v1/projects', member.plaintext);
  const revoked = await owner.createMemberToken('revoked');
  world.plant('revoked member token', revoked.plaintext, once(/member\/tokens$/));
  await world.request('POST', `/v1/member/tokens/${revoked.token_id}/revoke`, revoked.plaintext);
  await world.request('GET', '/v1/projects', revoked.plaintext);
  const project = await owner.createProjectToken(projectId);
  world.plant('project token', project.plaintext, once(/\/tokens$/));
  acknowledgement(await sendEvents(theatre.culprit.url, project.plaintext, [EXR()]));
  const dead = await owner.createProjectToken(projectId);
  world.plant('revoked project token', dead.plaintext, once(/\/tokens$/));
  await world.request(
    'POST',
    `/v1/projects/${projectId}/tokens/${dead.token_id}/revoke`,
    tenant.owner.memberToken,
  );
  await sendEvents(theatre.culprit.url, dead.plaintext, [EXR()]);
}

async function signInAndOut(world: SecretWorld): Promise<void> {
  const { theatre } = world;
  const { culprit } = theatre;
  const email = newAddress('visitor');
  world.plant('replaced sign-in code', await requestCode(culprit, email));
  const code = world.plant('sign-in code', await requestCode(culprit, email));
  const browser = browserOf(await verifyCode(culprit.url, email, code));
  world.plant('session cookie', browser.cookie.replace('svc_session=', ''), once(/verify-code$/));
  // A page reads it whenever it is loaded.
  world.plant('CSRF token', browser.csrfToken, { in: /verify-code$|auth\/session$/, times: 2 });
  await sendRequest(`${culprit.url}/v1/auth/session`, { method: 'GET', headers: browser.headers });
  await sendRequest(`${culprit.url}/v1/auth/logout`, { headers: { cookie: browser.cookie } });
  await sendRequest(`${culprit.url}/v1/auth/logout`, { headers: browser.headers });
  await sendRequest(`${culprit.url}/v1/projects`, { method: 'GET', headers: browser.headers });

  const kept = browserOf(
    await verifyCode(
      culprit.url,
      email,
      world.plant('second sign-in code', await requestCode(culprit, email)),
    ),
  );
  world.plant('cookie of a live session', kept.cookie.replace('svc_session=', ''), once(/verify-code$/));
  const made = await sendRequest(`${culprit.url}/v1/member/tokens`, {
    headers: kept.headers,
    body: JSON.stringify({ label: 'by cookie' }),
  });
  world.plant(
    'member token made by cookie',
    textAt(made.body, 'token', 'plaintext'),
    once(/member\/tokens$/),
  );
}

async function invitePeople(world: SecretWorld): Promise<void> {
  const { theatre, stage } = world;
  const { culprit } = theatre;
  const { projectId, memberToken } = stage.tenant.project;
  const inviter = {
    request: (method: string, path: string, body?: unknown) => world.request(method, path, memberToken, body),
  };
  const open = await invite(culprit, inviter, projectId, newAddress('invited'));
  world.plant('open invite token', open.token);
  const person = await signInAs(culprit, newAddress('joins'));
  const accepted = await invite(culprit, inviter, projectId, person.email);
  await accept(person, world.plant('accepted invite token', accepted.token));
  const canceled = await invite(culprit, inviter, projectId, newAddress('unwanted'));
  world.plant('canceled invite token', canceled.token);
  await inviter.request('DELETE', `/v1/projects/${projectId}/invites/${canceled.invite.invite_id}`);
  await accept(person, canceled.token);
}

async function useProbes(world: SecretWorld): Promise<void> {
  const { stage } = world;
  const { projectId, memberToken, projectToken } = stage.tenant.project;
  const { body } = await world.request('POST', `/v1/projects/${projectId}/probes/activate`, memberToken, {
    label_pattern: 'checkout.*',
  });
  const activation = /probes\/activate$/;
  world.plant('trigger token', textAt(body, 'trigger_token'), once(activation));
  world.plant('compatible trigger token', textAt(body, 'compat_trigger_token'), once(activation));
  const config = await world.request('GET', '/v1/sdk/config', projectToken);
  // Clients check trigger tokens with it, so it is theirs.
  world.plant('trigger token key', textAt(config.body, 'trigger_token_key'), {
    in: /sdk\/config$/,
    times: 2,
  });
}

async function useWebhooks(world: SecretWorld): Promise<void> {
  const { theatre, stage } = world;
  const { project } = stage.tenant;
  const made = await world.request('POST', '/v1/webhooks', project.memberToken, {
    project_id: project.projectId,
    url: theatre.receiver.url,
    events: ['verification.passed'],
  });
  world.plant('signing secret', textAt(made.body, 'signing_secret'), once(/\/webhooks$/));
  const path = `/v1/webhooks/${textAt(made.body, 'webhook', 'webhook_id')}/test`;
  await world.request('POST', path, project.memberToken);
  await eventually(() => {
    if (theatre.receiver.received.length === 0) throw new Error('nothing is delivered');
  });
}

async function useGithub(world: SecretWorld): Promise<void> {
  const { theatre } = world;
  const { culprit, github } = theatre;
  github.addPerson(personWith(40, newAddress('github')));
  const browser = openBrowser(culprit, github);
  const page = await browser.start();
  world.plant('OAuth state', browser.cookies.get('svc_oauth') ?? '', once(/github\/start$/));
  await browser.callback(await github.visit(page, { as: 40 }));
  world.plant(
    'session cookie by GitHub',
    browser.cookies.get('svc_session') ?? '',
    once(/github\/callback$/),
  );
  const device = openDevice(culprit);
  const denied = await device.start();
  const { requestId, userCode } = await device.start();
  for (const [name, each] of [
    ['denied', denied],
    ['claimed', { requestId, userCode }],
  ] as const) {
    world.plant(`${name} device request`, each.requestId, once(/device\/start$/));
    world.plant(`code of the ${name} device`, each.userCode, once(/device\/start$/));
  }
  github.answerDevice(denied.userCode, 'denies');
  await device.poll(denied.requestId);
  github.answerDevice(userCode, { as: 40 });
  await device.poll(requestId);
  world.plant('claimed member token', plaintextIn(await device.claim(requestId)), once(/device\/claim$/));
  const personal = world.plant('GitHub token', github.createToken(40));
  world.plant(
    'exchanged member token',
    plaintextIn(await exchange(culprit, personal)),
    once(/token\/exchange$/),
  );
  await exchange(culprit, world.plant('GitHub token that is none', `gho_${'q7'.repeat(18)}`));
  for (const [index, secret] of [...new Set(github.secrets)].entries()) {
    if (secret !== personal) world.plant(`secret ${index} of GitHub`, secret);
  }
}

async function useSlack(world: SecretWorld): Promise<void> {
  const { theatre, stage } = world;
  const { culprit, slack } = theatre;
  const { projectId, memberToken } = stage.tenant.project;
  const channel = newChannel();
  const client = slackClient(culprit, slack, stage.tenant.project);
  const page = await client.installUrl();
  world.plant('state of Slack', new URL(page).searchParams.get('state') ?? '', once(/install-url/));
  const path = `/v1/projects/${projectId}/slack/destinations`;
  const browser = { cookie: await client.sessionCookie() };
  await followCallback(culprit, slack.visit(page, channel), browser);
  await followCallback(culprit, slack.visit(page, channel), browser);
  const { body } = await world.request('GET', path, memberToken);
  const [made] = isJsonObject(body) && Array.isArray(body.destinations) ? body.destinations : [];
  const destination = `${path}/${textAt(made, 'slack_destination_id')}`;
  await world.request('POST', `${destination}/test`, memberToken);
  slack.refuse(channel.channelId, { status: 500, word: 'rollup_error' });
  await world.request('POST', `${destination}/test`, memberToken);
  world.plant('client secret of Slack', slack.clientSecret);
  for (const [index, secret] of [...new Set(slack.secrets)].entries()) {
    world.plant(`secret ${index} of Slack`, secret);
  }
}

/** A receiver that fails, and answers with what it was sent. */
async function startEcho(world: SecretWorld): Promise<string> {
  const target = await startHttpTarget({
    answer({ url, headers }, response) {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`${url} ${headers.authorization}`);
    },
  });
  const { stop } = world;
  world.stop = async () => {
    await target.close();
    await stop.call(world);
  };
  return `http://127.0.0.1:${target.port}`;
}

/** Every channel of alerts that has a token, or an address which is one; set, changed and tested in vain. */
async function useChannels(world: SecretWorld): Promise<void> {
  const { stage } = world;
  const { projectId, memberToken } = stage.tenant.project;
  const echo = await startEcho(world);
  const secret = (name: string, times = 0) => {
    const named = `${name}, ${world.planted.length}`;
    const value = createHash('sha256').update(named).digest('hex').slice(0, 32);
    return world.plant(named, value, times === 0 ? null : { in: /^\/v1\/alerts/, times });
  };
  // Answers show addresses as they were given, to those who may change them (docs/contract/notifications.md 1.4).
  const address = (name: string, times: number) => `${echo}/hooks/${secret(`address of ${name}`, times)}`;
  const configs: [channel: string, config: (times: number) => object][] = [
    ['telegram', () => ({ token: `77:${secret('token of Telegram')}`, chat_id: '-1', target_url: echo })],
    ['pagerduty', () => ({ token: secret('key of PagerDuty'), target_url: echo })],
    ['ntfy', () => ({ target_url: `${echo}/topic`, token: `tk_${secret('token of ntfy')}` })],
    ['teams', (times) => ({ webhook_url: address('Teams', times) })],
    ['mattermost', (times) => ({ webhook_url: address('Mattermost', times) })],
    ['discord', (times) => ({ webhook_url: address('Discord', times) })],
    [
      'template',
      (times) => ({
        target_url: address('a template', times),
        body: '{"a":"{{title}}"}',
        headers: [`Authorization: ${secret('header of a template')}`],
      }),
    ],
  ];
  for (const [channel, config] of configs) {
    const rule = { project_id: projectId, condition_type: 'new_incident', channel, config: config(1) };
    const made = await world.request('POST', '/v1/alerts', memberToken, rule);
    if (made.status !== 201) throw new Error(`${channel}: ${JSON.stringify(made.body)}`);
    const path = `/v1/alerts/${textAt(made.body, 'alert', 'alert_id')}`;
    // Shown by the change, and to an owner, an admin and a member.
    const changed = await world.request('PATCH', path, memberToken, { channel, config: config(4) });
    if (changed.status !== 200) throw new Error(`${channel}: ${JSON.stringify(changed.body)}`);
    await world.request('POST', `${path}/test`, memberToken);
    await world.request('PATCH', path, memberToken, { channel, config: { ...config(0), unknown: 1 } });
    await world.request('GET', `${path}/deliveries`, memberToken);
  }
  const ntfy = { url: `${echo}/mine`, token: `tk_${secret('token of a person')}` };
  const set = await world.request('PATCH', '/v1/account/notifications', memberToken, { ntfy });
  if (set.status !== 200) throw new Error(`ntfy: ${JSON.stringify(set.body)}`);
  await world.request('GET', '/v1/account/notifications', memberToken);
}

/** A token, the key of an App, and a webhook, whose tracker fails. */
async function useTrackers(world: SecretWorld): Promise<void> {
  const { stage } = world;
  const { projectId, memberToken } = stage.tenant.project;
  const path = `/v1/projects/${projectId}/trackers`;
  const echo = await startEcho(world);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  world.plant('line of the key of an App', key.split('\n')[3] ?? '');
  const settings = [
    {
      kind: 'github',
      target: 'acme/shop',
      token: world.plant('token of GitHub Issues', `github_pat_${'t4'.repeat(20)}`),
    },
    { kind: 'github', target: 'acme/shop', token: key, user: '4711' },
    { kind: 'generic', target: 'support' },
  ];
  for (const each of settings) {
    const made = await world.request('POST', path, memberToken, { ...each, base_url: echo });
    if (made.status !== 201) throw new Error(`${each.kind}: ${JSON.stringify(made.body)}`);
    if (each.kind === 'generic') {
      world.plant('shared secret of a tracker', textAt(made.body, 'secret'), once(/trackers$/));
    }
    const tracker = `${path}/${textAt(made.body, 'tracker', 'tracker_id')}`;
    const { body } = await world.request('POST', `${tracker}/hook`, memberToken);
    const address = new URL(textAt(body, 'url')).pathname;
    world.plant(`secret of hook ${world.planted.length}`, textAt(body, 'secret'), once(/\/hook$/));
    world.plant(`address of hook ${world.planted.length}`, address.split('/').at(-1) ?? '', once(/\/hook$/));
    await world.request('POST', address, null, { key: 'x' });
    await world.request('POST', `${tracker}/test`, memberToken);
    await world.request('PATCH', tracker, memberToken, {
      token: each.token ?? 'other-secret-of-ours',
      target: 1,
    });
  }
}

/** Libraries put the token into events for beacons; applications send along what their own clients sent them. */
async function sendEventsWithCredentials(world: SecretWorld): Promise<void> {
  const { theatre, stage } = world;
  const { culprit } = theatre;
  const { projectId, projectToken } = stage.tenant.project;
  const origin = 'https://shop.example.com';
  const beacon = world.plant('token of a beacon', await culprit.createProjectToken(projectId, [origin]));
  const event = { ...FRONTEND(), project_token: beacon };
  const answer = await sendRequest(`${culprit.url}/v1/events`, {
    headers: { origin },
    body: JSON.stringify({ events: [event] }),
  });
  if (acknowledgement(answer).accepted !== 1) throw new Error('the beacon was not accepted');
  const other = world.plant('token inside an event', await culprit.createProjectToken(projectId));
  const bearer = world.plant('bearer token of an application', `app_${'k3'.repeat(16)}`);
  const cookie = world.plant('cookie of an application', `sid_${'m5'.repeat(16)}`);
  const password = world.plant('password of an application', `pw_${'z9'.repeat(16)}`);
  const sent = EXR(
    { context: { secret: bearer, nested: { token: cookie } } },
    {
      headers: { Authorization: `Bearer ${bearer}`, cookie: `sid=${cookie}`, 'x-api-key': bearer },
      body: { password, deep: [{ Password: password }] },
      query: { token: bearer },
    },
    { headers: { 'set-cookie': `sid=${cookie}` } },
  );
  const accepted = await sendEvents(culprit.url, projectToken, [{ ...sent, project_token: other }]);
  if (acknowledgement(accepted).accepted !== 1) throw new Error('the event was not accepted');
}

/** Credentials where they do not belong, and ones with a letter wrong: as good as right to somebody who reads them. */
async function presentWrongly(world: SecretWorld): Promise<void> {
  const { theatre, stage } = world;
  const { url } = theatre.culprit;
  const { memberToken, projectToken } = stage.tenant.project;
  const stray = world.plant('member token in an address', `svc_mem_${'Aq3'.repeat(14)}z`);
  await world.request('GET', `/v1/projects?token=${stray}`, null);
  await world.request('GET', `/v1/projects?token=${stray}`, memberToken);
  await world.request('GET', `/v1/${stray}`, null);
  await world.request('GET', `/v1/incidents/${stray}`, memberToken);
  await world.request('GET', `/v1/projects/${stray}/tokens?limit=${stray}`, memberToken);
  await world.request('POST', '/v1/member/tokens', memberToken, {
    label: 'x',
    token: stray,
    password: stray,
  });
  await sendRequest(`${url}/v1/projects`, {
    method: 'GET',
    headers: { authorization: `Basic ${btoa(`x:${stray}`)}` },
  });
  await sendRequest(`${url}/v1/projects`, {
    method: 'GET',
    headers: { authorization: stray, cookie: `a=${stray}` },
  });
  for (const token of [memberToken, projectToken]) {
    const near = world.plant(
      `mistyped ${token.slice(0, 8)}`,
      `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`,
    );
    await world.request('GET', '/v1/projects', near);
    await sendEvents(url, near, [EXR()]);
    await world.request('GET', '/v1/sdk/config', near);
  }
  const guessed = world.plant('guessed invite token', `svc_invite_${'Bx7'.repeat(14)}k`);
  const person = await signInAs(theatre.culprit, newAddress('guesses'));
  await accept(person, guessed);
  const forged = world.plant('forged CSRF token', 'f0rgedC5RFt0ken'.repeat(3).slice(0, 43));
  await sendRequest(`${url}/v1/auth/logout`, { headers: { ...person.headers, 'x-csrf-token': forged } });
}

/** Nobody sends mail while the tables are read, so what is to be sent stands in them. */
async function askForCodesWithoutMail(world: SecretWorld): Promise<void> {
  const { theatre, stage } = world;
  const { culprit } = theatre;
  const email = newAddress('waits');
  const { projectId, memberToken } = stage.tenant.project;
  const invited = newAddress('waits-too');
  await culprit.stopWorker();
  await askForCode(culprit.url, email);
  await world.request('POST', `/v1/projects/${projectId}/invite`, memberToken, { email: invited });
  world.queuedMails = await countRows(culprit, `jobs where lane = 'mail'`);
  world.queuedTables = await readTables(culprit);
  await culprit.startWorker();
  world.plant('queued sign-in code', codeIn(await nextMail(culprit.mailDirectory, email)));
  const { text } = await nextMail(culprit.mailDirectory, invited);
  world.plant('queued invite token', /token=(\S+)$/m.exec(text)?.[1] ?? '');
  await laneIsEmpty(culprit, 'mail');
}

async function deleteAccounts(world: SecretWorld): Promise<void> {
  const { theatre, stage } = world;
  const { culprit } = theatre;
  const { owner, organizationId } = stage.host;
  const { cookie, csrfToken } = await openSession(culprit, owner, organizationId);
  world.plant('session cookie of a deleted person', cookie.replace('svc_session=', ''));
  const headers = { cookie, 'x-csrf-token': csrfToken };
  const body = { confirmation_text: DELETION_PHRASE };
  await sendRequest(`${culprit.url}/v1/account/delete/request-otp`, { headers, body: JSON.stringify(body) });
  const otp = world.plant(
    'deletion code',
    codeIn(await nextMail(culprit.mailDirectory, owner.email, 0, 'Code')),
  );
  const answer = await sendRequest(`${culprit.url}/v1/account`, {
    method: 'DELETE',
    headers,
    body: JSON.stringify({ ...body, otp }),
  });
  if (answer.status !== 200) throw new Error(`deleting answered ${answer.status}`);
}

/** A job that is none, so that the threads of the worker have something to log. */
async function troubleWorker(world: SecretWorld): Promise<void> {
  const { theatre, stage, lines } = world;
  const { database } = theatre.culprit;
  await database.query(
    {
      name: 'test-odd-job',
      text: `insert into jobs (lane, kind, fairness_key, payload) values ('events', 'incidents.process-batch', $1, '{}')`,
    },
    [stage.tenant.project.projectId.replace('proj_', '')],
  );
  await eventually(() => {
    if (!lines.join('').includes('worker-events')) throw new Error('the worker logs nothing');
  });
  await database.query({
    name: 'test-no-odd-job',
    text: `delete from jobs where kind = 'incidents.process-batch' and payload = '{}'`,
  });
}

/** Everything that can be read, by everybody who can read it, when all secrets are there. */
async function readEverything(world: SecretWorld): Promise<void> {
  const { theatre, stage } = world;
  const { culprit } = theatre;
  for (const endpoint of api.filter(({ method, auth }) => method === 'GET' && auth !== 'public')) {
    const make = operationRequests[endpoint.id];
    if (make === undefined) throw new Error(`no request is made up for ${endpoint.id}`);
    for (const role of ['owner', 'admin', 'member'] as const) {
      const actor = stage.tenant[role];
      const { cookie } = await openSession(culprit, actor, stage.tenant.organizationId);
      const presented =
        endpoint.auth === 'project_token'
          ? { authorization: `Bearer ${stage.tenant.project.projectToken}` }
          : { cookie };
      if (endpoint.auth === 'project_token' && role !== 'owner') continue;
      const asked = await make(stage, actor);
      const limit = endpoint.query?.properties.limit === undefined ? {} : { limit: '100' };
      await sendOperation(
        culprit.url,
        endpoint,
        { ...asked, query: { ...asked.query, ...limit } },
        presented,
      );
    }
  }
}
