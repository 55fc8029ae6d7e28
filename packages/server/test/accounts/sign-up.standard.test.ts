import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SignInSettings } from '../../src/workspace/accounts/sign-in-settings.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestCulpritOptions } from '../support/culprit.ts';
import { codeIn, mailsTo, nextMail } from '../support/mailbox.ts';
import { moveClock } from '../support/move-clock.ts';
import { accept, invite, join, newAddress, type Person, signInAs } from '../support/people.ts';
import { sendRequest } from '../support/send-events.ts';
import { askForCode, browserOf, requestCode, verifyCode } from '../support/sign-in.ts';

/** Who gets an account and an organization, and when (docs/contract/account.md 1.7, 2.2, 2.3). */

const DAY_MS = 86_400_000;
const started: TestCulprit[] = [];

async function start(options: TestCulpritOptions): Promise<TestCulprit> {
  const culprit = await startCulprit({ duties: [], ...options });
  started.push(culprit);
  return culprit;
}
afterAll(() => Promise.all(started.map((culprit) => culprit.stop())));

/** The owner of a project, who can invite: their account was there before sign-up was restricted. */
async function owner(culprit: TestCulprit): Promise<{ person: Person; projectId: string }> {
  const email = newAddress('owner');
  const { projectId } = await culprit.createProject({ email, plan: 'team' });
  return { person: await signInAs(culprit, email), projectId };
}

async function isMailed(culprit: TestCulprit, email: string): Promise<boolean> {
  expect((await askForCode(culprit.url, email)).status).toBe(200);
  await culprit.drain();
  return (await mailsTo(culprit.mailDirectory, email, 'Sign-in code')).length > 0;
}

async function organizationsOf(culprit: TestCulprit, userId: string): Promise<number> {
  return await countRows(culprit, 'organizations where owner_user_id = $1', [userId]);
}

describe('sign-up', () => {
  const cases: readonly [
    words: string,
    settings: Partial<SignInSettings>,
    anybody: boolean,
    invited: boolean,
  ][] = [
    ['open', { signup: 'open' }, true, true],
    ['for the invited', { signup: 'invited' }, false, true],
    ['closed', { signup: 'closed' }, false, false],
    ['open for a domain of others', { signup: 'open', signupDomains: ['corp.test'] }, false, false],
    ['open for two domains', { signup: 'open', signupDomains: ['corp.test', 'example.test'] }, true, true],
    ['open for a part of the domain', { signup: 'open', signupDomains: ['ample.test'] }, false, false],
    ['open for a parent domain', { signup: 'open', signupDomains: ['test'] }, false, false],
    ['for the invited of a domain', { signup: 'invited', signupDomains: ['corp.test'] }, false, false],
  ];

  it.each(cases)('that is %s', async (_words, settings, anybody, invited) => {
    const culprit = await start({ signIn: settings });
    const { person, projectId } = await owner(culprit);
    expect(await isMailed(culprit, newAddress())).toBe(anybody);
    const guest = newAddress('guest');
    await invite(culprit, person, projectId, guest);
    expect(await isMailed(culprit, guest)).toBe(invited);
    await moveClock(culprit.database, 60_000);
    expect(await isMailed(culprit, person.email)).toBe(true);
  });

  it('for the invited is closed again when the sender of the invite may no longer invite', async () => {
    const culprit = await start({ signIn: { signup: 'invited' } });
    const { person, projectId } = await owner(culprit);
    const admin = await join(culprit, person, projectId, 'admin');
    const guest = newAddress('guest');
    await invite(culprit, admin, projectId, guest, 'admin');
    await person.request('DELETE', `/v1/projects/${projectId}/members/${admin.userId}`);
    expect(await isMailed(culprit, guest)).toBe(false);
    await invite(culprit, person, projectId, guest);
    await moveClock(culprit.database, 60_000);
    expect(await isMailed(culprit, guest)).toBe(true);
  });

  it('that was closed after the code was asked for makes no account, and does not say why', async () => {
    const open = await start({});
    const email = newAddress();
    const code = await requestCode(open, email);
    open.signInSettings.signup = 'closed';
    expect(await verifyCode(open.url, email, code)).toMatchObject({
      status: 400,
      body: { error: 'invalid_code' },
    });
    expect(await countRows(open, 'users where email = $1', [email])).toBe(0);
  });
});

describe('a first sign-in', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await start({ plans: HOSTED });
  });
  afterEach(() => moveClock(culprit.database, 0));

  it('makes one account and its organization on the default plan, however the address is written', async () => {
    const email = newAddress();
    const first = await culprit.signIn(email);
    expect(first.session).toMatchObject({ email, role: 'owner', organization_plan: 'free' });
    const code = await requestCode(culprit, email);
    const again = browserOf(await verifyCode(culprit.url, ` ${email.toUpperCase()}\t`, code));
    expect(again.session).toMatchObject({
      email,
      user_id: first.session.user_id,
      organization_id: first.session.organization_id,
    });
    expect(await organizationsOf(culprit, first.session.user_id)).toBe(1);
    const where =
      'users where user_id = $1 and email_verified_at is not null and terms_accepted_at is not null';
    expect(await countRows(culprit, where, [first.session.user_id])).toBe(1);
  });

  it('finds an account that an administrator made', async () => {
    const { person } = await owner(culprit);
    expect(await organizationsOf(culprit, person.userId)).toBe(1);
    expect(await countRows(culprit, 'users where email = $1', [person.email])).toBe(1);
  });

  it.each(['request', 'verify'])('starts the trial that the %s asked for', async (where) => {
    const email = newAddress();
    const wish = { requested_trial_plan: 'solo' };
    await askForCode(culprit.url, email, where === 'request' ? wish : { requested_trial_plan: 'team' });
    const code = codeIn(await nextMail(culprit.mailDirectory, email));
    const answer = await verifyCode(culprit.url, email, code, { body: where === 'verify' ? wish : {} });
    expect(browserOf(answer).session.organization_plan).toBe('solo');
    // Only the first sign-in does.
    const later = await verifyCode(culprit.url, email, await requestCode(culprit, email), {
      body: { requested_trial_plan: 'team' },
    });
    expect(browserOf(later).session.organization_plan).toBe('solo');
  });

  it('starts no trial later, and none of a plan nobody can try', async () => {
    const email = newAddress();
    await culprit.signIn(email);
    const later = await verifyCode(culprit.url, email, await requestCode(culprit, email), {
      body: { requested_trial_plan: 'team' },
    });
    expect(browserOf(later).session.organization_plan).toBe('free');
    expect(
      await verifyCode(culprit.url, email, '123456', { body: { requested_trial_plan: 'free' } }),
    ).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
  });

  it('of an invited person makes no organization before their first project', async () => {
    const { person, projectId } = await owner(culprit);
    const email = newAddress('guest');
    const { token } = await invite(culprit, person, projectId, email);
    const guest = await signInAs(culprit, email);
    expect(await organizationsOf(culprit, guest.userId)).toBe(0);
    const host = (await culprit.signIn(person.email)).session.organization_id;
    // Before and after the invite was accepted, at this and at the next sign-in.
    expect(await sessionOf(guest)).toMatchObject({ organization_id: host, role: 'member' });
    expect((await accept(guest, token)).status).toBe(200);
    expect(await sessionOf(guest)).toMatchObject({ organization_id: host, role: 'member' });
    const { session } = await culprit.signIn(email);
    expect(session).toMatchObject({ organization_id: host, role: 'member' });
    expect((await guest.request('GET', '/v1/billing')).status).toBe(403);
    expect((await guest.request('POST', '/v1/projects', { name: 'own' })).status).toBe(201);
    expect(await organizationsOf(culprit, guest.userId)).toBe(1);
    expect(await sessionOf(guest)).toMatchObject({ role: 'owner' });
  });

  it('behind an invite that ended gives an organization like any other', async () => {
    const { person, projectId } = await owner(culprit);
    const [late, canceled] = [newAddress('late'), newAddress('canceled')];
    await invite(culprit, person, projectId, late);
    const made = await invite(culprit, person, projectId, canceled);
    const path = `/v1/projects/${projectId}/invites/${made.invite.invite_id}`;
    expect((await person.request('DELETE', path)).status).toBeLessThan(300);
    expect((await culprit.signIn(canceled)).session.role).toBe('owner');
    await moveClock(culprit.database, 7 * DAY_MS + 1000);
    expect((await culprit.signIn(late)).session.role).toBe('owner');
  });

  it('is followed by an own organization at the next one when nothing else is left', async () => {
    const { person, projectId } = await owner(culprit);
    const email = newAddress('guest');
    const { token } = await invite(culprit, person, projectId, email);
    const guest = await signInAs(culprit, email);
    await accept(guest, token);
    const before = await sessionOf(guest);
    expect((await guest.request('DELETE', `/v1/projects/${projectId}/membership`)).status).toBe(200);
    // The session that lives still shows where the person belonged.
    expect(await sessionOf(guest)).toEqual(before);
    const { session } = await culprit.signIn(email);
    expect(session.role).toBe('owner');
    expect(await organizationsOf(culprit, guest.userId)).toBe(1);
  });

  async function sessionOf(person: Person): Promise<unknown> {
    const { cookie = '' } = person.headers;
    const answer = await sendRequest(`${culprit.url}/v1/auth/session`, {
      method: 'GET',
      headers: { cookie },
    });
    return Object(answer.body).session;
  }
});

describe('the audit log', () => {
  it('tells of sign-up, sign-in, failures and sessions, and holds no secret and no address', async () => {
    const culprit = await start({});
    const email = newAddress();
    const code = await requestCode(culprit, email);
    await verifyCode(culprit.url, email, code === '000000' ? '000001' : '000000');
    const first = browserOf(await verifyCode(culprit.url, email, code));
    const second = browserOf(
      await verifyCode(culprit.url, email, await requestCode(culprit, email), {
        headers: { cookie: first.cookie },
      }),
    );
    await sendRequest(`${culprit.url}/v1/auth/logout`, { headers: second.headers });
    const rows = await culprit.database.query<{
      action: string;
      actor: string | null;
      subject: string | null;
    }>({
      name: 'test-audit',
      text: `select action, actor_user_id as actor, subject from audit_log order by audit_id`,
    });
    const { user_id: actor, session_id: one } = first.session;
    const user = `user:${actor}`;
    const two = second.session.session_id;
    expect(rows).toEqual([
      { action: 'sign_in.failed', actor: null, subject: null },
      { action: 'user.signed_up', actor, subject: user },
      { action: 'sign_in.succeeded', actor, subject: user },
      { action: 'session.started', actor, subject: `session:${one}` },
      { action: 'sign_in.succeeded', actor, subject: user },
      { action: 'session.started', actor, subject: `session:${two}` },
      { action: 'session.ended', actor, subject: `session:${one}` },
      { action: 'session.ended', actor, subject: `session:${two}` },
    ]);
    for (const secret of [email, code, first.cookie.slice(12), first.csrfToken, '127.0.0.1']) {
      expect(await countRows(culprit, 'audit_log as a where a::text like $1', [`%${secret}%`])).toBe(0);
    }
    expect(await countRows(culprit, `audit_log where address_class = 'loopback_ipv4'`)).toBe(rows.length);
  });

  it('that cannot be written stops nobody', async () => {
    const culprit = await start({});
    await culprit.database.script('alter table audit_log rename to audit_log_away');
    expect((await culprit.signIn(newAddress())).session.role).toBe('owner');
  });
});
