import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { describe, expect, it } from 'vitest';
import { useOidcBench } from '../support/oidc-bench.ts';
import type { OidcBrowser } from '../support/oidc-client.ts';
import type { Forgery } from '../support/oidc-server.ts';

const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset;

const bench = useOidcBench({ hasWorker: false });
let people = 0;

/** A person who is signed in, in two browsers of their own. */
async function signedIn(): Promise<{ name: string; browsers: [OidcBrowser, OidcBrowser] }> {
  people += 1;
  const name = `person-${people}`;
  bench.addPerson(name);
  const browsers: [OidcBrowser, OidcBrowser] = [bench.open(), bench.open()];
  for (const browser of browsers) await browser.signIn(name);
  expect(await whoIsSignedIn(browsers)).toEqual([true, true]);
  return { name, browsers };
}

async function whoIsSignedIn(browsers: readonly OidcBrowser[]): Promise<boolean[]> {
  return await Promise.all(browsers.map(async (browser) => (await browser.session()) !== null));
}

async function logOut(...tokens: string[]): Promise<unknown[]> {
  const body = new URLSearchParams(tokens.map((token) => ['logout_token', token]));
  const answer = await fetch(`${bench.culprit.url}/v1/auth/oidc/backchannel-logout`, {
    method: 'POST',
    body,
  });
  return [answer.status, answer.headers.get('cache-control'), await answer.text()];
}
const DONE = [200, 'no-store', ''];
const REFUSED = [400, 'no-store', '{"error":"invalid_payload"}'];

describe('a logout at the provider', () => {
  it('ends the sessions of that browser there, and no other', async () => {
    const { browsers } = await signedIn();
    await bench.provider.signOut(browsers[0].providerCookies);
    expect(await whoIsSignedIn(browsers)).toEqual([false, true]);
    const rows = await bench.culprit.database.query({
      name: 'test-audit-logout',
      text: `select data from audit_log where action = 'session.ended' order by audit_id desc limit 1`,
    });
    expect(rows).toEqual([{ data: { reason: 'provider_logout' } }]);
  });

  it('ends all sessions of a person that it names, once, and none of other people and ways to sign in', async () => {
    const [ada, grace] = [await signedIn(), await signedIn()];
    // As if one of them had come with a mailed code.
    await bench.culprit.database.query(
      {
        name: 'test-other-way',
        text: 'update sessions set oidc_issuer = null, oidc_sid = null where session_id = $1',
      },
      [String((await ada.browsers[1].session())?.session_id)],
    );
    const token = bench.provider.logoutToken({ sub: ada.name });
    expect(await logOut(token)).toEqual(DONE);
    expect(await whoIsSignedIn(ada.browsers)).toEqual([false, true]);
    await ada.browsers[0].signIn(ada.name);
    expect(await logOut(token)).toEqual(REFUSED);
    expect(await whoIsSignedIn(ada.browsers)).toEqual([true, true]);
    expect(await whoIsSignedIn(grace.browsers)).toEqual([true, true]);
  });

  it('is accepted for someone who is not signed in', async () => {
    expect(await logOut(bench.provider.logoutToken({ sub: 'a stranger' }))).toEqual(DONE);
    expect(await logOut(bench.provider.logoutToken({ sid: 'a session' }))).toEqual(DONE);
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
    expect(await logOut(bench.provider.logoutToken({ sub: name, aud: ['another', 'culprit'] }))).toEqual(
      DONE,
    );
    expect(await whoIsSignedIn(browsers)).toEqual([false, false]);
  });

  it('whatever is wrong with it', async () => {
    const { name, browsers } = await signedIn();
    for (const [what, claims, how] of forgeries) {
      expect([what, await logOut(bench.provider.logoutToken({ sub: name, ...claims }, how))]).toEqual([
        what,
        REFUSED,
      ]);
    }
    const sound = bench.provider.logoutToken({ sub: name });
    for (const tokens of [[], [''], ['a.b.c'], [sound, sound], [`${sound}x.`]]) {
      expect(await logOut(...tokens)).toEqual(REFUSED);
    }
    expect(await whoIsSignedIn(browsers)).toEqual([true, true]);
    expect(await logOut(sound)).toEqual(DONE);
  });
});
