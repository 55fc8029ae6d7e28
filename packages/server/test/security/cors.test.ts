// Proves 44.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APP_ORIGIN, corsOf, FOREIGN_ORIGINS, PAGE_EVENT } from '../support/cross-origin.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { type Answer, sendEvents, sendRequest } from '../support/send-events.ts';
import type { SignedInBrowser } from '../support/sign-in.ts';

/**
 * docs/contract/reliability.md test 44: exact match only, and never credentials for foreign origins where a cookie is
 * read (docs/contract/account.md 2.7, docs/contract/ingestion.md 3.4).
 */

const CONFIGURED = 'http://tools.example.com:8080';
let culprit: TestCulprit;
let project: TestProject;
let browser: SignedInBrowser;
let boundToken: string;

beforeAll(async () => {
  culprit = await startCulprit({ duties: [], appUrl: APP_ORIGIN, corsOrigins: [CONFIGURED] });
  project = await culprit.createProject({ email: 'owner@example.test' });
  browser = await culprit.signIn('owner@example.test');
  boundToken = await culprit.createProjectToken(project.projectId, [APP_ORIGIN]);
});
afterAll(() => culprit.stop());

function preflight(path: string, origin: string): Promise<Answer> {
  return sendRequest(culprit.url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-csrf-token',
    },
  });
}

describe('the management API', () => {
  it.each([APP_ORIGIN, CONFIGURED])('may be used with cookies from %s', async (origin) => {
    const asked = await preflight('/v1/member/tokens', origin);
    expect(asked.status).toBe(204);
    expect(corsOf(asked)).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'Authorization, Content-Type, X-CSRF-Token, If-None-Match',
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE, OPTIONS',
      'access-control-expose-headers': 'Retry-After, ETag, X-Service-Problem',
      'access-control-max-age': '600',
    });
    const read = await sendRequest(`${culprit.url}/v1/auth/session`, {
      method: 'GET',
      headers: { origin, cookie: browser.cookie },
    });
    expect(read.status).toBe(200);
    expect(corsOf(read)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
    });
  });

  it.each([...FOREIGN_ORIGINS, 'https://tools.example.com:8080', 'http://tools.example.com'])(
    'may be neither asked about nor read from %s',
    async (origin) => {
      for (const path of ['/v1/member/tokens', '/v1/auth/request-code', '/v1/unknown', '/v1/events/x']) {
        const asked = await preflight(path, origin);
        expect(asked).toMatchObject({ status: 403, body: { error: 'origin_not_allowed' } });
        expect(corsOf(asked)).toEqual({ vary: 'Origin' });
      }
      for (const path of ['/v1/auth/session', '/v1/projects', '/v1/unknown']) {
        const headers = { origin, cookie: browser.cookie };
        expect(corsOf(await sendRequest(culprit.url + path, { method: 'GET', headers }))).toEqual({
          vary: 'Origin',
        });
      }
      const changed = await sendRequest(`${culprit.url}/v1/member/tokens`, {
        headers: { ...browser.headers, origin },
        body: JSON.stringify({ label: 'ci' }),
      });
      expect(changed).toMatchObject({ status: 403, body: { error: 'invalid_csrf_token' } });
      expect(corsOf(changed)).toEqual({ vary: 'Origin' });
    },
  );

  it('tells no page about a sign-in that was made from elsewhere', async () => {
    const answer = await sendRequest(`${culprit.url}/v1/auth/verify-code`, {
      headers: { origin: 'https://evil.test' },
      body: JSON.stringify({ email: 'owner@example.test', code: '000000' }),
    });
    expect(corsOf(answer)).toEqual({ vary: 'Origin' });
  });
});

describe('a token with an allowed origin', () => {
  it('works from there, and only by the token', async () => {
    const answer = await sendEvents(culprit.url, boundToken, [PAGE_EVENT], { origin: APP_ORIGIN });
    expect(answer.status).toBe(202);
    expect(corsOf(answer)).toMatchObject({ 'access-control-allow-origin': APP_ORIGIN });
    const byCookie = await sendEvents(culprit.url, null, [PAGE_EVENT], {
      origin: APP_ORIGIN,
      cookie: browser.cookie,
      'x-csrf-token': browser.headers['x-csrf-token'],
    });
    expect(byCookie).toMatchObject({ status: 401, body: { error: 'invalid_project_token' } });
    expect([...byCookie.headers.keys()]).not.toContain('set-cookie');
  });

  it.each(FOREIGN_ORIGINS)('works neither for events nor for configuration from %s', async (origin) => {
    const refused = { status: 403, body: { error: 'origin_not_allowed' } };
    const answers = [
      await sendEvents(culprit.url, boundToken, [PAGE_EVENT], { origin }),
      await sendEvents(culprit.url, boundToken, [PAGE_EVENT], { origin, cookie: browser.cookie }),
      await sendRequest(`${culprit.url}/v1/sdk/config`, {
        method: 'GET',
        token: boundToken,
        headers: { origin },
      }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject(refused);
      expect(['*', APP_ORIGIN]).not.toContain(answer.headers.get('access-control-allow-origin'));
    }
  });

  it.each(FOREIGN_ORIGINS)('is asked about from %s, which is named exactly or not at all', async (origin) => {
    for (const path of ['/v1/events', '/v1/sdk/config']) {
      const asked = await preflight(path, origin);
      expect(asked.status).toBe(204);
      const allowed = asked.headers.get('access-control-allow-origin');
      expect([null, origin]).toContain(allowed);
      expect(allowed).not.toBe('*');
      const hasCredentials = path === '/v1/events' && allowed !== null && allowed.toLowerCase() !== 'null';
      expect(asked.headers.get('access-control-allow-credentials')).toBe(hasCredentials ? 'true' : null);
    }
  });

  it('does not work without an origin', async () => {
    expect(await sendEvents(culprit.url, boundToken, [PAGE_EVENT])).toMatchObject({
      status: 403,
      body: { error: 'origin_not_allowed' },
    });
  });
});
