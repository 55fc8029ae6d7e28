import { rename, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { type Answer, sendEvents, sendRequest } from '../support/send-events.ts';

/**
 * Origins at ingestion and at the configuration of clients: docs/contract/ingestion.md 3.4, 7.2;
 * docs/contract/reliability.md test 44.
 */

const ORIGIN = 'https://app.example.com';
const EVENT = {
  event_type: 'frontend_exception',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'web', environment: 'production' },
  payload: { name: 'TypeError', message: 'x is undefined' },
};

let culprit: TestCulprit;
let project: TestProject;
let boundToken: string;

beforeAll(async () => {
  culprit = await startCulprit({ plans: HOSTED, hasWorker: false });
  project = await culprit.createProject({ plan: 'team' });
  boundToken = await culprit.createProjectToken(project.projectId, [ORIGIN, 'http://localhost:3000']);
});
afterAll(() => culprit.stop());

function corsOf({ headers }: Answer): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-')),
  );
}

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
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(answer).toMatchObject({ status: 204, body: null });
    expect(corsOf(answer)).toEqual({
      'access-control-allow-origin': ORIGIN,
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
  ['an acceptance', 202, (origin) => sendEvents(culprit.url, project.projectToken, [EVENT], { origin })],
  ['a broken body', 400, (origin) => sendRaw(project.projectToken, '{', origin)],
  ['a missing token', 401, (origin) => sendRaw(null, '{"events":[]}', origin)],
  ['a foreign origin', 403, (origin) => sendRaw(boundToken, '{"events":[]}', `${origin}.evil.example`)],
  ['too many bytes', 413, (origin) => sendRaw(project.projectToken, ' '.repeat(1_048_577), origin)],
  [
    'a used-up window',
    429,
    async (origin) => {
      const { projectToken } = await culprit.createProject({ plan: 'free' });
      await sendEvents(culprit.url, projectToken, Array(60).fill(EVENT));
      return await sendEvents(culprit.url, projectToken, [EVENT], { origin });
    },
  ],
  [
    'an outage of the object store',
    503,
    async (origin) => {
      await rename(culprit.objectDirectory, `${culprit.objectDirectory}-away`);
      await writeFile(culprit.objectDirectory, '');
      try {
        return await sendEvents(culprit.url, project.projectToken, [EVENT], { origin });
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
    const answer = await send(ORIGIN);
    expect(answer.status).toBe(status);
    expect(corsOf(answer)).toEqual(corsFor(status === 403 ? `${ORIGIN}.evil.example` : ORIGIN));
  });

  it('lets the page read when to come back', async () => {
    const { projectToken } = await culprit.createProject({ plan: 'free' });
    const answer = await sendEvents(culprit.url, projectToken, Array(61).fill(EVENT), { origin: ORIGIN });
    expect(answer).toMatchObject({ status: 202, body: { accepted: 60, rejected: 1 } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(corsOf(answer)).toEqual(corsFor(ORIGIN));
  });

  it('has no origin when none was sent', async () => {
    const answer = await sendEvents(culprit.url, project.projectToken, [EVENT]);
    expect(answer.status).toBe(202);
    expect(corsOf(answer)).toEqual({ vary: 'Origin' });
  });
});

function readConfig(headers: Readonly<Record<string, string>>): Promise<Answer> {
  return sendRequest(`${culprit.url}/v1/sdk/config`, { method: 'GET', token: boundToken, headers });
}

describe('a token with allowed origins', () => {
  it.each([
    ORIGIN,
    'https://app.example.com:443',
    'https://app.example.com/',
    'HTTPS://App.Example.COM',
    'http://localhost:3000',
  ])('takes %s', async (origin) => {
    const answer = await sendEvents(culprit.url, boundToken, [EVENT], { origin });
    expect(answer).toMatchObject({ status: 202, body: { accepted: 1 } });
    expect((await readConfig({ origin })).status).toBe(200);
  });

  it.each([
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com:80',
    'http://app.example.com:443',
    'https://app.example.com.evil.example',
    'https://app.example.com.',
    'https://evilapp.example.com',
    'https://www.app.example.com',
    'https://example.com',
    'https://app.example.co',
    'https://app.example.com@evil.example',
    'https://app.example.com:443@evil.example',
    'https://evil.example/https://app.example.com',
    'https://evil.example#https://app.example.com',
    'https://evil.example?https://app.example.com',
    'https://app.example.com/path',
    'https://app.example.com//',
    'https://app.example.com#',
    'https://app.example.com?',
    'https://app.example.com\\.evil.example',
    'https://app.example.com%2eevil.example',
    'https://app.example.com%00.evil.example',
    'https://app.example.com https://evil.example',
    'https://evil.example, https://app.example.com',
    'https://app.example.com, https://app.example.com',
    'https:app.example.com',
    'https:/app.example.com',
    '//app.example.com',
    'app.example.com',
    'file://app.example.com',
    'javascript://app.example.com',
    'https://xn--pp-6kc.example.com',
    'null',
    'NULL',
    '*',
    'https://*.example.com',
    'http://localhost',
    'http://localhost:3001',
    'https://localhost:3000',
    'http://127.0.0.1:3000',
    `https://${'a'.repeat(3000)}.example.com`,
  ])('refuses %s', async (origin) => {
    for (const answer of [
      await sendEvents(culprit.url, boundToken, [EVENT], { origin }),
      await readConfig({ origin }),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { error: 'origin_not_allowed' } });
      expect(answer.headers.get('access-control-allow-origin')).not.toBe('*');
    }
  });

  it('refuses a request without an origin, whatever other header names one', async () => {
    for (const name of ['referer', 'x-forwarded-host', 'forwarded', 'sec-fetch-site', 'x-origin']) {
      const answer = await sendEvents(culprit.url, boundToken, [EVENT], { [name]: ORIGIN });
      expect(answer).toMatchObject({ status: 403, body: { error: 'origin_not_allowed' } });
      expect(await readConfig({ [name]: ORIGIN })).toMatchObject({ status: 403 });
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
  function beacon(tokens: readonly unknown[], origin: string | null = ORIGIN): Promise<Answer> {
    const events = tokens.map((token) => ({ ...EVENT, project_token: token }));
    return sendEvents(culprit.url, null, events, origin === null ? {} : { origin });
  }
  const refused = { status: 401, body: { error: 'invalid_project_token' } };

  it('is accepted with the token of its origin in every event', async () => {
    expect(await beacon([boundToken, boundToken])).toMatchObject({ status: 202, body: { accepted: 2 } });
  });

  it('is known by its token also when no event is sound', async () => {
    const events = [{ project_token: boundToken }, { event_type: 'x', project_token: boundToken }];
    expect(await sendEvents(culprit.url, null, events, { origin: ORIGIN })).toMatchObject({
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
    const events = [{ ...EVENT, project_token: boundToken }];
    for (const authorization of ['Bearer svc_proj_unknown', 'Basic dTpw', 'Bearer', 'Bearer ']) {
      const answer = await sendEvents(culprit.url, null, events, { origin: ORIGIN, authorization });
      expect(answer).toMatchObject(refused);
    }
  });
});
