import { request } from 'node:http';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpServer, type HttpServer } from '../../../src/platform/http/server/http-server.ts';
import { bindMetricsRoute } from '../../../src/platform/http/server/metrics-route.ts';
import { Secret } from '../../../src/platform/secrets/secret.ts';

const TOKEN = 'metrics-token-of-this-test';
const PAGE = 'culprit_up 1\n';
const ELSEWHERE = '203.0.113.7';

const servers: HttpServer[] = [];
async function start(token: Secret | null): Promise<{ server: HttpServer; address: string }> {
  const server = createHttpServer({ log: pino({ level: 'silent' }) });
  bindMetricsRoute(server, { token, page: async () => PAGE });
  servers.push(server);
  return { server, address: await server.listen({ host: '127.0.0.1', port: 0 }) };
}
afterAll(async () => {
  await Promise.all(servers.map((server) => server.app.close()));
});

/** A request over a real connection of this machine, with headers that `fetch` would not send. */
async function get(
  address: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: string }> {
  return await new Promise((resolve, reject) => {
    request(`${address}/metrics`, { headers, agent: false }, async (response) => {
      const pieces: string[] = [];
      for await (const piece of response.setEncoding('utf8')) pieces.push(String(piece));
      resolve({ status: response.statusCode ?? 0, body: pieces.join('') });
    })
      .on('error', reject)
      .end();
  });
}

const REFUSED = { status: 403, body: '{"error":"forbidden"}' };

describe('the metrics', () => {
  let open: Awaited<ReturnType<typeof start>>;
  let guarded: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    open = await start(null);
    guarded = await start(new Secret(TOKEN));
  });

  /** As if somebody at this address had connected. */
  async function getFrom(
    { server }: { server: HttpServer },
    remoteAddress: string,
    headers: Record<string, string> = {},
  ) {
    const { statusCode, body } = await server.app.inject({
      url: '/metrics',
      remoteAddress,
      headers: { host: 'localhost:4800', ...headers },
    });
    return { status: statusCode, body };
  }

  it('are told to whoever asks on this machine, with a token set or not', async () => {
    for (const { address } of [open, guarded]) {
      const response = await fetch(`${address}/metrics`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(await response.text()).toBe(PAGE);
    }
    const head = await fetch(`${open.address}/metrics`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('are told to %s', async (peer) => {
    expect(await getFrom(open, peer)).toEqual({ status: 200, body: PAGE });
  });

  it.each([ELSEWHERE, '10.0.0.1', '::ffff:10.0.0.1', '2001:db8::7', '172.17.0.1'])(
    'are told to %s with the token only',
    async (peer) => {
      expect(await getFrom(guarded, peer, { authorization: `Bearer ${TOKEN}` })).toEqual({
        status: 200,
        body: PAGE,
      });
      expect(await getFrom(guarded, peer)).toEqual(REFUSED);
      expect(await getFrom(open, peer)).toEqual(REFUSED);
    },
  );

  it.each([
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    'Bearer ',
    'Bearer null',
    TOKEN,
    `Basic ${TOKEN}`,
  ])('are not told from elsewhere for %j', async (authorization) => {
    expect(await getFrom(guarded, ELSEWHERE, { authorization })).toEqual(REFUSED);
    expect(await getFrom(open, ELSEWHERE, { authorization })).toEqual(REFUSED);
  });

  it.each([
    ['x-forwarded-for', ELSEWHERE],
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-proto', 'https'],
    ['forwarded', `for=${ELSEWHERE}`],
    ['x-real-ip', ELSEWHERE],
    ['via', '1.1 proxy'],
    ['x-forwarded-port', '443'],
    ['x-original-forwarded-for', ELSEWHERE],
    ['x-original-host', 'errors.example.com'],
    ['x-arr-log-id', '1'],
    ['cf-connecting-ip', ELSEWHERE],
    ['host', 'errors.example.com'],
    ['host', 'localhost.example.com'],
  ])('are not told through a proxy on this machine: %s: %s', async (name, value) => {
    expect(await get(guarded.address, { [name]: value })).toEqual(REFUSED);
    expect(await get(guarded.address, { [name]: value, authorization: `Bearer ${TOKEN}` })).toEqual({
      status: 200,
      body: PAGE,
    });
  });
});
