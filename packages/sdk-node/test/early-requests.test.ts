import { once } from 'node:events';
import { createServer, request } from 'node:https';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCertificateAuthority } from '../../server/test/support/certificates.ts';
import { close, flush, init, setTag, setUser } from '../src/index.ts';
import { onRequestError } from '../src/next.ts';
import { type NodeHost, startNodeHost } from './support/node-host.ts';
import {
  portOf,
  type RecordingEndpoint,
  startRecordingEndpoint,
  TEST_TOKEN,
} from './support/recording-endpoint.ts';

/** Frameworks that load their own start within the first request, as `next start` and servers of development do. */

let endpoint: RecordingEndpoint;
let host: NodeHost | undefined;
let isStarted: boolean;
beforeEach(async () => {
  // What the hosts print.
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockReturnValue(true);
  endpoint = await startRecordingEndpoint();
  isStarted = false;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await close(0);
  await host?.close();
  host = undefined;
  await endpoint.close();
});

/** What the module does that a framework loads with its first request. */
function start(): void {
  if (isStarted) return;
  isStarted = true;
  init({ token: TEST_TOKEN, endpoint: endpoint.url, service: 'shop', environment: 'production' });
  setTag('region', 'eu');
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

const seen = async () => {
  await flush();
  return endpoint.events().map(({ payload, context }) => {
    const { message, request, path, response, response_status: status, logs } = Object(payload);
    const { user, tags } = Object(context);
    return {
      failure: `${message} ${request?.path ?? path} ${response?.status_code ?? status}`,
      user: user?.id ?? null,
      tags,
      lines: logs?.map((line: { message: string }) => line.message) ?? [],
    };
  });
};

describe('the request in which the library starts', () => {
  it('keeps what it sets to itself, and its failure has its answer', async () => {
    host = await startNodeHost(async ({ url = '' }, response) => {
      start();
      await pause();
      const error = new Error(`no ${url}`);
      if (url === '/first') setUser({ id: 'u1' });
      setTag('page', url);
      console.log(`asked ${url}`);
      onRequestError(error, { path: url, method: 'GET' }, { routePath: url });
      response.writeHead(500).end();
    });
    await host.get('/first');
    await host.get('/second');
    expect(await seen()).toEqual([
      {
        failure: 'no /first /first 500',
        user: 'u1',
        tags: { region: 'eu', page: '/first' },
        lines: ['asked /first'],
      },
      {
        failure: 'no /second /second 500',
        user: null,
        tags: { region: 'eu', page: '/second' },
        lines: ['asked /second'],
      },
    ]);
  });

  it('is reported by what it prints, or by its status', async () => {
    host = await startNodeHost(async ({ url }, response) => {
      start();
      await pause();
      if (url === '/printed') console.error(new Error('middleware failed'));
      response.writeHead(500).end();
    });
    await host.get('/printed');
    expect((await seen()).map(({ failure }) => failure)).toEqual(['middleware failed /printed 500']);
  });

  it('is known behind TLS too', async () => {
    let ended: Promise<unknown> | undefined;
    const server = createServer(
      createCertificateAuthority().issue(['localhost']),
      async (_request, response) => {
        ended = once(response, 'close');
        start();
        await pause();
        setUser({ id: 'u1' });
        response.writeHead(500).end();
      },
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const call = request({ port: portOf(server), rejectUnauthorized: false, agent: false }).end();
    const [answer] = await once(call, 'response');
    answer.resume();
    await ended;
    server.close();
    expect(await seen()).toMatchObject([{ failure: 'undefined / 500', user: 'u1' }]);
  });

  it('mixes with no other that was there before, and each failure is one signal', async () => {
    let arrived = 0;
    const { get, close: end } = await startNodeHost(async ({ url = '' }, response) => {
      arrived += 1;
      while (arrived < 3) await pause();
      start();
      await pause();
      if (url === '/0') setUser({ id: 'u0' });
      if (url !== '/2') onRequestError(new Error(`no ${url}`), { path: url, method: 'GET' }, {});
      response.writeHead(500).end();
    });
    await Promise.all(['/0', '/1', '/2'].map((path) => get(path)));
    await end();
    const found = await seen();
    expect(found.map(({ failure }) => failure).sort()).toEqual([
      'no /0 /0 500',
      'no /1 /1 500',
      'undefined /2 500',
    ]);
    expect(found.map(({ user }) => user)).toEqual([null, null, null]);
  });
});

it('work that an answered request of Next.js leaves is a failure, although Next.js only prints it', async () => {
  host = await startNodeHost(async (_request, response) => {
    start();
    await pause();
    response.once('close', () => {
      console.error('An error occurred in a function passed to `after()`:', new TypeError('no receipt'));
    });
    response.end('ok');
  });
  await host.get('/first');
  await host.get('/second');
  expect((await seen()).map(({ failure }) => failure.slice(0, 18))).toEqual([
    'no receipt /first ',
    'no receipt /second',
  ]);
});
