import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLoggerTo } from '../../src/platform/log.ts';
import { locationOf } from '../support/cookie-browser.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { mailsTo } from '../support/mailbox.ts';
import { APP, UNAVAILABLE, useOidcBench } from '../support/oidc-bench.ts';
import { oidcSettingsFor, openOidcBrowser } from '../support/oidc-client.ts';
import { askForCode } from '../support/sign-in.ts';

const OPERATOR = 'root@example.test';

/** What the service logs. */
const lines: string[] = [];
const bench = useOidcBench({
  operators: { emails: [OPERATOR] },
  log: createLoggerTo({ write: (line) => void lines.push(line) }, { level: 'trace', role: 'test' }),
});
/** A second service, whose client has no secret. */
let publicClient: TestCulprit;

beforeAll(async () => {
  const { provider } = bench;
  publicClient = await startCulprit({
    hasWorker: false,
    oidc: { ...oidcSettingsFor(provider), clientId: provider.publicClientId, clientSecret: null },
    appUrl: APP,
  });
  bench.addPerson('ada');
});
afterAll(() => publicClient?.stop());

describe('a sign-in with OpenID Connect', () => {
  it('starts a session, though the address is given at userinfo alone, and returns to the page it began at', async () => {
    const browser = bench.open();
    const page = new URL(await browser.start('?return_to=/incidents%3Fq%3Da'));
    expect(page.searchParams.get('code_challenge_method')).toBe('S256');
    expect(page.searchParams.get('redirect_uri')).toBe(`${bench.culprit.baseUrl}/v1/auth/oidc/callback`);
    const answer = await browser.callback(await bench.provider.visit(page.href, { as: 'ada' }));
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
    const browser = bench.open();
    const answer = await browser.callback(await bench.provider.visit(await browser.start(), { as: 'ada' }));
    expect(answer.headers.getSetCookie().join()).toContain('Max-Age=43200');
    const session = await browser.session();
    const hours =
      (Date.parse(String(session?.expires_at)) - Date.parse(String(session?.created_at))) / 3_600_000;
    expect(hours).toBe(12);
  });

  it('finds the same account again when name and address changed at the provider', async () => {
    bench.addPerson('grace');
    const [first, second] = [bench.open(), bench.open()];
    await first.signIn('grace');
    bench.addPerson('grace', { email: 'new-name@example.test', email_verified: false });
    expect(await second.signIn('grace')).toBe(`${APP}/`);
    expect((await second.session())?.user_id).toBe((await first.session())?.user_id);
    expect((await second.session())?.email).toBe('grace@example.test');
  });

  it('signs in to the account that has the verified address', async () => {
    const { userId } = await bench.culprit.createProject({ email: 'owner@example.test' });
    bench.addPerson('owner');
    const browser = bench.open();
    await browser.signIn('owner');
    expect((await browser.session())?.user_id).toBe(userId);
  });

  it('is one account for parallel first sign-ins of one person', async () => {
    bench.addPerson('parallel');
    const browsers = Array.from({ length: 4 }, bench.open);
    await Promise.all(browsers.map((browser) => browser.signIn('parallel')));
    const sessions = await Promise.all(browsers.map((browser) => browser.session()));
    expect(new Set(sessions.map((session) => session?.user_id)).size).toBe(1);
    expect(sessions).not.toContain(null);
  });

  it('works as a public client, with PKCE alone', async () => {
    const browser = openOidcBrowser(publicClient, bench.provider);
    expect(await browser.signIn(bench.addPerson('public'))).toBe(`${APP}/`);
    expect(await browser.session()).toMatchObject({ email: 'public@example.test' });
  });

  it('works when the provider changes its keys', async () => {
    await bench.open().signIn('ada');
    bench.provider.rotateKeys();
    expect(await bench.open().signIn('ada')).toBe(`${APP}/`);
  });

  it('is written down without a secret, and so is one that failed', async () => {
    const browser = bench.open();
    await browser.signIn('ada');
    await browser.get('/v1/auth/oidc/callback?code=c&state=s');
    const rows = await bench.culprit.database.query({
      name: 'test-audit',
      text: `select action, data from audit_log where data ->> 'method' = 'oidc' order by audit_id desc limit 2`,
    });
    expect(rows).toEqual([
      { action: 'sign_in.failed', data: { method: 'oidc', reason: 'invalid_oauth_state' } },
      { action: 'sign_in.succeeded', data: { method: 'oidc' } },
    ]);
  });
});

describe('while the provider is down', () => {
  it('the sign-in page says so, at the first step and at the last, and a mailed code works', async () => {
    const late = bench.open();
    const callback = await bench.provider.visit(await late.start(), { as: 'ada' });
    bench.provider.setDown(true);
    expect(locationOf(await late.callback(callback))).toBe(UNAVAILABLE);
    expect(await bench.culprit.signIn('by-mail@example.test')).toMatchObject({
      session: { email: 'by-mail@example.test' },
    });
    const fresh = bench.open();
    expect(locationOf(await fresh.get('/v1/auth/oidc/start'))).toBe(UNAVAILABLE);
    expect([...fresh.cookies]).toEqual([]);
  });
});

describe('where mailed codes are for operators alone', () => {
  it('everyone else is answered like a stranger, and an operator gets a code', async () => {
    for (const email of ['plain@example.test', OPERATOR]) await bench.culprit.createProject({ email });
    Object.assign(bench.culprit.signInSettings, { codesFor: 'operators' });
    const answers = [];
    for (const email of ['plain@example.test', 'stranger@example.test']) {
      const { status, body } = await askForCode(bench.culprit.url, email);
      answers.push(JSON.stringify([status, body]));
    }
    expect(new Set(answers).size).toBe(1);
    expect(await bench.culprit.signIn(OPERATOR)).toMatchObject({ session: { is_operator: true } });
    expect(await mailsTo(bench.culprit.mailDirectory, 'plain@example.test')).toEqual([]);
  });
});

describe('what sign-ins leave behind', () => {
  it('is no state, code, token, nonce or secret of the client, neither in the log nor in a table', async () => {
    const secrets = [bench.provider.clientSecret];
    bench.provider.tamper('token', (body) => {
      secrets.push(String(body.id_token), String(body.access_token));
      return body;
    });
    const browser = bench.open();
    const page = await browser.start();
    secrets.push(browser.cookies.get('svc_oidc') ?? '', new URL(page).searchParams.get('nonce') ?? '');
    const callback = await bench.provider.visit(page, { as: 'ada' });
    secrets.push(new URL(callback).searchParams.get('code') ?? '');
    await browser.callback(callback);
    secrets.push(browser.cookies.get('svc_session') ?? '');
    expect(secrets).toHaveLength(7);
    expect(secrets).not.toContain('');
    const rows = await bench.culprit.database.query<{ row: string }>({
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
