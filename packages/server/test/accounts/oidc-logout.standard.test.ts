import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { type OidcBrowser, oidcSettingsFor, openOidcBrowser } from '../support/oidc-client.ts';
import { type Forgery, type OidcServer, startOidcServer } from '../support/oidc-server.ts';

const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset;

let provider: OidcServer;
let culprit: TestCulprit;
let people = 0;

beforeAll(async () => {
  provider = await startOidcServer();
  culprit = await startCulprit({ hasWorker: false, oidc: oidcSettingsFor(provider) });
  provider.serve(culprit.baseUrl, culprit.url);
});
afterAll(async () => {
  await culprit?.stop();
  await provider?.close();
});

/** A person who is signed in, in two browsers of their own. */
async function signedIn(): Promise<{ name: string; browsers: [OidcBrowser, OidcBrowser] }> {
  people += 1;
  const name = `person-${people}`;
  provider.people.set(name, { email: `${name}@example.test`, email_verified: true });
  const browsers: [OidcBrowser, OidcBrowser] = [
    openOidcBrowser(culprit, provider),
    openOidcBrowser(culprit, provider),
  ];
  for (const browser of browsers) await browser.signIn(name);
  expect(await whoIsSignedIn(browsers)).toEqual([true, true]);
  return { name, browsers };
}

async function whoIsSignedIn(browsers: readonly OidcBrowser[]): Promise<boolean[]> {
  return await Promise.all(browsers.map(async (browser) => (await browser.session()) !== null));
}

async function logOut(...tokens: string[]): Promise<unknown[]> {
  const body = new URLSearchParams(tokens.map((token) => ['logout_token', token]));
  const answer = await fetch(`${culprit.url}/v1/auth/oidc/backchannel-logout`, { method: 'POST', body });
  return [answer.status, answer.headers.get('cache-control'), await answer.text()];
}
const DONE = [200, 'no-store', ''];
const REFUSED = [400, 'no-store', '{"error":"invalid_payload"}'];

describe('a logout at the provider', () => {
  it('ends the sessions of that browser there, and no other', async () => {
    const { browsers } = await signedIn();
    await provider.signOut(browsers[0].providerCookies);
    expect(await whoIsSignedIn(browsers)).toEqual([false, true]);
    const rows = await culprit.database.query({
      name: 'test-audit-logout',
      text: `select data from audit_log where action = 'session.ended' order by audit_id desc limit 1`,
    });
    expect(rows).toEqual([{ data: { reason: 'provider_logout' } }]);
  });

  it('ends all sessions of a person that it names, once, and none of other people and ways to sign in', async () => {
    const [ada, grace] = [await signedIn(), await signedIn()];
    // As if one of them had come with a mailed code.
    await culprit.database.query(
      {
        name: 'test-other-way',
        text: 'update sessions set oidc_issuer = null, oidc_sid = null where session_id = $1',
      },
      [String((await ada.browsers[1].session())?.session_id)],
    );
    const token = provider.logoutToken({ sub: ada.name });
    expect(await logOut(token)).toEqual(DONE);
    expect(await whoIsSignedIn(ada.browsers)).toEqual([false, true]);
    await ada.browsers[0].signIn(ada.name);
    expect(await logOut(token)).toEqual(REFUSED);
    expect(await whoIsSignedIn(ada.browsers)).toEqual([true, true]);
    expect(await whoIsSignedIn(grace.browsers)).toEqual([true, true]);
  });

  it('is accepted for someone who is not signed in', async () => {
    expect(await logOut(provider.logoutToken({ sub: 'a stranger' }))).toEqual(DONE);
    expect(await logOut(provider.logoutToken({ sid: 'a session' }))).toEqual(DONE);
  });
});

describe('a logout token that is not sound ends nothing', () => {
  const event = 'http://schemas.openid.net/event/backchannel-logout';
  const forgeries: [string, JsonObject, Forgery?][] = [
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'another' }],
    ['for none', { aud: [] }],
    ['expired', { exp: seconds(-60) }],
    ['that never expires', { exp: null }],
    ['of an hour ago', { iat: seconds(-3_600) }],
    ['of the future', { iat: seconds(3_600) }],
    ['without an id', { jti: null }],
    ['without the event', { events: {} }],
    ['with an event that is no object', { events: { [event]: true } }],
    ['with a nonce, as that of a sign-in', { nonce: 'n' }],
    ['that names no one', { sub: null }],
    ['whose session is no text', { sid: 7 }],
    ['signed by a stranger', {}, 'with another key of the same id'],
    ['not signed', {}, 'without a signature'],
    ['signed with the secret of the client', {}, 'with the secret'],
  ];

  it('but a sound one does', async () => {
    const { name, browsers } = await signedIn();
    expect(await logOut(provider.logoutToken({ sub: name, aud: ['another', 'culprit'] }))).toEqual(DONE);
    expect(await whoIsSignedIn(browsers)).toEqual([false, false]);
  });

  it('whatever is wrong with it', async () => {
    const { name, browsers } = await signedIn();
    for (const [what, claims, how] of forgeries) {
      expect([what, await logOut(provider.logoutToken({ sub: name, ...claims }, how))]).toEqual([
        what,
        REFUSED,
      ]);
    }
    const sound = provider.logoutToken({ sub: name });
    for (const tokens of [[], [''], ['a.b.c'], [sound, sound], [`${sound}x.`]]) {
      expect(await logOut(...tokens)).toEqual(REFUSED);
    }
    expect(await whoIsSignedIn(browsers)).toEqual([true, true]);
    expect(await logOut(sound)).toEqual(DONE);
  });
});
