import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SampleServer, startSampleServer } from './sample-api.ts';

let sample: SampleServer;

beforeAll(async () => {
  sample = await startSampleServer({ appOrigins: ['https://app.example.com'] });
});
afterAll(() => sample.close());

async function ask(method: string, path: string, headers: Record<string, string>) {
  const response = await fetch(sample.address + path, { method, headers });
  await response.text();
  const cors = [...response.headers].filter(
    ([name]) => name.startsWith('access-control-') || name === 'vary',
  );
  return { status: response.status, ...Object.fromEntries(cors) };
}

describe('CORS of ingestion', () => {
  it.each([
    ['/v1/events', { 'access-control-allow-credentials': 'true' }],
    ['/v1/sdk/config', {}],
  ])('lets any origin ask about %s', async (path, credentials) => {
    expect(
      await ask('OPTIONS', path, { origin: 'https://any.example', 'access-control-request-method': 'POST' }),
    ).toEqual({
      status: 204,
      vary: 'Origin',
      'access-control-allow-origin': 'https://any.example',
      ...credentials,
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers':
        'authorization, content-type, if-none-match, x-service-sdk, x-service-sdk-version, x-debugbundle-sdk, x-debugbundle-sdk-version, x-debugbundle-analytics-config, x-debugbundle-analytics-schema',
      'access-control-max-age': '600',
      'access-control-expose-headers': 'ETag, Retry-After',
    });
  });

  it('lets every real answer be read, a refusal included, by a beacon with credentials too', async () => {
    for (const authorization of ['Bearer x', null]) {
      const headers = { origin: 'https://any.example', ...(authorization === null ? {} : { authorization }) };
      expect(await ask('POST', '/v1/events', headers)).toEqual({
        status: authorization === null ? 401 : 202,
        vary: 'Origin',
        'access-control-allow-origin': 'https://any.example',
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'ETag, Retry-After',
      });
    }
  });

  it.each([
    'null',
    'http://localhost:3000',
    'http://[::1]:80',
    'capacitor://localhost',
    'https://xn--bcher-kva.example',
  ])('reflects the origin %s', async (origin) => {
    expect(await ask('OPTIONS', '/v1/events', { origin })).toMatchObject({
      'access-control-allow-origin': origin,
    });
  });

  it.each(['null', 'NULL'])('offers no credentials to %s, which many pages share', async (origin) => {
    for (const method of ['OPTIONS', 'POST']) {
      expect(await ask(method, '/v1/events', { origin })).not.toHaveProperty(
        'access-control-allow-credentials',
      );
    }
  });

  it.each([
    '*',
    'https://a.example/',
    'https://a.example/path',
    'https://u:p@a.example',
    'https://a.example:123456',
    'https://',
    'a.example',
    'https://a.example, https://b.example',
    'https://a.example b.example',
    `https://${'a'.repeat(300)}`,
    'https://a.example?x',
  ])('reflects nothing for %s', async (origin) => {
    expect(await ask('OPTIONS', '/v1/events', { origin })).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('CORS of everything else', () => {
  it('lets the dashboard ask and read, with credentials', async () => {
    const origin = 'https://app.example.com';
    expect(await ask('OPTIONS', '/v1/projects', { origin })).toEqual({
      status: 204,
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': 'Authorization, Content-Type, X-CSRF-Token, If-None-Match',
      'access-control-max-age': '600',
      'access-control-expose-headers': 'Retry-After, ETag, X-Service-Problem',
    });
    expect(await ask('GET', '/v1/widgets', { origin })).toEqual({
      status: 401,
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'Retry-After, ETag, X-Service-Problem',
    });
  });

  it.each([
    'https://evil.test',
    'null',
    'http://app.example.com',
    'https://app.example.com.evil.test',
    'https://app.example.com:443',
    'https://APP.example.com',
    'https://sub.app.example.com',
    'https://app.example.com/',
    'https://app.example.comx',
    '*',
  ])('refuses the origin %s', async (origin) => {
    expect(await ask('OPTIONS', '/v1/projects', { origin })).toEqual({ status: 403, vary: 'Origin' });
    expect(await ask('GET', '/v1/widgets', { origin, authorization: 'Bearer member' })).toEqual({
      status: 200,
      vary: 'Origin',
    });
  });

  it('treats OPTIONS without an origin as any other unknown method', async () => {
    expect((await ask('OPTIONS', '/v1/projects', {})).status).toBe(404);
    expect((await ask('OPTIONS', '/v1/events', {})).status).toBe(204);
  });
});
