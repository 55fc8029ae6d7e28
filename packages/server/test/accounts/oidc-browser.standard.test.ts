import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLoggerTo } from '../../src/platform/log.ts';
import type { OidcSettings } from '../../src/workspace/accounts/oidc/oidc-settings.ts';
import { locationOf } from '../support/cookie-browser.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { mailsTo } from '../support/mailbox.ts';
import { type OidcBrowser, oidcSettingsFor, openOidcBrowser } from '../support/oidc-client.ts';
import { type Forgery, type OidcServer, startOidcServer } from '../support/oidc-server.ts';
import { askForCode } from '../support/sign-in.ts';

const APP = 'https://app.example.test';
const OPERATOR = 'root@example.test';
const UNAVAILABLE = `${APP}/login?error=oidc_unavailable`;

/** What the service logs. */
const lines: string[] = [];
let provider: OidcServer;
let culprit: TestCulprit;
/** A second service, whose client has no secret. */
let publicClient: TestCulprit;
let settings: OidcSettings;
let asFound: OidcSettings;

beforeAll(async () => {
  provider = await startOidcServer();
  settings = oidcSettingsFor(provider);
  const log = createLoggerTo({ write: (line) => void lines.push(line) }, { level: 'trace', role: 'test' });
  culprit = await startCulprit({ oidc: settings, appUrl: APP, operators: { emails: [OPERATOR] }, log });
  publicClient = await startCulprit({
    hasWorker: false,
    oidc: { ...settings, clientId: provider.publicClientId, clientSecret: null },
    appUrl: APP,
  });
  provider.serve(culprit.baseUrl);
  provider.people.set('ada', { email: 'ada@example.test', email_verified: true });
});
afterAll(async () => {
  await Promise.all([culprit?.stop(), publicClient?.stop()]);
  await provider?.close();
});
beforeEach(() => {
  asFound = { ...settings };
});
afterEach(() => {
  Object.assign(settings, asFound);
  Object.assign(culprit.signInSettings, { signup: 'open', signupDomains: [], codesFor: 'everyone' });
  provider.tamper('token', null);
  provider.tamper('me', null);
  provider.setDown(false);
});

const open = (): OidcBrowser => openOidcBrowser(culprit, provider);

/** A person with an address of their own at the provider. */
function addPerson(name: string, claims: JsonObject = {}): string {
  provider.people.set(name, { email: `${name}@example.test`, email_verified: true, ...claims });
  return name;
}

async function accountOf(email: string): Promise<string | null> {
  const [row] = await culprit.database.query<{ user_id: string }>(
    { name: 'test-account', text: 'select user_id from users where email = $1' },
    [email],
  );
  return row?.user_id ?? null;
}

describe('a sign-in with OpenID Connect', () => {
  it('starts a session, though the address is given at userinfo alone, and returns to the page it began at', async () => {
    const browser = open();
    const page = new URL(await browser.start('?return_to=/incidents%3Fq%3Da'));
    expect(page.searchParams.get('code_challenge_method')).toBe('S256');
    expect(page.searchParams.get('redirect_uri')).toBe(`${culprit.baseUrl}/v1/auth/oidc/callback`);
    const answer = await browser.callback(await provider.visit(page.href, { as: 'ada' }));
    expect(locationOf(answer)).toBe(`${APP}/incidents?q=a`);
    const session = await browser.session();
    expect(session).toMatchObject({
      email: 'ada@example.test',
      role: 'owner',
      auth_methods: { email: false, github: false, oidc: true },
    });
    expect([...browser.cookies.keys()]).toEqual(['svc_session']);
  });

  it('lasts as long as the setting says, in the browser and here', async () => {
    const browser = open();
    const answer = await browser.callback(await provider.visit(await browser.start(), { as: 'ada' }));
    expect(answer.headers.getSetCookie().join()).toContain('Max-Age=43200');
    const session = await browser.session();
    const hours =
      (Date.parse(String(session?.expires_at)) - Date.parse(String(session?.created_at))) / 3_600_000;
    expect(hours).toBe(12);
  });

  it('finds the same account again when name and address changed at the provider', async () => {
    addPerson('grace');
    const [first, second] = [open(), open()];
    await first.signIn('grace');
    addPerson('grace', { email: 'new-name@example.test', email_verified: false });
    expect(await second.signIn('grace')).toBe(`${APP}/`);
    expect((await second.session())?.user_id).toBe((await first.session())?.user_id);
    expect((await second.session())?.email).toBe('grace@example.test');
  });

  it('signs in to the account that has the verified address', async () => {
    const { userId } = await culprit.createProject({ email: 'owner@example.test' });
    addPerson('owner');
    const browser = open();
    await browser.signIn('owner');
    expect((await browser.session())?.user_id).toBe(userId);
  });

  it('is one account for parallel first sign-ins of one person', async () => {
    addPerson('parallel');
    const browsers = Array.from({ length: 4 }, open);
    await Promise.all(browsers.map((browser) => browser.signIn('parallel')));
    const sessions = await Promise.all(browsers.map((browser) => browser.session()));
    expect(new Set(sessions.map((session) => session?.user_id)).size).toBe(1);
    expect(sessions).not.toContain(null);
  });

  it('works as a public client, with PKCE alone', async () => {
    const browser = openOidcBrowser(publicClient, provider);
    expect(await browser.signIn(addPerson('public'))).toBe(`${APP}/`);
    expect(await browser.session()).toMatchObject({ email: 'public@example.test' });
  });

  it('works when the provider changes its keys', async () => {
    await open().signIn('ada');
    provider.rotateKeys();
    expect(await open().signIn('ada')).toBe(`${APP}/`);
  });

  it('is written down without a secret, and so is one that failed', async () => {
    const browser = open();
    await browser.signIn('ada');
    await browser.get('/v1/auth/oidc/callback?code=c&state=s');
    const rows = await culprit.database.query({
      name: 'test-audit',
      text: `select action, data from audit_log where data ->> 'method' = 'oidc' order by audit_id desc limit 2`,
    });
    expect(rows).toEqual([
      { action: 'sign_in.failed', data: { method: 'oidc', reason: 'invalid_oauth_state' } },
      { action: 'sign_in.succeeded', data: { method: 'oidc' } },
    ]);
  });
});

describe('a callback that does not belong to the browser', () => {
  /** What became of a callback, and that the provider heard nothing of it. */
  async function refusal(browser: OidcBrowser, callback: string): Promise<unknown[]> {
    const asked = provider.requests.length;
    const { status, body } = await browser.callback(callback);
    expect(provider.requests.length).toBe(asked);
    expect(await browser.session()).toBeNull();
    return [status, body];
  }
  const refused = [400, { error: 'invalid_oauth_state' }];

  it('is refused for another state, without one, and without the cookie', async () => {
    const browser = open();
    const callback = new URL(await provider.visit(await browser.start(), { as: 'ada' }));
    const other = new URL(callback);
    other.searchParams.set('state', 'another');
    expect(await refusal(browser, other.href)).toEqual(refused);
    other.searchParams.delete('state');
    expect(await refusal(browser, other.href)).toEqual(refused);
    expect(await refusal(open(), callback.href)).toEqual(refused);
    // None of these used up the sign-in of the browser.
    expect(locationOf(await browser.callback(callback.href))).toBe(`${APP}/`);
  });

  it('is refused when it is repeated', async () => {
    const browser = open();
    const callback = await provider.visit(await browser.start(), { as: 'ada' });
    const cookie = browser.cookies.get('svc_oidc') ?? '';
    await browser.callback(callback);
    const again = open();
    again.cookies.set('svc_oidc', cookie);
    expect(await refusal(again, callback)).toEqual(refused);
  });

  it('is refused when two browsers exchange their callbacks, and a code alone is worth nothing in another one', async () => {
    const [ada, mallory] = [open(), open()];
    const [adas, mallorys] = await Promise.all([
      provider.visit(await ada.start(), { as: 'ada' }),
      provider.visit(await mallory.start(), { as: addPerson('mallory') }),
    ]);
    expect(await refusal(ada, mallorys)).toEqual(refused);
    expect(await refusal(mallory, adas)).toEqual(refused);
    const mixed = new URL(adas);
    mixed.searchParams.set('state', new URL(mallorys).searchParams.get('state') ?? '');
    expect(locationOf(await mallory.callback(mixed.href))).toBe(UNAVAILABLE);
    expect(await mallory.session()).toBeNull();
  });

  it('is refused when it names another issuer, and leads nowhere when it hides the issuer', async () => {
    const browser = open();
    const callback = new URL(await provider.visit(await browser.start(), { as: 'ada' }));
    callback.searchParams.set('iss', 'https://evil.example');
    expect(await refusal(browser, callback.href)).toEqual([400, { error: 'invalid_query' }]);
    callback.searchParams.delete('iss');
    expect(locationOf(await browser.callback(callback.href))).toBe(UNAVAILABLE);
  });

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/%09/evil.example', ''])(
    'leads to no other site: return_to %j',
    async (target) => {
      const { status, body } = await open().get(
        `/v1/auth/oidc/start?return_to=${target.startsWith('/%') ? target : encodeURIComponent(target)}`,
      );
      expect([status, body]).toEqual([400, { error: 'invalid_query' }]);
    },
  );
});

describe('an ID token that is not sound signs no one in', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const forgeries: [string, () => JsonObject, Forgery][] = [
    ['the nonce of another sign-in', () => ({ nonce: 'another' }), 'with the key'],
    ['expired', () => ({ exp: now() - 600, iat: now() - 1200 }), 'with the key'],
    ['for another client', () => ({ aud: 'another' }), 'with the key'],
    ['of another issuer', () => ({ iss: 'https://evil.example' }), 'with the key'],
    ['signed by a stranger', () => ({}), 'with another key of the same id'],
    ['not signed', () => ({}), 'without a signature'],
    ['signed with the secret of the client', () => ({}), 'with the secret'],
  ];

  it('but a sound one that is signed by the test does', async () => {
    const email = 'signed-by-test@example.test';
    provider.tamper('token', (body) => ({
      ...body,
      id_token: provider.forge(String(body.id_token), { email, email_verified: true }),
    }));
    const browser = open();
    await browser.signIn(addPerson('signed'));
    expect(await browser.session()).toMatchObject({ email });
  });

  it.each(forgeries)('%s', async (_what, claims, how) => {
    provider.tamper('token', (body) => ({
      ...body,
      id_token: provider.forge(String(body.id_token), claims(), how),
    }));
    const browser = open();
    expect(await browser.signIn('ada')).toBe(UNAVAILABLE);
    expect(await browser.session()).toBeNull();
  });

  it('nor does an answer without one, nor a userinfo of another person', async () => {
    provider.tamper('token', ({ id_token: _gone, ...body }) => body);
    expect(await open().signIn('ada')).toBe(UNAVAILABLE);
    provider.tamper('token', null);
    provider.tamper('me', (body) => ({ ...body, sub: 'another' }));
    expect(await open().signIn('ada')).toBe(UNAVAILABLE);
  });
});

describe('whose account a person gets', () => {
  it('is never that of an address which the provider does not vouch for, unless the setting does', async () => {
    const { userId } = await culprit.createProject({ email: 'victim@example.test' });
    addPerson('thief', { email: 'victim@example.test', email_verified: false });
    provider.people.set('unsaid', { email: 'victim@example.test' });
    expect(await open().signIn('thief')).toBe(`${APP}/login?error=oidc_email_missing`);
    expect(await open().signIn('unsaid')).toBe(`${APP}/login?error=oidc_email_missing`);
    settings.isEmailTrusted = true;
    // What the provider denies is not trusted either.
    expect(await open().signIn('thief')).toBe(`${APP}/login?error=oidc_email_missing`);
    const browser = open();
    expect(await browser.signIn('unsaid')).toBe(`${APP}/`);
    expect((await browser.session())?.user_id).toBe(userId);
  });

  it('is not one that another person of the provider has', async () => {
    addPerson('first', { email: 'shared@example.test' });
    addPerson('second', { email: 'shared@example.test' });
    expect(await open().signIn('first')).toBe(`${APP}/`);
    expect(await open().signIn('second')).toBe(`${APP}/login?error=oidc_identity_conflict`);
  });

  it('is not one whose address was never proven here', async () => {
    const { userId } = await culprit.createProject({ email: 'unproven@example.test' });
    await culprit.database.query(
      { name: 'test-unproven', text: 'update users set email_verified_at = null where user_id = $1' },
      [userId],
    );
    expect(await open().signIn(addPerson('unproven'))).toBe(`${APP}/login?error=oidc_identity_conflict`);
  });

  it('is a new one where the provider may create some, whatever sign-up with a code says', async () => {
    Object.assign(culprit.signInSettings, { signup: 'closed' });
    expect(await open().signIn(addPerson('joiner'))).toBe(`${APP}/`);
    settings.isSignupOn = false;
    expect(await open().signIn(addPerson('late'))).toBe(`${APP}/login?error=signup_closed`);
    Object.assign(culprit.signInSettings, { signup: 'open', signupDomains: ['other.test'] });
    settings.isSignupOn = true;
    expect(await open().signIn('late')).toBe(`${APP}/login?error=signup_closed`);
    expect(await accountOf('late@example.test')).toBeNull();
  });

  it('is none without one of the groups that the setting names', async () => {
    settings.allowedGroups = ['engineers', 'operations'];
    addPerson('outside', { groups: ['sales'] });
    addPerson('unknown');
    addPerson('inside', { groups: ['sales', 'operations'] });
    expect(await open().signIn('outside')).toBe(`${APP}/login?error=oidc_group_required`);
    expect(await open().signIn('unknown')).toBe(`${APP}/login?error=oidc_group_required`);
    expect(await accountOf('outside@example.test')).toBeNull();
    expect(await open().signIn('inside')).toBe(`${APP}/`);
  });

  it('is none when the person cancels at the provider', async () => {
    const browser = open();
    const answer = await browser.callback(await provider.visit(await browser.start(), 'cancels'));
    expect(locationOf(answer)).toBe(`${APP}/login?error=oidc_cancelled`);
    expect([...browser.cookies]).toEqual([]);
  });
});

describe('while the provider is down', () => {
  it('the sign-in page says so, at the first step and at the last, and a mailed code works', async () => {
    const late = open();
    const callback = await provider.visit(await late.start(), { as: 'ada' });
    provider.setDown(true);
    expect(locationOf(await late.callback(callback))).toBe(UNAVAILABLE);
    expect(await culprit.signIn('by-mail@example.test')).toMatchObject({
      session: { email: 'by-mail@example.test' },
    });
    const fresh = open();
    expect(locationOf(await fresh.get('/v1/auth/oidc/start'))).toBe(UNAVAILABLE);
    expect([...fresh.cookies]).toEqual([]);
  });
});

describe('where mailed codes are for operators alone', () => {
  it('everyone else is answered like a stranger, and an operator gets a code', async () => {
    for (const email of ['plain@example.test', OPERATOR]) await culprit.createProject({ email });
    Object.assign(culprit.signInSettings, { codesFor: 'operators' });
    const answers = [];
    for (const email of ['plain@example.test', 'stranger@example.test']) {
      const { status, body } = await askForCode(culprit.url, email);
      answers.push(JSON.stringify([status, body]));
    }
    expect(new Set(answers).size).toBe(1);
    expect(await culprit.signIn(OPERATOR)).toMatchObject({ session: { is_operator: true } });
    expect(await mailsTo(culprit.mailDirectory, 'plain@example.test')).toEqual([]);
  });
});

describe('what sign-ins leave behind', () => {
  it('is no state, code, token, nonce or secret of the client, neither in the log nor in a table', async () => {
    const secrets = [provider.clientSecret];
    provider.tamper('token', (body) => {
      secrets.push(String(body.id_token), String(body.access_token));
      return body;
    });
    const browser = open();
    const page = await browser.start();
    secrets.push(browser.cookies.get('svc_oidc') ?? '', new URL(page).searchParams.get('nonce') ?? '');
    const callback = await provider.visit(page, { as: 'ada' });
    secrets.push(new URL(callback).searchParams.get('code') ?? '');
    await browser.callback(callback);
    secrets.push(browser.cookies.get('svc_session') ?? '');
    expect(secrets).toHaveLength(7);
    expect(secrets).not.toContain('');
    const rows = await culprit.database.query<{ row: string }>({
      name: 'test-oidc-rows',
      text: `select row_to_json(s)::text as row from provider_sign_ins s
        union all select row_to_json(i)::text from oidc_identities i
        union all select row_to_json(s)::text from sessions s
        union all select row_to_json(a)::text from audit_log a`,
    });
    const text = [...lines, ...rows.map(({ row }) => row)].join('\n');
    expect(text).toContain('oidcFailure');
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });
});
