// Proves 7.
import { connect } from 'node:net';
import type { ReadinessFailure } from '@culprit/contract/endpoints/health';
import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { createBinder } from '../../../src/platform/http/binding/bind-endpoint.ts';
import { closeGracefully } from '../../../src/platform/http/server/close-gracefully.ts';
import { bindHealthRoutes } from '../../../src/platform/http/server/health-routes.ts';
import { createHttpServer } from '../../../src/platform/http/server/http-server.ts';
import { exchangeRaw } from './raw-http.ts';
import { listWidgets, NO_AUTHORIZERS, type SampleServer, startSampleServer } from './sample-api.ts';

const member = { authorization: 'Bearer member' };
let sample: SampleServer | null = null;
afterEach(async () => {
  await sample?.close();
  sample = null;
});

async function startWithReadiness(checkReadiness: () => Promise<ReadinessFailure | null>) {
  const server = createHttpServer({ log: pino({ level: 'silent' }) });
  const nobody = async () => null;
  const binder = createBinder({
    server,
    authenticators: { member: nobody, session: nobody, project_token: nobody },
    authorizers: NO_AUTHORIZERS,
    mayAsk: () => true,
    repeatParts: () => [],
    checkCsrf: () => null,
  });
  bindHealthRoutes(binder, server, { version: '1.2.3', checkReadiness });
  return { server, address: await server.listen({ host: '127.0.0.1', port: 0 }) };
}

async function read(url: string) {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

describe('the probes', () => {
  it('name the release and the uptime, and say that the process lives', async () => {
    sample = await startSampleServer();
    const health = await read(`${sample.address}/health`);
    expect(health).toEqual({
      status: 200,
      body: { status: 'ok', version: '1.2.3', uptime: expect.any(Number) },
    });
    expect(await read(`${sample.address}/live`)).toEqual({ status: 200, body: { status: 'live' } });
    expect(await read(`${sample.address}/ready`)).toEqual({ status: 200, body: { status: 'ready' } });
  });

  it('answer HEAD like GET without a body', async () => {
    sample = await startSampleServer();
    const response = await fetch(`${sample.address}/live`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('say why the instance is not ready, and count a failing check as an unreachable database', async () => {
    let answer: () => Promise<ReadinessFailure | null> = async () => 'object_store_unreachable';
    const { server, address } = await startWithReadiness(() => answer());
    expect(await read(`${address}/ready`)).toEqual({
      status: 503,
      body: { status: 'not_ready', reason: 'object_store_unreachable' },
    });
    answer = async () => {
      throw new Error('no connection');
    };
    expect((await read(`${address}/ready`)).body).toEqual({ status: 'not_ready', reason: 'db_unreachable' });
    expect((await read(`${address}/live`)).status).toBe(200);
    answer = async () => null;
    expect((await read(`${address}/ready`)).status).toBe(200);
    await server.app.close();
  });

  it('share one look at the database when many ask at once', async () => {
    let looks = 0;
    const { server, address } = await startWithReadiness(async () => {
      looks += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return null;
    });
    await Promise.all(Array.from({ length: 20 }, () => read(`${address}/ready`)));
    expect(looks).toBeLessThan(4);
    await server.app.close();
  });
});

describe('closing', () => {
  async function startGated() {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const started = await startSampleServer({
      prepare: ({ binder }) =>
        binder.bind({ ...listWidgets, id: 'gated', path: '/v1/gated' }).to(async () => {
          await gate;
          return { status: 200, body: { widgets: [], next_cursor: null } };
        }),
    });
    sample = started;
    return { ...started, release };
  }

  it('lets requests that are under way finish, whole, and then frees the port', async () => {
    const { server, address, port, release } = await startGated();
    const held = Array.from({ length: 10 }, () => fetch(`${address}/v1/gated`, { headers: member }));
    await expect.poll(() => server.load.management.requestsInFlight).toBe(10);
    const closing = closeGracefully(server);
    await expect
      .poll(() => exchangeRaw(port, ['x'], { timeoutMs: 100 }))
      .toMatchObject({ isClosed: true, answers: [] });
    release();
    const answers = await Promise.all(held.map(async (response) => (await response).json()));
    expect(answers).toEqual(held.map(() => ({ widgets: [], next_cursor: null })));
    expect(await closing).toBe(true);
  });

  it('cuts what is not finished in time, a half sent request among it, and says so', async () => {
    const { server, port } = await startGated();
    const half = exchangeRaw(port, ['POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhell']);
    await expect.poll(() => server.load.ingestion.bytesInFlight).toBe(4);
    expect(await closeGracefully(server, { finishTimeoutMs: 200 })).toBe(false);
    expect(await half).toMatchObject({ answers: [], isClosed: true });
  });

  it('says not ready while it drains, and still serves', async () => {
    const { server, address, release } = await startGated();
    release();
    const closing = closeGracefully(server, { drainMs: 1000 });
    expect((await read(`${address}/ready`)).body).toEqual({ status: 'not_ready', reason: 'shutting_down' });
    expect((await fetch(`${address}/v1/gated`, { headers: member })).status).toBe(200);
    expect(await closing).toBe(true);
  });

  it('asks for the connection back with every answer', async () => {
    const { server, port, release } = await startGated();
    const outcome = exchangeRaw(port, [
      'GET /v1/gated HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer member\r\n\r\n',
    ]);
    await expect.poll(() => server.load.management.requestsInFlight).toBe(1);
    const closing = closeGracefully(server);
    await expect.poll(() => server.phase()).toBe('closing');
    release();
    const { answers, isClosed } = await outcome;
    expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
      [200, 'close'],
    ]);
    expect(isClosed).toBe(true);
    expect(await closing).toBe(true);
  });

  it('does not wait for a connection whose answer began before', async () => {
    const size = 16_000_000;
    sample = await startSampleServer({
      prepare: ({ server }) => {
        server.app.get('/large', { config: { access: 'public' } }, (_request, reply) =>
          reply.send('x'.repeat(size)),
        );
      },
    });
    const socket = connect(sample.port, '127.0.0.1');
    let receivedBytes = 0;
    const isClosed = new Promise((resolve) => socket.on('close', resolve));
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        if (receivedBytes === 0) socket.pause();
        receivedBytes += chunk.length;
        resolve();
      });
    });
    // Longer than a test may take: it would be waited for in vain.
    const closing = closeGracefully(sample.server, { finishTimeoutMs: 120_000 });
    await expect.poll(() => sample?.server.app.server.listening).toBe(false);
    socket.resume();
    expect(await closing).toBe(true);
    await isClosed;
    expect(receivedBytes).toBeGreaterThan(size);
  });

  it('refuses new requests that come over open connections', async () => {
    const { server, port } = await startGated();
    server.setPhase('closing');
    const { answers, isClosed } = await exchangeRaw(port, ['GET /v1/widgets HTTP/1.1\r\nHost: x\r\n\r\n']);
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [503, '{"error":"service_unavailable"}'],
    ]);
    expect(isClosed).toBe(true);
  });
});

describe('strict transport security', () => {
  it.each([
    [{}, null],
    [{ hstsIncludesSubdomains: true }, null],
    [{ isHttps: true }, 'max-age=31536000'],
    [{ isHttps: true, hstsIncludesSubdomains: true }, 'max-age=31536000; includeSubDomains'],
  ])('with %j is %j', async (options, header) => {
    const server = createHttpServer({ log: pino({ level: 'silent' }), ...options });
    const address = await server.listen({ host: '127.0.0.1', port: 0 });
    const { headers } = await fetch(`${address}/v1/nothing`);
    expect(headers.get('strict-transport-security')).toBe(header);
    await server.app.close();
  });
});
