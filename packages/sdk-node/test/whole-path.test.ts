import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { captureException, close, flush, getDiagnostics, init, setTag, setUser } from '../src/index.ts';
import { until } from './support/moved-clock.ts';
import { startNodeHost } from './support/node-host.ts';
import { type RecordingEndpoint, startRecordingEndpoint, TEST_TOKEN } from './support/recording-endpoint.ts';
import { sharedProject } from './support/shared-project.ts';

let endpoint: RecordingEndpoint;
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(async () => {
  await close(0);
  await endpoint.close();
});

function start() {
  return init({ token: TEST_TOKEN, endpoint: endpoint.url, service: 'shop', environment: 'production' });
}

describe('the way from a failure to ingestion', () => {
  it('reports an exception of a request with its request, response and scope, and no request event', async () => {
    expect(start()).toBe(true);
    const host = await startNodeHost((request, response) => {
      setTag('plan', 'solo');
      setUser({ id: 'u-1', email: 'a@example.com' });
      captureException(new TypeError('no stock'));
      response.statusCode = 500;
      response.setHeader('x-kind', 'test');
      response.end(request.url);
    });
    await host.get('/orders/7?page=2', {
      'x-request-id': 'req-1',
      'x-forwarded-for': '203.0.113.9',
      'cf-connecting-ip': '203.0.113.9',
      'x-azure-clientip': '203.0.113.9',
      'x-appengine-user-ip': '203.0.113.9',
      'x-envoy-external-address': '203.0.113.9',
      'x-remote-addr': '203.0.113.9',
    });
    expect(await flush()).toBe(true);
    await host.close();

    expect(endpoint.faults).toEqual([]);
    expect(endpoint.events()).toHaveLength(1);
    expect(endpoint.events()[0]).toMatchObject({
      event_type: 'backend_exception',
      sdk_name: '@culprit/node',
      service: { name: 'shop', environment: 'production', runtime: 'node', framework: 'node:http' },
      correlation: { request_id: 'req-1' },
      payload: {
        name: 'TypeError',
        message: 'no stock',
        handled: true,
        request: { method: 'GET', path: '/orders/7', query: { page: '2' } },
        response: { status_code: 500, headers: { 'x-kind': 'test' } },
        runtime: { name: 'node', pid: process.pid },
      },
      context: { tags: { plan: 'solo' }, user: { id: 'u-1' } },
    });
    expect(JSON.stringify(endpoint.events())).not.toContain('a@example.com');
    expect(JSON.stringify(endpoint.events())).not.toContain('203.0.113.9');
  });

  it('reports a 500 that nothing explains as one request event, and success not at all', async () => {
    start();
    await until(() => getDiagnostics().policyPreset !== null);
    const host = await startNodeHost((request, response) => {
      response.statusCode = request.url === '/ok' ? 200 : request.url === '/missing' ? 404 : 503;
      response.end();
    });
    for (const path of ['/ok', '/missing', '/down']) await host.get(path);
    await flush();
    await host.close();
    expect(endpoint.events().map(({ event_type, payload }) => ({ event_type, payload }))).toMatchObject([
      { event_type: 'request_event', payload: { path: '/down', response_status: 503 } },
    ]);
    expect(getDiagnostics()).toMatchObject({ sent: 1, waiting: 0 });
  });

  it('sends compressed batches that name the library, on one connection', async () => {
    start();
    captureException(new Error('first'));
    await flush();
    captureException(new RangeError('second'));
    await flush();
    const batches = endpoint.arrivals.filter(({ method }) => method === 'POST');
    expect(batches.map(({ headers }) => headers['x-service-sdk'])).toEqual([
      '@culprit/node',
      '@culprit/node',
    ]);
    expect(batches[0]?.headers).toMatchObject({
      authorization: `Bearer ${TEST_TOKEN}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    });
  });

  it('is counted once by the real service', async () => {
    const { url, token, countEvents } = await sharedProject();
    // The service answers in this process: its own requests are no failures of the host.
    init({ token, endpoint: url, service: 'shop', environment: 'production', capture: { requests: false } });
    captureException(new Error('against the service'));
    expect(await flush(5_000)).toBe(true);
    expect(getDiagnostics()).toMatchObject({ captured: 1, sent: 1, accepted: 1 });
    expect(await countEvents()).toBe(1);
  });
});
