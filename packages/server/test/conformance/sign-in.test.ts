import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { codeIn, mailsTo, nextMail } from '../support/mailbox.ts';
import { moveClock } from '../support/move-clock.ts';
import { sendEvents, sendRequest } from '../support/send-events.ts';
import { askForCode, browserOf, requestCode, signInByMail, verifyCode } from '../support/sign-in.ts';

/** docs/contract/account.md 15, A-01 to. */

const BASE_URL = 'https://errors.example.com';
const APP_URL = 'https://app.example.com';
const INVALID_CODE = { status: 400, body: { error: 'invalid_code' } };
const INVALID_SESSION = { status: 401, body: { error: 'invalid_session' } };
const INVALID_PAYLOAD = { status: 400, body: { error: 'invalid_payload' } };
const MINUTE_MS = 60_000;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HOUR_MS = 60 * MINUTE_MS;

const NO_ADDRESSES = [
  ...['x', '', 'a@', '@b.test', 'a b@c.test', 'a@b.test,c@d.test', 'A <a@b.test>', 'a@b..test', 'a@-b.test'],
  ...['a@b.test\nBcc: c@d.test', 'a@b.test\n\nx@y.test', `${'a'.repeat(243)}@example.test`, 'a..b@c.test'],
  ...[`${'a'.repeat(65)}@example.test`, '"a b"@b.test', 'a@[127.0.0.1]', 'ä@b.test'],
];

let culprit: TestCulprit;
let project: TestProject;

beforeAll(async () => {
  culprit = await startCulprit({
    duties: [],
    baseUrl: BASE_URL,
    appUrl: APP_URL,
    signIn: { signupDomains: ['example.test', 'xn--bcher-kva.example'], isCookieSecure: true },
  });
  project = await culprit.createProject({ email: 'owner@example.test' });
});
afterAll(() => culprit.stop());
beforeEach(() => moveClock(culprit.database, 0));

function someone(): string {
  return `p-${newUuid()}@example.test`;
}

function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  return sendRequest(culprit.url + path, { method: 'GET', headers });
}

function createToken(headers: Readonly<Record<string, string>>, token: string | null = null) {
  const body = JSON.stringify({ label: 'ci' });
  return sendRequest(`${culprit.url}/v1/member/tokens`, { token, headers, body });
}

describe('asking for a code', () => {
  //
  it('answers success and mails one message with a code of six digits', async () => {
    const answer = await askForCode(culprit.url, ' Dev@Example.test ');
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const mail = await nextMail(culprit.mailDirectory, 'dev@example.test');
    expect(mail.subject).toBe('Sign-in code for errors.example.com');
    const code = codeIn(mail);
    for (const text of [mail.text, mail.html]) {
      expect(text).toContain(code);
      expect(text).toContain('10 minutes');
      expect(text).toContain('the machine the server runs on');
    }
    expect(await mailsTo(culprit.mailDirectory, 'dev@example.test')).toHaveLength(1);
  });

  //
  it('looks the same for a known, an unknown and a refused address', async () => {
    const known = someone();
    await culprit.signIn(known);
    await moveClock(culprit.database, MINUTE_MS);
    const addresses = [known, someone(), `${newUuid()}@elsewhere.test`];
    const answers = [];
    for (const email of addresses) {
      const { status, body, headers } = await askForCode(culprit.url, email);
      answers.push({ status, body, names: [...headers.keys()].sort() });
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 200, body: { success: true } });
    await culprit.drain();
    const mails = await Promise.all(addresses.map((email) => mailsTo(culprit.mailDirectory, email)));
    expect(mails.map((each) => each.length)).toEqual([2, 1, 0]);
  });

  //
  it('needs the accepted terms and one address, and takes no other field', async () => {
    const email = someone();
    const bodies: object[] = [
      { email, accepted_terms: false },
      { email },
      { email, accepted_terms: null },
      { email, accepted_terms: 'true' },
      { email, accepted_terms: true, name: 'x' },
      { email, accepted_terms: true, requested_trial_plan: 'free' },
      ...NO_ADDRESSES.map((each) => ({ email: each, accepted_terms: true })),
      { email: ['a@example.test'], accepted_terms: true },
    ];
    for (const body of bodies) {
      const answer = await sendRequest(`${culprit.url}/v1/auth/request-code`, { body: JSON.stringify(body) });
      expect([body, answer.status, answer.body]).toEqual([body, 400, { error: 'invalid_payload' }]);
    }
    expect(await mailsTo(culprit.mailDirectory, email)).toEqual([]);
  });
});

describe('signing in with a code', () => {
  it('finds the account under each way to write its domain', async () => {
    const [name = ''] = someone().split('@');
    const first = await signInByMail(culprit, `${name}@xn--bcher-kva.example`);
    const stored = `${name}@xn--bcher-kva.example`;
    for (const domain of ['bücher.example', 'BÜCHER.Example', 'XN--BCHER-KVA.example']) {
      const code = await requestCode(culprit, stored);
      const { body } = await verifyCode(culprit.url, `${name}@${domain}`, code);
      expect(body).toMatchObject({ session: { user_id: first.session.user_id, email: stored } });
    }
    const asked = await askForCode(culprit.url, `${name}x@bücher.example`);
    expect(asked.status).toBe(200);
    expect((await nextMail(culprit.mailDirectory, `${name}x@xn--bcher-kva.example`)).to).toContain('xn--');
    expect(await askForCode(culprit.url, 'jörg@example.com')).toMatchObject({
      status: 400,
      body: { error: 'invalid_payload' },
    });
  });

  //
  it('gives the session and its cookie', async () => {
    const email = someone();
    const answer = await verifyCode(culprit.url, email, await requestCode(culprit, email));
    const { session } = browserOf(answer);
    expect(answer.body).toEqual({
      session: {
        session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        email,
        email_verified_at: expect.stringMatching(TIMESTAMP),
        organization_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        organization_plan: 'team',
        role: 'owner',
        created_at: expect.stringMatching(TIMESTAMP),
        expires_at: new Date(Date.parse(session.created_at) + 7 * 24 * HOUR_MS).toISOString(),
        revoked_at: null,
        avatar_url: null,
        csrf_token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        auth_methods: { email: true, github: false, oidc: false },
        is_operator: false,
      },
    });
    const [cookie = '', ...others] = answer.headers.getSetCookie();
    // On https the same value has a name, too, that no other host can set.
    expect(others).toEqual([`__Host-${cookie}`]);
    expect(cookie.split('; ').sort()).toEqual(
      ['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Lax', 'Secure'].concat(cookie.split('; ')[0] ?? ''),
    );
    expect(cookie).toMatch(/^svc_session=[A-Za-z0-9_-]{43};/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  //
  it('takes a code once, for ten minutes, and only the newest', async () => {
    const email = someone();
    const first = await requestCode(culprit, email);
    await moveClock(culprit.database, MINUTE_MS);
    const second = await requestCode(culprit, email);
    if (first !== second) expect(await verifyCode(culprit.url, email, first)).toMatchObject(INVALID_CODE);
    expect((await verifyCode(culprit.url, email, second)).status).toBe(200);
    expect(await verifyCode(culprit.url, email, second)).toMatchObject(INVALID_CODE);

    const third = await requestCode(culprit, email);
    await moveClock(culprit.database, 11 * MINUTE_MS);
    expect(await verifyCode(culprit.url, email, third)).toMatchObject(INVALID_CODE);
    expect(await verifyCode(culprit.url, someone(), '123456')).toMatchObject(INVALID_CODE);
  });

  //
  it('burns a code with the fifth wrong one', async () => {
    const [spared, burned] = [someone(), someone()];
    for (const [email, wrongs] of [
      [spared, 4],
      [burned, 5],
    ] as const) {
      const code = await requestCode(culprit, email);
      const wrong = code === '000000' ? '000001' : '000000';
      for (let tries = 0; tries < wrongs; tries += 1) {
        expect(await verifyCode(culprit.url, email, wrong)).toMatchObject(INVALID_CODE);
      }
      expect((await verifyCode(culprit.url, email, code)).status).toBe(email === spared ? 200 : 400);
    }
  });

  //
  it.each(['12345', '1234567', '12345a', '', ' 12345', '１２３４５６'])(
    'refuses the form %j',
    async (code) => {
      expect(await verifyCode(culprit.url, someone(), code)).toMatchObject(INVALID_PAYLOAD);
    },
  );
});

describe('the rate of sign-in', () => {
  //
  it('refuses the eleventh request of a minute from one client', async () => {
    const slow = await startCulprit({
      duties: [],
      hasWorker: false,
      baseUrl: BASE_URL,
      signIn: { requestsPerMinute: 10 },
    });
    try {
      for (let request = 0; request < 10; request += 1) {
        const answer =
          request % 2 === 0
            ? await askForCode(slow.url, someone())
            : await verifyCode(slow.url, someone(), '123456');
        expect(answer.status).toBe(request % 2 === 0 ? 200 : 400);
      }
      const refused = await askForCode(slow.url, someone());
      expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
      expect(refused.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
      expect((await verifyCode(slow.url, someone(), '123456')).status).toBe(429);
    } finally {
      await slow.stop();
    }
  });
});

describe('a session', () => {
  //
  it('is read with its cookie alone', async () => {
    const { cookie, session } = await culprit.signIn(someone());
    expect(await get('/v1/auth/session', { cookie })).toMatchObject({ status: 200, body: { session } });
    const without = await get('/v1/auth/session');
    expect(without).toMatchObject(INVALID_SESSION);
    expect(without.headers.get('www-authenticate')).toBe('Bearer');
    const authorization = `Bearer ${project.memberToken}`;
    expect(await get('/v1/auth/session', { authorization })).toMatchObject(INVALID_SESSION);
  });

  //
  it('changes things only with its CSRF token', async () => {
    const { cookie, csrfToken } = await culprit.signIn(someone());
    const refused = { status: 403, body: { error: 'invalid_csrf_token' } };
    expect(await createToken({ cookie })).toMatchObject(refused);
    expect(await createToken({ cookie, 'x-csrf-token': 'A'.repeat(43) })).toMatchObject(refused);
    expect((await createToken({ cookie, 'x-csrf-token': csrfToken })).status).toBe(201);
    expect((await createToken({}, project.memberToken)).status).toBe(201);
  });

  //
  it('does not help a request with a wrong bearer token', async () => {
    const { headers } = await culprit.signIn(someone());
    const answer = await createToken({ ...headers, authorization: 'Bearer svc_mem_wrong' });
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_member_token' } });
    const read = await get('/v1/projects', { ...headers, authorization: 'Bearer svc_mem_wrong' });
    expect(read).toMatchObject({ status: 401, body: { error: 'invalid_member_token' } });
  });

  //
  it('ends with the logout', async () => {
    const { cookie, headers } = await culprit.signIn(someone());
    expect((await get('/v1/projects', { cookie })).status).toBe(200);
    const logout = () => sendRequest(`${culprit.url}/v1/auth/logout`, { headers });
    const answer = await logout();
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(answer.headers.getSetCookie()).toEqual([
      'svc_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
      '__Host-svc_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
    ]);
    expect(await get('/v1/projects', { cookie })).toMatchObject({
      status: 401,
      body: { error: 'invalid_member_token' },
    });
    expect(await logout()).toMatchObject(INVALID_SESSION);
  });

  it('stays the one of the browser when a neighbouring host plants cookies', async () => {
    const { cookie, headers, session } = await culprit.signIn(someone());
    const other = await culprit.signIn(someone());
    const host = `__Host-${cookie}`;
    for (const planted of [
      `${other.cookie}; ${cookie}; ${host}`,
      `${host}; ${other.cookie}`,
      `svc_session=; ${other.cookie}; ${host}; ${cookie}`,
      `\xa0__Host-${other.cookie}; ${host}`,
      `${cookie}; __Host-svc_session=nonsense`,
    ]) {
      const answer = await get('/v1/auth/session', { cookie: planted });
      expect([planted, answer.status, answer.body]).toEqual([
        planted,
        200,
        { session: expect.objectContaining({ session_id: session.session_id }) },
      ]);
    }
    expect(await get('/v1/auth/session', { cookie: `${other.cookie}; ${cookie}` })).toMatchObject(
      INVALID_SESSION,
    );
    // The CSRF token is that of the session that decides.
    const planted = `${other.cookie}; ${cookie}; ${host}`;
    expect((await createToken({ ...headers, cookie: planted })).status).toBe(201);
    expect((await createToken({ ...other.headers, cookie: planted })).status).toBe(403);
  });

  //
  it('ends 24 hours after its last use', async () => {
    const { cookie } = await culprit.signIn(someone());
    await moveClock(culprit.database, 23 * HOUR_MS);
    expect((await get('/v1/auth/session', { cookie })).status).toBe(200);
    await moveClock(culprit.database, 46 * HOUR_MS);
    expect((await get('/v1/auth/session', { cookie })).status).toBe(200);
    await moveClock(culprit.database, 71 * HOUR_MS);
    expect(await get('/v1/auth/session', { cookie })).toMatchObject(INVALID_SESSION);
    expect((await get('/v1/projects', { cookie })).body).toEqual({ error: 'invalid_member_token' });
  });

  //
  it('ends after seven days, however much it was used', async () => {
    const { cookie } = await culprit.signIn(someone());
    for (let hours = 20; hours < 7 * 24; hours += 20) {
      await moveClock(culprit.database, hours * HOUR_MS);
      expect((await get('/v1/auth/session', { cookie })).status).toBe(200);
    }
    await moveClock(culprit.database, 7 * 24 * HOUR_MS + MINUTE_MS);
    expect(await get('/v1/auth/session', { cookie })).toMatchObject(INVALID_SESSION);
  });
});

describe('pages of other origins', () => {
  function preflight(path: string, origin: string) {
    return sendRequest(culprit.url + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  }

  //
  it('the dashboard may ask with credentials, others may not', async () => {
    const own = await preflight('/v1/projects', APP_URL);
    expect(own.status).toBe(204);
    expect(own.headers.get('access-control-allow-origin')).toBe(APP_URL);
    expect(own.headers.get('access-control-allow-credentials')).toBe('true');
    const foreign = await preflight('/v1/projects', 'https://evil.test');
    expect(foreign).toMatchObject({ status: 403, body: { error: 'origin_not_allowed' } });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  });

  //
  it('any page may ask about ingestion, without credentials', async () => {
    const answer = await preflight('/v1/events', 'https://evil.test');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://evil.test');
    // For beacons; no cookie is read there (docs/contract/ingestion.md 3.4).
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
  });
});

describe('credentials of another kind', () => {
  //
  it('a cookie sends no events', async () => {
    const { headers } = await culprit.signIn(someone());
    const answer = await sendEvents(culprit.url, null, [], headers);
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_project_token' } });
  });

  //
  it('a project token reads no session', async () => {
    const authorization = `Bearer ${project.projectToken}`;
    expect(await get('/v1/auth/session', { authorization })).toMatchObject(INVALID_SESSION);
    expect((await get('/v1/projects', { authorization })).body).toEqual({ error: 'invalid_member_token' });
  });
});

describe('an installation that mails nothing', () => {
  it('says that this way of signing in is not set up', async () => {
    const silent = await startCulprit({ duties: [], mail: { transport: 'off' } });
    try {
      const refused = { status: 503, body: { error: 'auth_not_configured' } };
      expect(await askForCode(silent.url, someone())).toMatchObject(refused);
      expect(await verifyCode(silent.url, someone(), '123456')).toMatchObject(refused);
      expect(await countRows(silent, 'jobs')).toBe(0);
    } finally {
      await silent.stop();
    }
  });
});
