import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { exchange, personWith, plaintextIn, settingsFor } from '../support/github-client.ts';
import { type GithubMode, type GithubServer, startGithubServer } from '../support/github-server.ts';
import { sendRequest } from '../support/send-events.ts';

const CLI = '178c6fc778ccc68e1d6a';
const LISTED = 'Iv1.anotherapplicati';
const PERSON = 1;

let github: GithubServer;
let culprit: TestCulprit;

beforeAll(async () => {
  github = await startGithubServer();
  github.addPerson(personWith(PERSON, 'exchange@example.test'));
  culprit = await startCulprit({
    hasWorker: false,
    github: settingsFor(github, { exchangeClients: [LISTED] }),
  });
});
afterAll(async () => {
  await culprit?.stop();
  await github?.close();
});

describe('which tokens are accepted', () => {
  it.each([
    ['made by hand', { prefix: 'ghp_', clientId: null }],
    ['made by hand, fine-grained', { prefix: 'github_pat_', clientId: null }],
    ['made by hand, in the old form', { prefix: '', clientId: null }],
    ["of GitHub's command line", { prefix: 'gho_', clientId: CLI }],
    ['of a listed application', { prefix: 'gho_', clientId: LISTED }],
  ])('one %s', async (_what, issued) => {
    const answer = await exchange(culprit, github.createToken(PERSON, issued));
    expect(plaintextIn(answer)).toMatch(/^svc_mem_/);
  });

  it('one of our own application', async () => {
    const token = github.createToken(PERSON, { prefix: 'gho_', clientId: github.clientId });
    expect((await exchange(culprit, token)).status).toBe(200);
  });

  it.each([
    ['of any other application', { prefix: 'gho_', clientId: 'Iv1.evilapplication0' }],
    ['of any other application, in the old form', { prefix: '', clientId: 'Iv1.evilapplication0' }],
    ['of an application GitHub does not name', { prefix: 'ghu_', clientId: null }],
  ])('but none %s, whose addresses are not even read', async (_what, issued) => {
    const read = github.requests.filter((request) => request.endsWith('/emails')).length;
    const answer = await exchange(culprit, github.createToken(PERSON, issued));
    expect([answer.status, answer.body]).toEqual([403, { error: 'github_identity_not_allowed' }]);
    expect(github.requests.filter((request) => request.endsWith('/emails'))).toHaveLength(read);
  });

  it.each(['bad', 'two words', 'line\r\nX-Other: header', 'tökén', 'be\u0007ll'])(
    'and none that GitHub refuses or that cannot be sent: %j',
    async (token) => {
      const answer = await exchange(culprit, token);
      expect([answer.status, answer.body]).toEqual([401, { error: 'invalid_github_token' }]);
    },
  );
});

describe('whose tokens are accepted', () => {
  it('nobody\u2019s without a verified primary address that the token may see', async () => {
    github.addPerson({ id: 2, emails: [{ email: 'two@example.test', primary: true, verified: false }] });
    github.addPerson(personWith(3, 'three@example.test'));
    for (const token of [github.createToken(2), github.createToken(3, { scopes: 'read:user' })]) {
      const answer = await exchange(culprit, token);
      expect([answer.status, answer.body]).toEqual([400, { error: 'github_email_missing' }]);
    }
  });

  it('a linked person\u2019s also when the token may not see addresses', async () => {
    github.addPerson(personWith(4, 'four@example.test'));
    const first = await exchange(culprit, github.createToken(4));
    const second = await exchange(culprit, github.createToken(4, { scopes: 'read:user' }));
    expect(first.body).toMatchObject({ token: { user_id: expect.any(String) } });
    expect(userIn(second.body)).toBe(userIn(first.body));
  });

  it('no stranger\u2019s where sign-up is closed', async () => {
    const closed = await startCulprit({
      hasWorker: false,
      github: settingsFor(github),
      signIn: { signup: 'closed' },
    });
    try {
      const answer = await exchange(closed, github.createToken(PERSON));
      expect([answer.status, answer.body]).toEqual([403, { error: 'github_identity_not_allowed' }]);
      await closed.createProject({ email: 'exchange@example.test' });
      expect((await exchange(closed, github.createToken(PERSON))).status).toBe(200);
    } finally {
      await closed.stop();
    }
  });
});

describe('the exchange', () => {
  it.each(['cut', 'failing', 'silent', 'endless', 'garbage', 'over_limit'] satisfies GithubMode[])(
    'is 503 while GitHub is down (%s), and makes nothing',
    async (mode) => {
      const token = github.createToken(PERSON);
      for (const path of ['/api/v3/user', '/api/v3/user/emails']) {
        const before = await countTokens();
        github.setMode(mode, path);
        const answer = await exchange(culprit, token);
        github.setMode('up');
        expect([path, answer.status, answer.body]).toEqual([path, 503, { error: 'github_unavailable' }]);
        expect(await countTokens()).toBe(before);
      }
    },
  );

  it('is 503 where it is switched off, and the other ways still work', async () => {
    const without = await startCulprit({
      hasWorker: false,
      github: settingsFor(github, { isExchangeOn: false }),
    });
    try {
      const answer = await exchange(without, github.createToken(PERSON));
      expect([answer.status, answer.body]).toEqual([503, { error: 'auth_not_configured' }]);
      const url = `${without.url}/v1/auth/github/device/start`;
      expect((await sendRequest(url, { body: '{"accepted_terms":true}' })).status).toBe(200);
    } finally {
      await without.stop();
    }
  });

  it('is written down with the token it made', async () => {
    github.addPerson(personWith(5, 'audited@example.test'));
    const { body } = await exchange(culprit, github.createToken(5));
    const rows = await culprit.database.query<{ action: string; data: object }>(
      {
        name: 'test-audit',
        text: 'select action, data from audit_log where actor_user_id = $1 order by audit_id',
      },
      [userIn(body)],
    );
    expect(rows).toEqual([
      { action: 'user.signed_up', data: { method: 'github' } },
      { action: 'sign_in.succeeded', data: { method: 'github' } },
      { action: 'member_token.created', data: { source: 'exchange' } },
    ]);
  });
});

async function countTokens(): Promise<number> {
  const [row] = await culprit.database.query<{ count: number }>({
    name: 'test-member-tokens',
    text: 'select count(*) from member_tokens',
  });
  return row?.count ?? -1;
}

function userIn(body: unknown): string {
  return /"user_id":"([^"]+)"/.exec(JSON.stringify(body))?.[1] ?? '';
}
