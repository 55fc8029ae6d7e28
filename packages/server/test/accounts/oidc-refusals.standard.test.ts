import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { beforeAll, describe, expect, it } from 'vitest';
import { stateHash } from '../../src/workspace/accounts/oauth-state.ts';
import { locationOf } from '../support/cookie-browser.ts';
import { APP, UNAVAILABLE, useOidcBench } from '../support/oidc-bench.ts';
import type { OidcBrowser } from '../support/oidc-client.ts';
import type { Forgery } from '../support/oidc-server.ts';

const bench = useOidcBench({ hasWorker: false });
beforeAll(() => void bench.addPerson('ada'));

describe('a callback that does not belong to the browser', () => {
  /** What became of a callback, and that the provider heard nothing of it. */
  async function refusal(browser: OidcBrowser, callback: string): Promise<unknown[]> {
    const asked = bench.provider.requests.length;
    const { status, body } = await browser.callback(callback);
    expect(bench.provider.requests.length).toBe(asked);
    expect(await browser.session()).toBeNull();
    return [status, body];
  }
  const refused = [400, { error: 'invalid_oauth_state' }];

  it('is refused for another state, without one, and without the cookie', async () => {
    const browser = bench.open();
    const callback = new URL(await bench.provider.visit(await browser.start(), { as: 'ada' }));
    const other = new URL(callback);
    other.searchParams.set('state', 'another');
    expect(await refusal(browser, other.href)).toEqual(refused);
    other.searchParams.delete('state');
    expect(await refusal(browser, other.href)).toEqual(refused);
    expect(await refusal(bench.open(), callback.href)).toEqual(refused);
    // None of these used up the sign-in of the browser.
    expect(locationOf(await browser.callback(callback.href))).toBe(`${APP}/`);
  });

  it('is refused when it is repeated', async () => {
    const browser = bench.open();
    const callback = await bench.provider.visit(await browser.start(), { as: 'ada' });
    const cookie = browser.cookies.get('svc_oidc') ?? '';
    await browser.callback(callback);
    const again = bench.open();
    again.cookies.set('svc_oidc', cookie);
    expect(await refusal(again, callback)).toEqual(refused);
  });

  it('is refused with the state of a sign-in with another provider', async () => {
    const browser = bench.open();
    const callback = new URL(await bench.provider.visit(await browser.start(), { as: 'ada' }));
    await bench.culprit.database.query(
      {
        name: 'test-other-method',
        text: `update provider_sign_ins set method = 'github' where state_hash = $1`,
      },
      [stateHash(callback.searchParams.get('state') ?? '')],
    );
    expect(await refusal(browser, callback.href)).toEqual(refused);
  });

  it('is refused when two browsers exchange their callbacks, and a code alone is worth nothing in another one', async () => {
    const [ada, mallory] = [bench.open(), bench.open()];
    const [adas, mallorys] = await Promise.all([
      bench.provider.visit(await ada.start(), { as: 'ada' }),
      bench.provider.visit(await mallory.start(), { as: bench.addPerson('mallory') }),
    ]);
    expect(await refusal(ada, mallorys)).toEqual(refused);
    expect(await refusal(mallory, adas)).toEqual(refused);
    const mixed = new URL(adas);
    mixed.searchParams.set('state', new URL(mallorys).searchParams.get('state') ?? '');
    expect(locationOf(await mallory.callback(mixed.href))).toBe(UNAVAILABLE);
    expect(await mallory.session()).toBeNull();
  });

  it('is refused when it names another issuer, and leads nowhere when it hides the issuer', async () => {
    const browser = bench.open();
    const callback = new URL(await bench.provider.visit(await browser.start(), { as: 'ada' }));
    callback.searchParams.set('iss', 'https://evil.example');
    expect(await refusal(browser, callback.href)).toEqual([400, { error: 'invalid_query' }]);
    callback.searchParams.delete('iss');
    expect(locationOf(await browser.callback(callback.href))).toBe(UNAVAILABLE);
  });

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/%09/evil.example', ''])(
    'leads to no other site: return_to %j',
    async (target) => {
      const { status, body } = await bench
        .open()
        .get(
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
    bench.provider.tamper('token', (body) => ({
      ...body,
      id_token: bench.provider.forge(String(body.id_token), { email, email_verified: true }),
    }));
    const browser = bench.open();
    await browser.signIn(bench.addPerson('signed'));
    expect(await browser.session()).toMatchObject({ email });
  });

  it.each(forgeries)('%s', async (_what, claims, how) => {
    bench.provider.tamper('token', (body) => ({
      ...body,
      id_token: bench.provider.forge(String(body.id_token), claims(), how),
    }));
    const browser = bench.open();
    expect(await browser.signIn('ada')).toBe(UNAVAILABLE);
    expect(await browser.session()).toBeNull();
  });

  it('nor does an answer without one, nor a userinfo of another person', async () => {
    bench.provider.tamper('token', ({ id_token: _gone, ...body }) => body);
    expect(await bench.open().signIn('ada')).toBe(UNAVAILABLE);
    bench.provider.tamper('token', null);
    bench.provider.tamper('me', (body) => ({ ...body, sub: 'another' }));
    expect(await bench.open().signIn('ada')).toBe(UNAVAILABLE);
  });
});

async function accountOf(email: string): Promise<string | null> {
  const [row] = await bench.culprit.database.query<{ user_id: string }>(
    { name: 'test-account', text: 'select user_id from users where email = $1' },
    [email],
  );
  return row?.user_id ?? null;
}

describe('whose account a person gets', () => {
  it('is never that of an address which the provider does not vouch for, unless the setting does', async () => {
    const { userId } = await bench.culprit.createProject({ email: 'victim@example.test' });
    bench.addPerson('thief', { email: 'victim@example.test', email_verified: false });
    bench.provider.people.set('unsaid', { email: 'victim@example.test' });
    expect(await bench.open().signIn('thief')).toBe(`${APP}/login?error=oidc_email_missing`);
    expect(await bench.open().signIn('unsaid')).toBe(`${APP}/login?error=oidc_email_missing`);
    bench.settings.isEmailTrusted = true;
    // What the provider denies is not trusted either.
    expect(await bench.open().signIn('thief')).toBe(`${APP}/login?error=oidc_email_missing`);
    const browser = bench.open();
    expect(await browser.signIn('unsaid')).toBe(`${APP}/`);
    expect((await browser.session())?.user_id).toBe(userId);
  });

  it('is not one that another person of the provider has', async () => {
    bench.addPerson('first', { email: 'shared@example.test' });
    bench.addPerson('second', { email: 'shared@example.test' });
    expect(await bench.open().signIn('first')).toBe(`${APP}/`);
    expect(await bench.open().signIn('second')).toBe(`${APP}/login?error=oidc_identity_conflict`);
  });

  it('is not one whose address was never proven here', async () => {
    const { userId } = await bench.culprit.createProject({ email: 'unproven@example.test' });
    await bench.culprit.database.query(
      { name: 'test-unproven', text: 'update users set email_verified_at = null where user_id = $1' },
      [userId],
    );
    expect(await bench.open().signIn(bench.addPerson('unproven'))).toBe(
      `${APP}/login?error=oidc_identity_conflict`,
    );
  });

  it('is a new one where the provider may create some, whatever sign-up with a code says', async () => {
    Object.assign(bench.culprit.signInSettings, { signup: 'closed' });
    expect(await bench.open().signIn(bench.addPerson('joiner'))).toBe(`${APP}/`);
    bench.settings.isSignupOn = false;
    expect(await bench.open().signIn(bench.addPerson('late'))).toBe(`${APP}/login?error=signup_closed`);
    Object.assign(bench.culprit.signInSettings, { signup: 'open', signupDomains: ['other.test'] });
    bench.settings.isSignupOn = true;
    expect(await bench.open().signIn('late')).toBe(`${APP}/login?error=signup_closed`);
    expect(await accountOf('late@example.test')).toBeNull();
  });

  it('is none without one of the groups that the setting names', async () => {
    bench.settings.allowedGroups = ['engineers', 'operations'];
    bench.addPerson('outside', { groups: ['sales'] });
    bench.addPerson('unknown');
    bench.addPerson('inside', { groups: ['sales', 'operations'] });
    expect(await bench.open().signIn('outside')).toBe(`${APP}/login?error=oidc_group_required`);
    expect(await bench.open().signIn('unknown')).toBe(`${APP}/login?error=oidc_group_required`);
    expect(await accountOf('outside@example.test')).toBeNull();
    expect(await bench.open().signIn('inside')).toBe(`${APP}/`);
  });

  it('is none when the person cancels at the provider', async () => {
    const browser = bench.open();
    const answer = await browser.callback(await bench.provider.visit(await browser.start(), 'cancels'));
    expect(locationOf(answer)).toBe(`${APP}/login?error=oidc_cancelled`);
    expect([...browser.cookies]).toEqual([]);
  });
});
