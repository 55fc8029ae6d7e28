// Proves 43.
import { api } from '@culprit/contract/endpoints/api';
import { type Endpoint, isMutation, pathParameterNames } from '@culprit/contract/endpoints/endpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { snapshotDatabase } from '../support/database-snapshot.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import type { SignedInBrowser } from '../support/sign-in.ts';

/**
 * docs/contract/reliability.md test 43: every change that a cookie can ask for, under eight kinds of attack and more
 * (docs/contract/account.md 2.6).
 */

const BASE_URL = 'http://localhost:4800';
const APP_URL = 'https://app.example.com';
const CONFIGURED = 'https://tools.example.com';
const EMAIL = 'owner@example.test';

const ENDPOINTS = api.filter(
  ({ method, auth }) => isMutation(method) && (auth === 'member' || auth === 'session'),
);

let culprit: TestCulprit;
let project: TestProject;
let victim: SignedInBrowser;
let sameVictimElsewhere: SignedInBrowser;
let attacker: SignedInBrowser;

beforeAll(async () => {
  culprit = await startCulprit({
    duties: [],
    baseUrl: BASE_URL,
    appUrl: APP_URL,
    corsOrigins: [CONFIGURED],
  });
  project = await culprit.createProject({ email: EMAIL });
  victim = await culprit.signIn(EMAIL);
  sameVictimElsewhere = await culprit.signIn(EMAIL);
  attacker = await culprit.signIn('attacker@example.test');
  // Planning the new project's report, some seconds from now, would look like something that a request did.
  await culprit.database.script('delete from weekly_report_channels');
});
afterAll(() => culprit.stop());

/** What an attacker can make the victim's browser send along; the cookie comes by itself. */
const ATTACKS: readonly [
  name: string,
  forge: () => { headers?: Readonly<Record<string, string>>; query?: string; body?: object; type?: string },
][] = [
  ['no token, as from a form', () => ({ type: 'text/plain' })],
  ['no token, with JSON', () => ({})],
  ['an empty token', () => ({ headers: { 'x-csrf-token': '' } })],
  ['a guessed token', () => ({ headers: { 'x-csrf-token': 'A'.repeat(43) } })],
  ["the attacker's own token", () => ({ headers: { 'x-csrf-token': attacker.csrfToken } })],
  [
    'the token of another session of the victim',
    () => ({ headers: { 'x-csrf-token': sameVictimElsewhere.csrfToken } }),
  ],
  ['a part of the token', () => ({ headers: { 'x-csrf-token': victim.csrfToken.slice(0, 42) } })],
  [
    'the token twice, as proxies join it',
    () => ({ headers: { 'x-csrf-token': `${victim.csrfToken}, ${victim.csrfToken}` } }),
  ],
  [
    'the token where it does not belong',
    () => ({
      query: `?csrf_token=${victim.csrfToken}&X-CSRF-Token=${victim.csrfToken}`,
      body: { csrf_token: victim.csrfToken },
      headers: { 'x-xsrf-token': victim.csrfToken },
    }),
  ],
  ...[
    'https://evil.test',
    'null',
    'http://app.example.com',
    'https://app.example.com.evil.test',
    'https://app.example.com:8443',
    'https://APP.example.com',
    'https://app.example.com/',
    `${APP_URL}, https://evil.test`,
    '',
  ].map((origin): (typeof ATTACKS)[number] => [
    `the right token from a page of ${origin || 'no origin at all'}`,
    () => ({ headers: { 'x-csrf-token': victim.csrfToken, origin } }),
  ]),
];

function pathOf(endpoint: Endpoint): string {
  return pathParameterNames(endpoint.path).reduce(
    (path, name) => path.replace(`:${name}`, name === 'id' ? project.projectId : newUuid()),
    endpoint.path,
  );
}

async function send(
  endpoint: Endpoint,
  browser: SignedInBrowser,
  forged: ReturnType<(typeof ATTACKS)[number][1]>,
): Promise<Answer> {
  return await sendRequest(`${culprit.url}${pathOf(endpoint)}${forged.query ?? ''}`, {
    method: endpoint.method,
    headers: {
      cookie: browser.cookie,
      ...(forged.type === undefined ? {} : { 'content-type': forged.type }),
      ...forged.headers,
    },
    body: JSON.stringify(forged.body ?? {}),
  });
}

describe('a change that only a cookie asks for', () => {
  it('is known for many endpoints', () => {
    expect(ENDPOINTS.length).toBeGreaterThan(20);
    expect(ENDPOINTS.map(({ id }) => id)).toContain('logOut');
  });

  it.each(ATTACKS)('is not made with %s', async (_name, forge) => {
    const before = await snapshotDatabase(culprit.database);
    for (const endpoint of ENDPOINTS) {
      const answer = await send(endpoint, victim, forge());
      expect([endpoint.id, answer.status, answer.body]).toEqual([
        endpoint.id,
        403,
        { error: 'invalid_csrf_token' },
      ]);
      expect(answer.headers.get('access-control-allow-origin') ?? APP_URL).toBe(APP_URL);
    }
    expect(await snapshotDatabase(culprit.database)).toEqual(before);
  });

  it('is refused before its ids, its query and its body are looked at', async () => {
    for (const path of ['/v1/projects/..%2f', '/v1/projects/x?unknown=1', '/v1/incidents/%00/resolve']) {
      const answer = await sendRequest(culprit.url + path, {
        method: path.endsWith('resolve') ? 'POST' : 'PATCH',
        headers: { cookie: victim.cookie },
        body: '{"broken',
      });
      expect([path, answer.body]).toEqual([path, { error: 'invalid_csrf_token' }]);
    }
  });

  it('is refused behind the size of its body, and behind a missing credential', async () => {
    const tooLarge = await sendRequest(`${culprit.url}/v1/member/tokens`, {
      headers: { cookie: victim.cookie },
      body: ' '.repeat(300 * 1024),
    });
    expect(tooLarge).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
    const anonymous = await sendRequest(`${culprit.url}/v1/member/tokens`, { body: '{}' });
    expect(anonymous).toMatchObject({ status: 401, body: { error: 'invalid_member_token' } });
  });
});

describe('a change that a page of ours asks for', () => {
  it.each([null, APP_URL, BASE_URL, CONFIGURED])('is let through from %s', async (origin) => {
    const browser = await culprit.signIn(`visitor-${newUuid()}@example.test`);
    for (const endpoint of ENDPOINTS) {
      const headers = { 'x-csrf-token': browser.csrfToken, ...(origin === null ? {} : { origin }) };
      // A field nobody knows: the change gets past the CSRF check and no further than its body.
      const answer = await send(endpoint, browser, { headers, body: { unknown_field: true } });
      expect([endpoint.id, answer.body]).not.toEqual([endpoint.id, { error: 'invalid_csrf_token' }]);
      expect([endpoint.id, answer.status === 401]).toEqual([endpoint.id, false]);
    }
  });

  it('needs no token with a bearer token, from wherever it comes', async () => {
    const answer = await sendRequest(`${culprit.url}/v1/member/tokens`, {
      token: project.memberToken,
      headers: { origin: 'https://evil.test', cookie: victim.cookie },
      body: JSON.stringify({ label: 'ci' }),
    });
    expect(answer.status).toBe(201);
  });

  it('needs no token for reading', async () => {
    const headers = { cookie: victim.cookie };
    for (const path of ['/v1/projects', '/v1/auth/session', '/v1/member/tokens', '/v1/incidents']) {
      expect((await sendRequest(culprit.url + path, { method: 'GET', headers })).status).toBe(200);
    }
  });
});
