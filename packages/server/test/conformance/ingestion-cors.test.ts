import { rename, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APP_ORIGIN, corsOf, FOREIGN_ORIGINS, PAGE_EVENT } from '../support/cross-origin.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { type Answer, sendEvents, sendRequest } from '../support/send-events.ts';

/**
 * Origins at ingestion and at the configuration of clients: docs/contract/ingestion.md 3.4, 7.2;
 * docs/contract/reliability.md test 44.
 */

let culprit: TestCulprit;
let project: TestProject;
let boundToken: string;

beforeAll(async () => {
  culprit = await startCulprit({ plans: HOSTED, hasWorker: false });
  project = await culprit.createProject({ plan: 'team' });
  boundToken = await culprit.createProjectToken(project.projectId, [APP_ORIGIN, 'http://localhost:3000']);
});
afterAll(() => culprit.stop());

function corsFor(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'ETag, Retry-After',
    vary: 'Origin',
  };
}

describe('a preflight', () => {
  it.each([
    ['/v1/events', { 'access-control-allow-credentials': 'true' }],
    ['/v1/sdk/config', {}],
  ])('of %s allows what libraries send', async (path, credentials) => {
    const answer = await sendRequest(culprit.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: APP_ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(answer).toMatchObject({ status: 204, body: null });
    expect(corsOf(answer)).toEqual({
      'access-control-allow-origin': APP_ORIGIN,
      'access-control-expose-headers': 'ETag, Retry-After',
      vary: 'Origin',
      ...credentials,
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers':
        'authorization, content-type, if-none-match, x-service-sdk, x-service-sdk-version, x-debugbundle-sdk, x-debugbundle-sdk-version, x-debugbundle-analytics-config, x-debugbundle-analytics-schema',
      'access-control-max-age': '600',
    });
  });

  it.each([
    'http://localhost:3000',
    'https://anything.example:8443',
    'null',
    'capacitor://localhost',
    'chrome-extension://abcdefghijklmnop',
    'https://[2001:db8::1]:8443',
  ])('echoes the origin %s, whose token is not known yet', async (origin) => {
    const answer = await sendRequest(`${culprit.url}/v1/events`, { method: 'OPTIONS', headers: { origin } });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    // A page without an origin of its own shares `null` with every other such page.
    expect(answer.headers.get('access-control-allow-credentials')).toBe(origin === 'null' ? null : 'true');
  });

  it('without an origin is answered without one', async () => {
    const answer = await sendRequest(`${culprit.url}/v1/events`, { method: 'OPTIONS' });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('vary')).toBe('Origin');
  });
});

/** Every kind of answer; the page must be able to read each of them. */
const ANSWERS: readonly (readonly [string, number, (origin: string) => Promise<Answer>])[] = [
  ['an acceptance', 202, (origin) => sendEvents(culprit.url, project.projectToken, [PAGE_EVENT], { origin })],
  ['a broken body', 400, (origin) => sendRaw(project.projectToken, '{', origin)],
  ['a missing token', 401, (origin) => sendRaw(null, '{"events":[]}', origin)],
  ['a foreign origin', 403, (origin) => sendRaw(boundToken, '{"events":[]}', `${origin}.evil.example`)],
  ['too many bytes', 413, (origin) => sendRaw(project.projectToken, ' '.repeat(1_048_577), origin)],
  [
    'a used-up window',
    429,
    async (origin) => {
      const { projectToken } = await culprit.createProject({ plan: 'free' });
      await sendEvents(culprit.url, projectToken, Array(60).fill(PAGE_EVENT));
      return await sendEvents(culprit.url, projectToken, [PAGE_EVENT], { origin });
    },
  ],
  [
    'an outage of the object store',
    503,
    async (origin) => {
      await rename(culprit.objectDirectory, `${culprit.objectDirectory}-away`);
      await writeFile(culprit.objectDirectory, '');
      try {
        return await sendEvents(culprit.url, project.projectToken, [PAGE_EVENT], { origin });
      } finally {
        await rm(culprit.objectDirectory);
        await rename(`${culprit.objectDirectory}-away`, culprit.objectDirectory);
      }
    },
  ],
];

function sendRaw(token: string | null, body: string, origin: string): Promise<Answer> {
  return sendRequest(`${culprit.url}/v1/events`, { token, body, headers: { origin } });
}

describe('the answer to a request with an origin', () => {
  it.each(ANSWERS)('echoes it on %s', async (_name, status, send) => {
    const answer = await send(APP_ORIGIN);
    expect(answer.status).toBe(status);
    expect(corsOf(answer)).toEqual(corsFor(status === 403 ? `${APP_ORIGIN}.evil.example` : APP_ORIGIN));
  });

  it('lets the page read when to come back', async () => {
    const { projectToken } = await culprit.createProject({ plan: 'free' });
    const answer = await sendEvents(culprit.url, projectToken, Array(61).fill(PAGE_EVENT), {
      origin: APP_ORIGIN,
    });
    expect(answer).toMatchObject({ status: 202, body: { accepted: 60, rejected: 1 } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(corsOf(answer)).toEqual(corsFor(APP_ORIGIN));
  });

  it('has no origin when none was sent', async () => {
    const answer = await sendEvents(culprit.url, project.projectToken, [PAGE_EVENT]);
    expect(answer.status).toBe(202);
    expect(corsOf(answer)).toEqual({ vary: 'Origin' });
  });
});

function readConfig(headers: Readonly<Record<string, string>>): Promise<Answer> {
  return sendRequest(`${culprit.url}/v1/sdk/config`, { method: 'GET', token: boundToken, headers });
}

describe('a token with allowed origins', () => {
  it.each([
    APP_ORIGIN,
    'https://app.example.com:443',
    'https://app.example.com/',
    'HTTPS://App.Example.COM',
    'http://localhost:3000',
  ])('takes %s', async (origin) => {
    const answer = await sendEvents(culprit.url, boundToken, [PAGE_EVENT], { origin });
    expect(answer).toMatchObject({ status: 202, body: { accepted: 1 } });
    expect((await readConfig({ origin })).status).toBe(200);
  });

  it.each([
    ...FOREIGN_ORIGINS,
    'http://localhost',
    'http://localhost:3001',
    'https://localhost:3000',
    'http://127.0.0.1:3000',
  ])('refuses %s', async (origin) => {
    for (const answer of [
      await sendEvents(culprit.url, boundToken, [PAGE_EVENT], { origin }),
      await readConfig({ origin }),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { error: 'origin_not_allowed' } });
      expect(answer.headers.get('access-control-allow-origin')).not.toBe('*');
    }
  });

  it('refuses a request without an origin, whatever other header names one', async () => {
    for (const name of ['referer', 'x-forwarded-host', 'forwarded', 'sec-fetch-site', 'x-origin']) {
      const answer = await sendEvents(culprit.url, boundToken, [PAGE_EVENT], { [name]: APP_ORIGIN });
      expect(answer).toMatchObject({ status: 403, body: { error: 'origin_not_allowed' } });
      expect(await readConfig({ [name]: APP_ORIGIN })).toMatchObject({ status: 403 });
    }
  });

  it('is judged before the body, and the token before the origin', async () => {
    expect(await sendRaw(boundToken, '{', 'https://evil.example')).toMatchObject({
      status: 403,
      body: { error: 'origin_not_allowed' },
    });
    expect(await sendRaw(`${boundToken}x`, '{', 'https://evil.example')).toMatchObject({
      status: 401,
      body: { error: 'invalid_project_token' },
    });
  });
});

describe('a beacon without Authorization', () => {
  function beacon(tokens: readonly unknown[], origin: string | null = APP_ORIGIN): Promise<Answer> {
    const events = tokens.map((token) => ({ ...PAGE_EVENT, project_token: token }));
    return sendEvents(culprit.url, null, events, origin === null ? {} : { origin });
  }
  const refused = { status: 401, body: { error: 'invalid_project_token' } };

  it('is accepted with the token of its origin in every event', async () => {
    expect(await beacon([boundToken, boundToken])).toMatchObject({ status: 202, body: { accepted: 2 } });
  });

  it('is known by its token also when no event is sound', async () => {
    const events = [{ project_token: boundToken }, { event_type: 'x', project_token: boundToken }];
    expect(await sendEvents(culprit.url, null, events, { origin: APP_ORIGIN })).toMatchObject({
      status: 202,
      body: { accepted: 0, rejected: 2 },
    });
  });

  it('is refused when an event names another token, or none', async () => {
    expect(await beacon([boundToken, project.projectToken])).toMatchObject(refused);
    expect(await beacon([boundToken, undefined])).toMatchObject(refused);
    expect(await beacon([boundToken, null])).toMatchObject(refused);
    expect(await beacon([boundToken, [boundToken]])).toMatchObject(refused);
  });

  it('is refused without events, without an origin, and from a foreign one', async () => {
    expect(await beacon([])).toMatchObject(refused);
    expect(await beacon([boundToken], null)).toMatchObject(refused);
    expect(await beacon([boundToken], 'https://evil.example')).toMatchObject(refused);
    expect(await beacon([boundToken], 'null')).toMatchObject(refused);
  });

  it('is refused for a token without allowed origins, and for a member token', async () => {
    expect(await beacon([project.projectToken])).toMatchObject(refused);
    expect(await beacon([project.memberToken])).toMatchObject(refused);
  });

  it('does not help a request whose header is wrong', async () => {
    const events = [{ ...PAGE_EVENT, project_token: boundToken }];
    for (const authorization of ['Bearer svc_proj_unknown', 'Basic dTpw', 'Bearer', 'Bearer ']) {
      const answer = await sendEvents(culprit.url, null, events, { origin: APP_ORIGIN, authorization });
      expect(answer).toMatchObject(refused);
    }
  });
});
