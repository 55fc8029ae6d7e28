import { createClient } from '@culprit/contract/endpoints/client';
import { getReady } from '@culprit/contract/endpoints/health';
import { getIncident, listIncidents, resolveIncidents } from '@culprit/contract/incidents/incidents';
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import {
  changeWidget,
  listWidgets,
  pressWidget,
  type SampleServer,
  sendThings,
  startSampleServer,
} from '../platform/http/sample-api.ts';

let sample: SampleServer;

beforeAll(async () => {
  sample = await startSampleServer();
});
afterAll(() => sample.close());

const sent: { url: string; init: RequestInit | undefined }[] = [];
afterEach(() => {
  sent.length = 0;
});

/** A client whose server answers whatever the test says. */
function clientAnswering(response: () => Response | Promise<Response>) {
  return createClient({
    baseUrl: 'https://culprit.example/base/',
    token: 'svc_mem_x',
    headers: { 'x-csrf-token': 'c' },
    fetch: async (url, init) => {
      sent.push({ url: String(url), init });
      return await response();
    },
  });
}

describe('a call', () => {
  it('gives the body of a success, typed by the endpoint', async () => {
    const client = createClient({ baseUrl: sample.address, token: 'member' });
    const result = await client.call(listWidgets, { query: { limit: 5, is_new: true } });
    expect(result).toEqual({
      ok: true,
      status: 200,
      body: { widgets: [{ name: 'w', size: null, owner: { id: 'o' } }], next_cursor: null },
    });
    if (result.ok) expectTypeOf(result.body.widgets[0]?.size).toEqualTypeOf<number | null | undefined>();
    expect(sample.seen.at(-1)).toEqual({ limit: 5, is_new: true });
  });

  it('sends parameters, body and credential', async () => {
    const client = createClient({ baseUrl: sample.address, token: 'member' });
    const result = await client.call(changeWidget, {
      params: { id: 'a' },
      query: { dry: true },
      body: { name: 'n' },
    });
    expect(result).toEqual({
      ok: true,
      status: 200,
      body: { widget: { name: 'n', size: null, owner: null } },
    });
  });

  it('gives an answer without a body as undefined', async () => {
    const client = createClient({
      baseUrl: sample.address,
      token: null,
      headers: { cookie: 'svc_session=good', 'x-csrf-token': 'csrf' },
    });
    expect(await client.call(pressWidget, { params: { id: 'a' } })).toEqual({
      ok: true,
      status: 204,
      body: undefined,
    });
  });

  it('gives a failure as its code, with the wait the server asks for', async () => {
    const client = createClient({ baseUrl: sample.address, token: 'member' });
    const call = (id: string) => client.call(changeWidget, { params: { id }, body: { name: 'n' } });
    expect(await call('unknown')).toEqual({
      ok: false,
      status: 404,
      error: 'webhook_not_found',
      retryAfterSeconds: null,
      requestId: expect.stringMatching(/^req_/),
    });
    expect(await call('busy')).toEqual({
      ok: false,
      status: 429,
      error: 'rate_limited',
      retryAfterSeconds: 7,
      requestId: expect.stringMatching(/^req_/),
    });
    expect(await createClient({ baseUrl: sample.address, token: null }).call(listWidgets)).toEqual({
      ok: false,
      status: 401,
      error: 'invalid_member_token',
      retryAfterSeconds: null,
      requestId: expect.stringMatching(/^req_/),
    });
  });

  it('escapes what it puts into paths and queries', async () => {
    const client = clientAnswering(() => Response.json({}));
    await client.call(getIncident, { params: { id: '../$&/a?b#c d' } });
    await client.call(listIncidents, { query: { service: 'a&b=c d', cursor: 'x|y' } });
    expect(sent.map(({ url }) => url)).toEqual([
      'https://culprit.example/base/v1/incidents/..%2F%24%26%2Fa%3Fb%23c%20d',
      'https://culprit.example/base/v1/incidents?service=a%26b%3Dc+d&cursor=x%7Cy',
    ]);
  });

  it('sends JSON, the token and the given headers, and follows no redirect', async () => {
    const client = clientAnswering(() => Response.json({ incidents: [] }));
    await client.call(resolveIncidents, { body: { incident_ids: ['a'] } });
    expect(sent[0]?.init).toMatchObject({
      method: 'POST',
      body: '{"incident_ids":["a"]}',
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        authorization: 'Bearer svc_mem_x',
        'content-type': 'application/json',
        'x-csrf-token': 'c',
      },
    });
  });

  it('never throws for what a server or a network does', async () => {
    const results = [
      () => Promise.reject(new TypeError('no route')),
      () => new Response('<html>', { status: 502 }),
      () => new Response('<html>', { status: 200 }),
      () => new Response('', { status: 500 }),
      () => Response.json({ error: 5 }, { status: 400 }),
      () => Response.json({ error: 'some_new_code' }, { status: 418, headers: { 'retry-after': 'soon' } }),
      () => Response.json(null, { status: 503, headers: { 'retry-after': '0' } }),
    ].map((answer) => clientAnswering(answer).call(listIncidents));
    expect(await Promise.all(results)).toEqual([
      { ok: false, status: 0, error: 'connection_failed', retryAfterSeconds: null, requestId: null },
      { ok: false, status: 502, error: 'unreadable_answer', retryAfterSeconds: null, requestId: null },
      { ok: false, status: 200, error: 'unreadable_answer', retryAfterSeconds: null, requestId: null },
      { ok: false, status: 500, error: 'unreadable_answer', retryAfterSeconds: null, requestId: null },
      { ok: false, status: 400, error: 'unreadable_answer', retryAfterSeconds: null, requestId: null },
      { ok: false, status: 418, error: 'some_new_code', retryAfterSeconds: null, requestId: null },
      { ok: false, status: 503, error: 'unreadable_answer', retryAfterSeconds: 0, requestId: null },
    ]);
  });

  it('tells why an instance is not ready', async () => {
    const client = clientAnswering(() =>
      Response.json({ status: 'not_ready', reason: 'db_unreachable' }, { status: 503 }),
    );
    const result = await client.call(getReady);
    expect(result).toEqual({
      ok: false,
      status: 503,
      error: 'db_unreachable',
      retryAfterSeconds: null,
      requestId: null,
    });
    if (result.ok) expectTypeOf(result.body.status).toEqualTypeOf<'ready'>();
  });

  it('can be given up', async () => {
    const client = createClient({ baseUrl: sample.address, token: 'project' });
    const result = await client.call(sendThings, { body: { events: [] }, signal: AbortSignal.abort() });
    expect(result).toMatchObject({ ok: false, error: 'connection_failed' });
  });

  it('cannot be made without what the endpoint requires', () => {
    const client = clientAnswering(() => Response.json({}));
    const mistakes = () => [
      // @ts-expect-error The id is missing.
      client.call(getIncident),
      // @ts-expect-error The body is missing.
      client.call(changeWidget, { params: { id: 'a' } }),
      // @ts-expect-error The severity is none.
      client.call(listIncidents, { query: { severity: 'huge' } }),
      // @ts-expect-error The field is unknown.
      client.call(resolveIncidents, { body: { incident_ids: [], force: true } }),
    ];
    expect(mistakes).toBeTypeOf('function');
  });
});
