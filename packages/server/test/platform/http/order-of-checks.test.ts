import { getHealth, getLive, getReady } from '@culprit/contract/endpoints/health';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawJson } from '../../../src/platform/http/binding/raw-json.ts';
import { listWidgets, type SampleServer, sampleApi, startSampleServer } from './sample-api.ts';

let sample: SampleServer;

beforeAll(async () => {
  sample = await startSampleServer();
});
afterAll(() => sample.close());

async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(sample.address + path, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers };
}

const member = { authorization: 'Bearer member' };
const json = { 'content-type': 'application/json' };
const large = JSON.stringify({ name: 'x'.repeat(256 * 1024) });

function patch(path: string, headers: Record<string, string>, body: string | null) {
  return call(path, { method: 'PATCH', headers, body });
}

describe('the order of checks', () => {
  it('answers an unknown route, or a known path with another method, before anything else', async () => {
    for (const [method, path] of [
      ['GET', '/v1/unknown'],
      ['POST', '/v1/widgets'],
      ['DELETE', '/v1/widgets/x'],
      ['GET', '/v2/widgets'],
      ['HEAD', '/v1/widgets'],
      ['GET', '/'],
    ] as const) {
      const { status, body } = await call(path, { method });
      expect([method, path, status]).toEqual([method, path, 404]);
      if (method !== 'HEAD') expect(body).toEqual({ error: 'not_found' });
    }
  });

  it('judges the credential before size, id, query and body', async () => {
    const { status, body, headers } = await patch(
      '/v1/widgets/%20?zz=1',
      { 'content-type': 'nonsense' },
      large,
    );
    expect({ status, body }).toEqual({ status: 401, body: { error: 'invalid_member_token' } });
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  it('names the kind of credential that is missing', async () => {
    const press = await call('/v1/widgets/a/press', { method: 'POST', headers: member });
    expect(press.body).toEqual({ error: 'invalid_session' });
  });

  it('judges the size before the CSRF header, the id, the query and the body', async () => {
    const cookie = { cookie: 'svc_session=good' };
    const { status, body } = await patch(
      '/v1/widgets/%20?zz=1',
      { ...cookie, 'content-type': 'nonsense' },
      large,
    );
    expect({ status, body }).toEqual({ status: 413, body: { error: 'payload_too_large' } });
  });

  it('judges the CSRF header before the id, and only for cookies', async () => {
    const cookie = { cookie: 'svc_session=good' };
    expect((await patch('/v1/widgets/%20?zz=1', cookie, '{')).body).toEqual({ error: 'invalid_csrf_token' });
    expect((await patch('/v1/widgets/%20?zz=1', { ...cookie, 'x-csrf-token': 'csrf' }, '{')).body).toEqual({
      error: 'invalid_webhook_id',
    });
    expect((await call('/v1/widgets', { headers: cookie })).status).toBe(200);
  });

  it('judges the id before the query, the query before the body, the body before the operation', async () => {
    expect((await patch('/v1/widgets/%20?zz=1', member, '{')).body).toEqual({ error: 'invalid_webhook_id' });
    expect((await patch('/v1/widgets/unknown?zz=1', member, '{')).body).toEqual({ error: 'invalid_query' });
    expect((await patch('/v1/widgets/unknown', member, '{')).body).toEqual({ error: 'invalid_payload' });
    expect((await patch('/v1/widgets/unknown', { ...member, ...json }, '{"name":"n"}')).body).toEqual({
      error: 'webhook_not_found',
    });
  });
});

describe('access', () => {
  async function move(body: object) {
    sample.seen.length = 0;
    const init = { method: 'POST', headers: { ...member, ...json }, body: JSON.stringify(body) };
    const { status, body: answer } = await call('/v1/widgets/move', init);
    return { status, answer, steps: sample.seen.map((each) => Object.keys(each as object)[0]) };
  }

  it('is judged after the schema of the body and after the check of the binding, and before the operation', async () => {
    expect(await move({ project_id: 'hidden', to: '' })).toEqual({
      status: 400,
      answer: { error: 'invalid_payload' },
      steps: [],
    });
    expect(await move({ project_id: 'hidden', to: 'nowhere' })).toEqual({
      status: 400,
      answer: { error: 'invalid_payload' },
      steps: ['checked'],
    });
    expect(await move({ project_id: 'hidden', to: 'shelf' })).toEqual({
      status: 404,
      answer: { error: 'project_not_found' },
      steps: ['checked', 'authorized'],
    });
    expect(await move({ project_id: 'open', to: 'shelf' })).toMatchObject({
      status: 200,
      steps: ['checked', 'authorized', 'access'],
    });
  });

  it('is resolved from scope, role and request, and reaches the operation with what the check found', async () => {
    const body = { project_id: 'open', to: 'shelf' };
    expect((await move(body)).answer).toEqual({ moved_by: 'Alice', to: 'SHELF' });
    expect(sample.seen).toEqual([
      { checked: body },
      { authorized: { of: 'project', id: 'body.project_id' }, role: 'admin', body },
      { access: { projectOf: 'Alice' } },
    ]);
  });
});

describe('a path id', () => {
  it.each(['%zz', '%ff', 'a%2Fb', 'a%20b', 'ä', 'a.b', '..%2f', 'x'.repeat(129), '%00', "'--"])(
    'is refused when it is %s',
    async (id) => {
      const { status, body } = await patch(`/v1/widgets/${id}`, { ...member, ...json }, '{"name":"n"}');
      expect({ status, body }).toEqual({ status: 400, body: { error: 'invalid_webhook_id' } });
    },
  );

  it.each(['x'.repeat(128), 'whk_0-A', '__proto__', 'constructor'])(
    'is accepted when it is %s',
    async (id) => {
      const { status } = await patch(`/v1/widgets/${id}`, { ...member, ...json }, '{"name":"n"}');
      expect(status).toBe(200);
      expect(sample.seen.at(-1)).toMatchObject({ params: { id } });
    },
  );
});

describe('a query', () => {
  it.each([
    'zz=1',
    'limit=1&limit=2',
    'limit=',
    'limit',
    'color=',
    'limit=0',
    'limit=101',
    'limit=abc',
    'limit=1e1',
    'limit=0x10',
    'limit=%205',
    'limit=5.0',
    'limit=99999999999999999999',
    'is_new=1',
    'is_new=TRUE',
    'color=%zz',
    'color=%ff',
    'color=%00',
    'after=yesterday',
    'after=2026-03-24',
    'after=2026-02-30T00:00:00Z',
    'after=2026-03-24T10:00:00',
    '__proto__=1',
    'limit=1&&color=a',
    'color=a&',
    '=a',
    'Limit=1',
  ])('is refused when it is %s', async (query) => {
    const { status, body } = await call(`/v1/widgets?${query}`, { headers: member });
    expect({ status, body }).toEqual({ status: 400, body: { error: 'invalid_query' } });
  });

  it('reaches the operation with its numbers and booleans read', async () => {
    const query = 'limit=100&is_new=true&color=dark%20blue+x&after=2026-03-24T10:00:00%2B02:00';
    expect((await call(`/v1/widgets?${query}`, { headers: member })).status).toBe(200);
    expect(sample.seen.at(-1)).toEqual({
      limit: 100,
      is_new: true,
      color: 'dark blue x',
      after: '2026-03-24T10:00:00+02:00',
    });
  });

  it('may be empty', async () => {
    expect((await call('/v1/widgets?', { headers: member })).status).toBe(200);
  });
});

describe('a body', () => {
  it.each([
    ['nothing', ''],
    ['broken JSON', '{"name":'],
    ['an array', '[]'],
    ['a number', '1'],
    ['an unknown field', '{"name":"n","zz":1}'],
    ['a missing field', '{}'],
    ['a number as text', '{"name":"n","size":"5"}'],
    ['a broken bound', '{"name":""}'],
    ['an own key __proto__', '{"name":"n","__proto__":{}}'],
    ['NUL in text', '{"name":"a\\u0000b"}'],
    ['a lone surrogate', '{"name":"a\\ud800"}'],
    ['a byte order mark in the middle', '{\ufeff"name":"n"}'],
    ['deep nesting', `{"name":${'['.repeat(100_000)}`],
  ])('is refused when it is %s', async (_title, text) => {
    const { status, body } = await patch('/v1/widgets/a', { ...member, ...json }, text);
    expect({ status, body }).toEqual({ status: 400, body: { error: 'invalid_payload' } });
  });

  it('is refused when its bytes are no UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    const { body } = await call('/v1/widgets/a', {
      method: 'PATCH',
      headers: { ...member, ...json },
      body: bytes,
    });
    expect(body).toEqual({ error: 'invalid_payload' });
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'nonsense',
    'application/json/x',
  ])('is refused with the media type %s', async (type) => {
    const { body } = await patch('/v1/widgets/a', { ...member, 'content-type': type }, '{"name":"n"}');
    expect(body).toEqual({ error: 'invalid_payload' });
  });

  it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/json;x'])(
    'is accepted with the media type %s',
    async (type) => {
      const { status } = await patch('/v1/widgets/a', { ...member, 'content-type': type }, '{"name":"n"}');
      expect(status).toBe(200);
    },
  );

  it('is refused when it is compressed', async () => {
    const { body } = await patch(
      '/v1/widgets/a',
      { ...member, ...json, 'content-encoding': 'gzip' },
      '{"name":"n"}',
    );
    expect(body).toEqual({ error: 'invalid_payload' });
  });

  it.each([null, '', '{}', ' {} ', '\n'])(
    'of an endpoint without one may be %j with any media type',
    async (body) => {
      const headers = { cookie: 'svc_session=good', 'x-csrf-token': 'csrf', 'content-type': 'nonsense' };
      const { status } = await call('/v1/widgets/a/press', { method: 'POST', headers, body });
      expect(status).toBe(204);
    },
  );

  it.each(['{"a":1}', '[]', 'null', '0', '{', 'x'])(
    'of an endpoint without one may not be %s',
    async (body) => {
      const headers = { cookie: 'svc_session=good', 'x-csrf-token': 'csrf' };
      const answer = await call('/v1/widgets/a/press', { method: 'POST', headers, body });
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 400,
        body: { error: 'invalid_payload' },
      });
    },
  );
});

describe('an answer', () => {
  it('holds only what its schema names, at every depth', async () => {
    const { body } = await call('/v1/widgets', { headers: member });
    expect(body).toEqual({ widgets: [{ name: 'w', size: null, owner: { id: 'o' } }], next_cursor: null });
  });

  it('of stored bytes leaves byte for byte', async () => {
    const response = await fetch(`${sample.address}/v1/documents/a`);
    expect(await response.text()).toBe('{"text" : "as stored"}');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await call('/v1/documents/pending')).body).toEqual({ status: 'pending' });
  });

  it('carries security headers and a request id that no client can choose', async () => {
    const { headers } = await call('/v1/widgets', {
      headers: { ...member, 'x-request-id': 'mine', 'request-id': 'mine' },
    });
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('server')).toBeNull();
  });

  it('to an expected failure is its code, with Retry-After where one is known', async () => {
    const { status, body, headers } = await patch('/v1/widgets/busy', { ...member, ...json }, '{"name":"n"}');
    expect({ status, body }).toEqual({ status: 429, body: { error: 'rate_limited' } });
    expect(headers.get('retry-after')).toBe('7');
  });

  it('to an unexpected failure tells nothing, and the log tells where to look', async () => {
    const { status, body, headers } = await patch(
      '/v1/widgets/broken',
      { ...member, ...json },
      '{"name":"n"}',
    );
    expect({ status, body }).toEqual({ status: 500, body: { error: 'internal_error' } });
    const line = sample.logged.find((entry) => entry.errorMessage === 'secret detail');
    expect(line?.requestId).toBe(headers.get('x-request-id'));
  });
});

describe('the request log', () => {
  it('has one line per request without headers, query and body', async () => {
    const before = sample.logged.length;
    const headers = { ...member, ...json, 'x-canary': 'canary-header' };
    const { headers: answered } = await patch('/v1/widgets/a?dry=true', headers, '{"name":"canary-body"}');
    await expect.poll(() => sample.logged.length).toBe(before + 1);
    const line = sample.logged.at(-1) ?? {};
    expect(line).toMatchObject({
      requestId: answered.get('x-request-id'),
      method: 'PATCH',
      route: '/v1/widgets/:id',
      status: 200,
      bodyBytes: 22,
    });
    expect(JSON.stringify(line)).not.toMatch(/canary|dry|Bearer/);
  });
});

describe('binding', () => {
  it('refuses a route that does not say who may call it', async () => {
    await expect(
      startSampleServer({ prepare: ({ server }) => void server.app.get('/open', () => 'x') }),
    ).rejects.toThrow('route GET /open does not say who may call it');
  });

  it('refuses an endpoint with an unknown kind of caller', async () => {
    const endpoint = { ...listWidgets, id: 'odd', path: '/v1/odd', auth: 'nobody' as 'member' };
    await expect(
      startSampleServer({
        prepare: ({ binder }) =>
          binder.bind(endpoint).to(async () => ({ status: 200, body: { widgets: [], next_cursor: null } })),
      }),
    ).rejects.toThrow('endpoint odd does not say who may call it');
  });

  it.each(['member', 'session'] as const)(
    'refuses an endpoint of a %s that does not say what it is about',
    async (auth) => {
      const { scope: _, ...endpoint } = { ...listWidgets, id: 'scopeless', path: '/v1/scopeless', auth };
      await expect(
        startSampleServer({
          prepare: ({ binder }) =>
            binder.bind(endpoint).to(async () => ({ status: 200, body: { widgets: [], next_cursor: null } })),
        }),
      ).rejects.toThrow('endpoint scopeless does not say what it is about');
    },
  );

  it('refuses to start without an operation for every endpoint, and with one for an endpoint that is not listed', () => {
    const all = [...sampleApi, getHealth, getLive, getReady];
    expect(() => sample.binder.requireAll(all)).not.toThrow();
    expect(() => sample.binder.requireAll([...all, { ...listWidgets, id: 'other' }])).toThrow(
      'endpoint other has no operation',
    );
    expect(() => sample.binder.requireAll(all.filter(({ id }) => id !== 'getLive'))).toThrow(
      'endpoint getLive is bound, but not listed',
    );
  });

  it('answers an outage with 503 and Retry-After', async () => {
    class Unreachable extends Error {}
    const other = await startSampleServer({
      isOutage: (error) => error instanceof Unreachable,
      prepare: ({ binder }) =>
        binder.bind({ ...listWidgets, id: 'down', path: '/v1/down' }).to(async () => {
          throw new Unreachable();
        }),
    });
    const response = await fetch(`${other.address}/v1/down`, { headers: member });
    expect([response.status, await response.json()]).toEqual([503, { error: 'service_unavailable' }]);
    expect(response.headers.get('retry-after')).toBe('5');
    await other.close();
  });

  it('answers an operation that takes too long with 503', async () => {
    const other = await startSampleServer({
      limits: { operationTimeoutMs: 50 },
      prepare: ({ binder }) =>
        binder.bind({ ...listWidgets, id: 'slow', path: '/v1/slow' }).to(() => new Promise(() => {})),
    });
    const response = await fetch(`${other.address}/v1/slow`, { headers: member });
    expect([response.status, await response.json()]).toEqual([503, { error: 'request_timeout' }]);
    await other.close();
  });

  it('fails rather than answer stored bytes or a status the endpoint does not declare', async () => {
    const other = await startSampleServer({
      prepare: ({ binder }) => {
        const body = new RawJson(Buffer.from('{}'));
        binder.bind({ ...listWidgets, id: 'odd1', path: '/v1/odd1' }).to(async () => ({ status: 200, body }));
        binder
          .bind({ ...listWidgets, id: 'odd2', path: '/v1/odd2' })
          .to(async () => ({ status: 201 as never, body }));
      },
    });
    for (const path of ['/v1/odd1', '/v1/odd2']) {
      const response = await fetch(other.address + path, { headers: member });
      expect([response.status, await response.json()]).toEqual([500, { error: 'internal_error' }]);
    }
    await other.close();
  });
});
