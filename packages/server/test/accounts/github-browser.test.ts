import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locationOf } from '../support/cookie-browser.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { openBrowser, personWith, settingsFor } from '../support/github-client.ts';
import { type GithubMode, type GithubServer, startGithubServer } from '../support/github-server.ts';

const APP = 'https://app.example.test';

let github: GithubServer;
let culprit: TestCulprit;

beforeAll(async () => {
  github = await startGithubServer();
  culprit = await startCulprit({ hasWorker: false, github: settingsFor(github), appUrl: APP });
});
afterAll(async () => {
  await culprit?.stop();
  await github?.close();
});

describe('a browser sign-in that fails ends on the sign-in page with a word for it', () => {
  it('when the person cancels', async () => {
    const browser = openBrowser(culprit, github);
    const asked = github.requests.length;
    const answer = await browser.callback(await github.visit(await browser.start(), 'cancels'));
    expect(locationOf(answer)).toBe(`${APP}/login?error=github_cancelled`);
    // One request is the page itself.
    expect(github.requests.length).toBe(asked + 1);
    expect([...browser.cookies]).toEqual([]);
  });

  it('when a cancelled one is repeated, its state is used up', async () => {
    const browser = openBrowser(culprit, github);
    const callback = await github.visit(await browser.start(), 'cancels');
    const cookie = browser.cookies.get('svc_oauth') ?? '';
    await browser.callback(callback);
    browser.cookies.set('svc_oauth', cookie);
    expect((await browser.callback(callback)).body).toEqual({ error: 'invalid_oauth_state' });
  });

  it('when GitHub has no verified primary address', async () => {
    github.addPerson({ id: 1, emails: [{ email: 'a@example.test', primary: true, verified: false }] });
    expect(await openBrowser(culprit, github).signIn(1)).toBe(`${APP}/login?error=github_email_missing`);
  });

  it('when the application itself is refused by GitHub', async () => {
    const browser = openBrowser(culprit, github);
    const state = new URL(await browser.start()).searchParams.get('state');
    const answer = await browser.get(`/v1/auth/github/callback?error=application_suspended&state=${state}`);
    expect(locationOf(answer)).toBe(`${APP}/login?error=github_unavailable`);
  });

  it('when the code is not one of this sign-in', async () => {
    github.addPerson(personWith(2, 'code@example.test'));
    const [browser, other] = [openBrowser(culprit, github), openBrowser(culprit, github)];
    const state = new URL(await browser.start()).searchParams.get('state');
    const foreign = new URL(await github.visit(await other.start(), { as: 2 })).searchParams.get('code');
    const answer = await browser.get(`/v1/auth/github/callback?code=${foreign}&state=${state}`);
    expect(locationOf(answer)).toBe(`${APP}/login?error=github_unavailable`);
    expect(await browser.session()).toBeNull();
  });

  it.each(['cut', 'failing', 'silent', 'endless', 'garbage', 'over_limit'] satisfies GithubMode[])(
    'when GitHub is down (%s), at the first step and at the last',
    async (mode) => {
      github.addPerson(personWith(3, 'down@example.test'));
      for (const path of ['/login/oauth/access_token', '/api/v3/user', '/api/v3/user/emails']) {
        const browser = openBrowser(culprit, github);
        const callback = await github.visit(await browser.start(), { as: 3 });
        github.setMode(mode, path);
        const location = locationOf(await browser.callback(callback));
        github.setMode('up');
        expect([path, location]).toEqual([path, `${APP}/login?error=github_unavailable`]);
        expect(await browser.session()).toBeNull();
      }
    },
  );

  it('when sign-up is closed, but not for people with an account or an invite', async () => {
    const invited = await startCulprit({
      hasWorker: false,
      github: settingsFor(github),
      appUrl: APP,
      signIn: { signup: 'invited' },
    });
    try {
      github.addPerson(personWith(4, 'stranger@example.test'));
      github.addPerson(personWith(5, 'known@example.test'));
      github.addPerson(personWith(6, 'guest@example.test'));
      expect(await openBrowser(invited, github).signIn(4)).toBe(`${APP}/login?error=signup_closed`);
      const { projectId, userId } = await invited.createProject({ email: 'known@example.test' });
      expect(await openBrowser(invited, github).signIn(5)).toBe(`${APP}/`);
      await invited.database.query(
        {
          name: 'test-invite',
          text: `insert into project_invites (invite_id, project_id, email, role, token_hash, invited_by_user_id,
              expires_at)
            values (gen_random_uuid(), $1, 'guest@example.test', 'member', 'h', $2, culprit_now() + interval '1 d')`,
        },
        [projectId.slice('proj_'.length), userId],
      );
      const guest = openBrowser(invited, github);
      expect(await guest.signIn(6)).toBe(`${APP}/`);
      expect(await guest.session()).toMatchObject({ role: 'member', email: 'guest@example.test' });
    } finally {
      await invited.stop();
    }
  });
});

describe('a browser sign-in that succeeds', () => {
  it('ends the session it came with, whoever it belongs to', async () => {
    github.addPerson(personWith(10, 'first@example.test'));
    github.addPerson(personWith(11, 'second@example.test'));
    const browser = openBrowser(culprit, github);
    await browser.signIn(10);
    const before = browser.cookies.get('svc_session') ?? '';
    await browser.signIn(11);
    expect(await browser.session()).toMatchObject({ email: 'second@example.test' });
    const old = openBrowser(culprit, github);
    old.cookies.set('svc_session', before);
    expect(await old.session()).toBeNull();
  });

  it.each([
    ['', '/'],
    ['?return_to=/', '/'],
    ['?return_to=/a%20b%3Fc%3Dd%23e', '/a%20b?c=d#e'],
    ['?return_to=/caf%C3%A9', '/caf%C3%A9'],
    ['?return_to=/..//evil.test', '//evil.test'],
  ])('returns to the page it began at, always on the dashboard: %s', async (query, path) => {
    github.addPerson(personWith(12, 'return@example.test'));
    expect(await openBrowser(culprit, github).signIn(12, query)).toBe(APP + path);
  });

  it('is one account for parallel first sign-ins of one person, and links it once', async () => {
    github.addPerson(personWith(13, 'parallel@example.test'));
    const browsers = Array.from({ length: 6 }, () => openBrowser(culprit, github));
    const ends = await Promise.all(browsers.map((browser) => browser.signIn(13)));
    expect(ends).toEqual(browsers.map(() => `${APP}/`));
    const sessions = await Promise.all(browsers.map((browser) => browser.session()));
    expect(new Set(sessions.map((session) => session?.user_id)).size).toBe(1);
    expect(new Set(sessions.map((session) => session?.organization_id)).size).toBe(1);
  });

  it('never links to an address that nobody has proven here', async () => {
    const { userId } = await culprit.createProject({ email: 'untested@example.test' });
    await culprit.database.query(
      { name: 'test-untested', text: 'update users set email_verified_at = null where user_id = $1' },
      [userId],
    );
    github.addPerson(personWith(14, 'untested@example.test'));
    expect(await openBrowser(culprit, github).signIn(14)).toBe(`${APP}/login?error=github_identity_conflict`);
    const [row] = await culprit.database.query(
      { name: 'test-unlinked', text: 'select github_id, has_used_github from users where user_id = $1' },
      [userId],
    );
    expect(row).toEqual({ github_id: null, has_used_github: false });
  });

  it('is written down, and so is one that failed, without a secret', async () => {
    github.addPerson(personWith(15, 'audited@example.test'));
    const browser = openBrowser(culprit, github);
    await browser.signIn(15);
    const session = await browser.session();
    const rows = await culprit.database.query<{ action: string; data: object; subject: string }>(
      {
        name: 'test-audit',
        text: 'select action, subject, data from audit_log where actor_user_id = $1 order by audit_id',
      },
      [String(session?.user_id)],
    );
    expect(rows).toEqual([
      { action: 'user.signed_up', subject: `user:${session?.user_id}`, data: { method: 'github' } },
      { action: 'sign_in.succeeded', subject: `user:${session?.user_id}`, data: { method: 'github' } },
      { action: 'session.started', subject: `session:${session?.session_id}`, data: {} },
    ]);
    await browser.get('/v1/auth/github/callback?code=c&state=s');
    const [failed] = await culprit.database.query({
      name: 'test-audit-newest',
      text: 'select action, actor_user_id, subject, data from audit_log order by audit_id desc limit 1',
    });
    expect(failed).toEqual({
      action: 'sign_in.failed',
      actor_user_id: null,
      subject: null,
      data: { method: 'github', reason: 'invalid_oauth_state' },
    });
  });
});

describe('the rate of sign-ins', () => {
  it('counts start and callback together with all other ways to sign in', async () => {
    const strict = await startCulprit({
      hasWorker: false,
      github: settingsFor(github),
      signIn: { requestsPerMinute: 10 },
    });
    try {
      const browser = openBrowser(strict, github);
      for (let done = 0; done < 5; done += 1) {
        expect((await browser.get('/v1/auth/github/start')).status).toBe(302);
        expect((await browser.get('/v1/auth/github/callback?code=c&state=s')).status).toBe(400);
      }
      for (const path of ['/v1/auth/github/start', '/v1/auth/github/callback?code=c&state=s']) {
        const { status, body, headers } = await browser.get(path);
        expect([status, body]).toEqual([429, { error: 'rate_limited' }]);
        expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
      }
    } finally {
      await strict.stop();
    }
  });
});
