import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locationOf } from '../support/cookie-browser.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import {
  exchange,
  openBrowser,
  openDevice,
  personWith,
  plaintextIn,
  settingsFor,
} from '../support/github-client.ts';
import { type GithubServer, startGithubServer } from '../support/github-server.ts';
import { moveClock } from '../support/move-clock.ts';
import { sendRequest } from '../support/send-events.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let github: GithubServer;
let culprit: TestCulprit;

beforeAll(async () => {
  github = await startGithubServer();
  culprit = await startCulprit({ hasWorker: false, github: settingsFor(github) });
});
afterAll(async () => {
  await culprit?.stop();
  await github?.close();
});

// A-24
describe('GitHub start', () => {
  // A-24
  it('sends the browser to GitHub with a state and a challenge, and keeps the state in a cookie', async () => {
    const browser = openBrowser(culprit, github);
    const answer = await browser.get('/v1/auth/github/start');
    const location = new URL(locationOf(answer));
    expect(location.origin + location.pathname).toBe(`${github.url}/login/oauth/authorize`);
    const query = Object.fromEntries(location.searchParams);
    expect(query).toEqual({
      client_id: github.clientId,
      redirect_uri: 'http://localhost:4800/v1/auth/github/callback',
      scope: 'read:user user:email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(answer.headers.getSetCookie()).toEqual([
      `svc_oauth=${query.state}; Path=/v1/auth/github; Max-Age=600; HttpOnly; SameSite=Lax`,
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  // A-24
  it('keeps the state on https in a cookie that no neighbouring host can plant', async () => {
    const secure = await startCulprit({
      hasWorker: false,
      github: settingsFor(github),
      signIn: { isCookieSecure: true },
    });
    try {
      github.addPerson(personWith(24, 'planted@example.test'));
      const browser = openBrowser(secure, github);
      const answer = await browser.get('/v1/auth/github/start');
      const [cookie = '', ...others] = answer.headers.getSetCookie();
      expect(others).toEqual([]);
      expect(cookie).toMatch(
        /^__Host-svc_oauth=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      );
      const { pathname, search } = new URL(await github.visit(locationOf(answer), { as: 24 }));
      const planted = cookie.replace('__Host-', '').replace(/;.*/, '');
      const callback = (cookies: string) =>
        fetch(secure.url + pathname + search, { redirect: 'manual', headers: { cookie: cookies } });
      expect((await callback(planted)).status).toBe(400);
      expect((await callback(`svc_oauth=x; __Host-${planted}; svc_oauth=y`)).status).toBe(302);
    } finally {
      await secure.stop();
    }
  });

  // A-24
  it('without a GitHub application all six endpoints answer 503, whatever is asked', async () => {
    const without = await startCulprit({ hasWorker: false });
    const post = (path: string, body: object) =>
      sendRequest(`${without.url}/v1/auth/github/${path}`, { body: JSON.stringify(body) });
    const get = (path: string) => sendRequest(`${without.url}/v1/auth/github/${path}`, { method: 'GET' });
    const requestId = crypto.randomUUID();
    try {
      const answers = [
        await get('start'),
        await get('callback'),
        await get('callback?code=c&state=s'),
        await post('device/start', { accepted_terms: true }),
        await post('device/start', {}),
        await post('device/poll', { request_id: requestId }),
        await post('device/claim', { request_id: requestId, label: 'l' }),
        await post('token/exchange', { github_access_token: 't', label: 'l', accepted_terms: true }),
      ];
      for (const { status, body } of answers) {
        expect({ status, body }).toEqual({ status: 503, body: { error: 'auth_not_configured' } });
      }
    } finally {
      await without.stop();
    }
  });
});

// A-25
describe('GitHub callback', () => {
  it.each([
    ['no code and no error', ''],
    ['only a state', '?state=s'],
    ['two codes', '?code=a&code=b&state=s'],
    ['two states', '?code=a&state=s&state=t'],
    ['an empty code', '?code=&state=s'],
    ['an issuer that is not GitHub', '?code=a&state=s&iss=https%3A%2F%2Fevil.test%2Flogin%2Foauth'],
  ])('A-25 refuses %s as invalid_query', async (_what, query) => {
    const browser = openBrowser(culprit, github);
    const answer = await browser.get(`/v1/auth/github/callback${query}`);
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_query' }]);
  });

  // A-25
  it('refuses the issuer also where state and code are right, and leaves the state usable', async () => {
    github.addPerson(personWith(2500, 'issuer@example.test'));
    const browser = openBrowser(culprit, github);
    const callback = await github.visit(await browser.start(), { as: 2500 });
    const forged = await browser.callback(`${callback}&iss=${encodeURIComponent('https://evil.test')}`);
    expect([forged.status, forged.body]).toEqual([400, { error: 'invalid_query' }]);
    const named = `${callback}&iss=${encodeURIComponent(`${github.url}/login/oauth`)}`;
    expect(locationOf(await browser.callback(named))).toBe('http://localhost:4800/');
  });

  // A-25
  it('refuses a foreign state, a missing and a used one, and asks GitHub nothing', async () => {
    github.addPerson(personWith(2501, 'state@example.test'));
    const [browser, other] = [openBrowser(culprit, github), openBrowser(culprit, github)];
    const callback = await github.visit(await browser.start(), { as: 2501 });
    const foreign = await github.visit(await other.start(), { as: 2501 });
    const refused = async (visit: Promise<{ status: number; body: unknown }>) => {
      const asked = github.requests.length;
      const { status, body } = await visit;
      expect([status, body]).toEqual([400, { error: 'invalid_oauth_state' }]);
      expect(github.requests.length).toBe(asked);
    };
    await refused(browser.callback(foreign));
    await refused(browser.get('/v1/auth/github/callback?code=c'));
    await refused(browser.get('/v1/auth/github/callback?code=c&state=never-issued'));
    await refused(openBrowser(culprit, github).callback(callback));
    expect(locationOf(await browser.callback(callback))).toBe('http://localhost:4800/');
    await refused(browser.callback(callback));
  });

  // A-25
  it('refuses a state after 10 minutes', async () => {
    github.addPerson(personWith(2502, 'late@example.test'));
    const [early, late] = [openBrowser(culprit, github), openBrowser(culprit, github)];
    const inTime = await github.visit(await early.start(), { as: 2502 });
    const tooLate = await github.visit(await late.start(), { as: 2502 });
    try {
      await moveClock(culprit.database, 590_000);
      expect((await early.callback(inTime)).status).toBe(302);
      await moveClock(culprit.database, 601_000);
      expect((await late.callback(tooLate)).body).toEqual({ error: 'invalid_oauth_state' });
    } finally {
      await moveClock(culprit.database, 0);
    }
  });

  // A-25
  it('a valid one signs in: a session, the transient cookie gone, back to the page', async () => {
    github.addPerson(personWith(2503, 'Dev@Example.test'));
    github.nameIssuer(true);
    const browser = openBrowser(culprit, github);
    const callback = await github.visit(await browser.start('?return_to=/projects/p1%3Ftab%3Dtokens'), {
      as: 2503,
    });
    github.nameIssuer(false);
    const answer = await browser.callback(`${callback}&proxy_added=this&and`);
    expect(locationOf(answer)).toBe('http://localhost:4800/projects/p1?tab=tokens');
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/),
      'svc_oauth=; Path=/v1/auth/github; Max-Age=0; HttpOnly; SameSite=Lax',
    ]);
    expect(await browser.session()).toMatchObject({
      email: 'dev@example.test',
      email_verified_at: expect.stringMatching(TIME),
      role: 'owner',
      auth_methods: { email: false, github: true, oidc: false },
    });
  });

  it.each([
    '//evil.test',
    '/\\evil.test',
    'https://evil.test/',
    'projects',
    '/a%0Ab',
    '/a%C2%85b',
    `/${'a'.repeat(512)}`,
    '',
  ])('A-25 start refuses to return to %j', async (returnTo) => {
    const answer = await openBrowser(culprit, github).get(`/v1/auth/github/start?return_to=${returnTo}`);
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_query' }]);
  });
});

// A-26
describe('linking', () => {
  // A-26
  it('a verified address of an account signs in to that account', async () => {
    const { userId } = await culprit.createProject({ email: 'linked@example.test' });
    github.addPerson(personWith(2600, 'linked@example.test'));
    const browser = openBrowser(culprit, github);
    expect(await browser.signIn(2600)).toBe('http://localhost:4800/');
    expect(await browser.session()).toMatchObject({ user_id: userId, auth_methods: { github: true } });
  });

  // A-26
  it('a second GitHub id with the same address is refused everywhere', async () => {
    github.addPerson(personWith(2601, 'linked@example.test'));
    const browser = openBrowser(culprit, github);
    expect(await browser.signIn(2601)).toBe('http://localhost:4800/login?error=github_identity_conflict');
    expect([...browser.cookies]).toEqual([]);
    const exchanged = await exchange(culprit, github.createToken(2601));
    expect([exchanged.status, exchanged.body]).toEqual([403, { error: 'github_identity_not_allowed' }]);
  });

  // A-26
  it('the number decides, not the address: a linked person whose address changed keeps the account', async () => {
    github.addPerson(personWith(2602, 'before@example.test'));
    const browser = openBrowser(culprit, github);
    await browser.signIn(2602);
    const before = await browser.session();
    github.addPerson(personWith(2602, 'after@example.test'));
    const again = openBrowser(culprit, github);
    await again.signIn(2602);
    expect(await again.session()).toMatchObject({
      user_id: before?.user_id,
      email: 'before@example.test',
    });
  });
});

// A-27
describe('device', () => {
  // A-27
  it('start, poll, approval, claim', async () => {
    github.addPerson(personWith(2700, 'device@example.test'));
    const device = openDevice(culprit);
    const started = await sendRequest(`${culprit.url}/v1/auth/github/device/start`, {
      body: JSON.stringify({ accepted_terms: true }),
    });
    expect([started.status, started.body]).toEqual([
      200,
      {
        request_id: expect.stringMatching(UUID),
        user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
        verification_uri: `${github.url}/login/device`,
        interval_seconds: 5,
        expires_at: expect.stringMatching(TIME),
      },
    ]);
    const { requestId, userCode } = await device.start();
    const pending = await device.poll(requestId);
    expect([pending.status, pending.body]).toEqual([
      200,
      { status: 'pending', interval_seconds: 5, expires_at: expect.stringMatching(TIME) },
    ]);
    const early = await device.claim(requestId);
    expect([early.status, early.body]).toEqual([409, { error: 'device_request_not_claimable' }]);

    github.answerDevice(userCode, { as: 2700 });
    await passTime(5_000);
    const approved = await device.poll(requestId);
    expect(approved.body).toEqual({ status: 'approved', expires_at: expect.stringMatching(TIME) });

    const claim = await device.claim(requestId, '  laptop ');
    expect([claim.status, claim.body]).toEqual([
      200,
      {
        token: {
          access: 'full',
          is_current: false,
          token_id: expect.stringMatching(/^tok_/),
          user_id: expect.any(String),
          organization_id: expect.any(String),
          label: 'laptop',
          token_preview: expect.stringMatching(/^svc_\.\.\.\w{4}$/),
          plaintext: expect.stringMatching(/^svc_mem_[0-9A-Za-z]{43}$/),
          created_at: expect.stringMatching(TIME),
          last_used_at: null,
          revoked_at: null,
          expires_at: null,
        },
      },
    ]);
    const used = await sendRequest(`${culprit.url}/v1/member/tokens`, {
      method: 'GET',
      token: plaintextIn(claim),
    });
    expect(used.status).toBe(200);

    expect((await device.poll(requestId)).body).toEqual({
      status: 'claimed',
      expires_at: expect.stringMatching(TIME),
    });
    const second = await device.claim(requestId);
    expect([second.status, second.body]).toEqual([409, { error: 'device_request_not_claimable' }]);
  });

  // A-27
  it('an unknown id is 404, to poll and to claim', async () => {
    const device = openDevice(culprit);
    for (const id of [crypto.randomUUID(), 'nope']) {
      for (const answer of [await device.poll(id), await device.claim(id)]) {
        expect([answer.status, answer.body]).toEqual([404, { error: 'device_request_not_found' }]);
      }
    }
  });

  it.each([
    ['start', {}],
    ['start', { accepted_terms: false }],
    ['start', { accepted_terms: true, scope: 'admin' }],
    ['poll', {}],
    ['poll', { request_id: 'a b' }],
    ['claim', { request_id: 'b2a1c0d9-8e7f-4a6b-9c5d-4e3f2a1b0c04' }],
    ['claim', { request_id: 'b2a1c0d9-8e7f-4a6b-9c5d-4e3f2a1b0c04', label: '  ' }],
    ['claim', { request_id: 'b2a1c0d9-8e7f-4a6b-9c5d-4e3f2a1b0c04', label: 'l'.repeat(121) }],
  ])('A-27 %s refuses %j', async (path, body) => {
    const url = `${culprit.url}/v1/auth/github/device/${path}`;
    const answer = await sendRequest(url, { body: JSON.stringify(body) });
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_payload' }]);
  });
});

// A-28
describe('exchange', () => {
  // A-28
  it('a token GitHub refuses is 401, a good one becomes a member token', async () => {
    github.addPerson(personWith(2800, 'exchange@example.test'));
    const bad = await exchange(culprit, 'bad', 'l');
    expect([bad.status, bad.body]).toEqual([401, { error: 'invalid_github_token' }]);
    expect(bad.headers.get('www-authenticate')).toBe('Bearer');

    const good = await exchange(culprit, github.createToken(2800), 'l');
    expect(good.body).toMatchObject({ token: { label: 'l', token_preview: expect.any(String) } });
    const plaintext = plaintextIn(good);
    expect(plaintext).toMatch(/^svc_mem_[0-9A-Za-z]{43}$/);
    const used = await sendRequest(`${culprit.url}/v1/projects`, { method: 'GET', token: plaintext });
    expect(used.status).toBe(200);
  });

  it.each([
    { github_access_token: '', label: 'l', accepted_terms: true },
    { github_access_token: 't'.repeat(513), label: 'l', accepted_terms: true },
    { github_access_token: 't', label: '', accepted_terms: true },
    { github_access_token: 't', label: 'l', accepted_terms: false },
    { github_access_token: 't', label: 'l' },
    { label: 'l', accepted_terms: true },
  ])('A-28 refuses %j', async (body) => {
    const url = `${culprit.url}/v1/auth/github/token/exchange`;
    const answer = await sendRequest(url, { body: JSON.stringify(body) });
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_payload' }]);
  });
});

/** Time goes on here and at GitHub. */
async function passTime(ms: number): Promise<void> {
  passedMs += ms;
  github.advance(ms);
  await moveClock(culprit.database, passedMs);
}
let passedMs = 0;
