import { EventEmitter, once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withRequest as withFetchRequest } from '../src/fetch.ts';
import {
  addBreadcrumb,
  captureException,
  captureLog,
  captureMessage,
  captureRequest,
  close,
  currentScope,
  flush,
  getDiagnostics,
  init,
  lastEventId,
  type NodeOptions,
  setContext,
  setTag,
  setUser,
  withJob,
  withRequest,
  withScope,
} from '../src/index.ts';
import { onRequestError } from '../src/next.ts';
import { CulpritTransport } from '../src/winston.ts';
import { until } from './support/moved-clock.ts';
import { type RecordingEndpoint, startRecordingEndpoint, TEST_TOKEN } from './support/recording-endpoint.ts';

/** Jobs, requests by hand, nested scopes and the entries for fetch-style servers and Next.js. */

let endpoint: RecordingEndpoint;
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(async () => {
  await close(0);
  await endpoint.close();
});

async function started(options: NodeOptions = {}): Promise<void> {
  init({
    token: TEST_TOKEN,
    endpoint: endpoint.url,
    service: 'shop',
    environment: 'production',
    capture: { requests: false, outgoing: false, console: 'off' },
    spool: false,
    ...options,
  });
  await until(() => getDiagnostics().policyPreset !== null);
}

const sent = () => {
  expect(endpoint.faults).toEqual([]);
  return endpoint.events().map(({ event_type: type, payload, context, service, correlation }) => ({
    type,
    payload,
    context,
    service,
    correlation,
  }));
};
const batches = () => endpoint.arrivals.filter(({ method }) => method === 'POST').length;

it('keeps the user of a message apart from the process and from messages of other connections', async () => {
  await started();
  setUser({ id: 'of the process' });
  const bothAsked = new EventEmitter();
  const answer = async (id: string) => {
    setUser({ id });
    await once(bothAsked, 'both');
    captureException(new Error(`of ${id}`));
  };
  const answers: Promise<void>[] = [];
  const server = createServer((socket) => {
    socket.on('data', (id) => answers.push(answer(String(id))));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = Object(server.address());
  for (const id of ['ada', 'bob']) connect(port, '127.0.0.1').end(id);
  await until(() => answers.length === 2);
  bothAsked.emit('both');
  await Promise.all(answers);
  captureException(new Error('of nothing'));
  server.close();
  await flush();
  expect(sent().map(({ payload, context }) => [Object(payload).message, Object(context).user?.id])).toEqual([
    ['of ada', 'ada'],
    ['of bob', 'bob'],
    ['of nothing', 'of the process'],
  ]);
});

it('tells what a route of SvelteKit throws by the message for the page', async () => {
  await started();
  class HttpError {
    status: number;
    body: object;
    constructor(status: number, body: object) {
      this.status = status;
      this.body = body;
    }
  }
  captureException(new HttpError(503, { status: 503, message: 'no stock' }));
  // An answer of a server has more members, and its body may hold what was entered.
  captureException({ status: 422, body: { message: 'Ann is taken' }, ok: false });
  await flush();
  expect(sent()).toMatchObject([
    { payload: { name: 'HttpError', message: 'no stock' }, context: { error: { status: 503 } } },
    { payload: { name: 'Error', message: expect.not.stringContaining('Ann') } },
  ]);
});

describe('a job', () => {
  it('reports its failure with its name, rethrows it, and has sent it when it ends', async () => {
    await started();
    const failure = new Error('no paper');
    const job = withJob('print-labels', async () => {
      setTag('printer', 'north');
      captureLog('starting', 'info');
      await Promise.resolve();
      throw failure;
    });
    await expect(job).rejects.toBe(failure);
    expect(sent()).toMatchObject([
      {
        type: 'backend_exception',
        payload: { message: 'no paper', handled: false, request: null, logs: [{ message: 'starting' }] },
        context: { job: { name: 'print-labels' }, tags: { printer: 'north' } },
      },
    ]);
    expect(sent()).toHaveLength(1);
  });

  it('is one event for each attempt that fails, also where its queue logs the failure behind it', async () => {
    await started();
    for (const attempt of ['first', 'second']) {
      const failure = new Error(attempt);
      await withJob('mails', () => Promise.reject(failure)).catch((error) => {
        new CulpritTransport().log({ level: 'error', message: error.message, error }, () => {});
      });
    }
    await flush();
    expect(sent()).toMatchObject([
      { type: 'backend_exception', payload: { message: 'first' } },
      { type: 'backend_exception', payload: { message: 'second' } },
    ]);
    expect(sent()).toHaveLength(2);
  });

  it('returns its result and waits for nothing when no signal waits', async () => {
    await started();
    expect(await withJob('quiet', () => 7)).toBe(7);
    captureLog('context', 'warning');
    expect(await withJob('quiet', async () => 8)).toBe(8);
    expect(batches()).toBe(0);
    expect(getDiagnostics().waiting).toBe(1);
  });
});

describe('a message', () => {
  it('says that the program reported it itself, which a line of a log does not', async () => {
    await started();
    captureMessage('reported', 'warning');
    captureLog('logged', 'warning');
    await flush(2_000);
    const payloads = sent().map(({ payload }) => payload);
    expect(payloads).toMatchObject([
      { message: 'reported', level: 'warning', captured: true },
      { message: 'logged' },
    ]);
    expect(payloads[1]).not.toHaveProperty('captured');
  });
});

describe('a request by hand', () => {
  it('has one signal for its failure, with what the scope was told', async () => {
    await started({ requestBodies: 'failures' });
    const info = {
      method: 'post',
      url: '/orders/7?page=2',
      headers: { 'x-request-id': 'r-1', cookie: 'a=b' },
      routeTemplate: '/orders/:id',
    };
    const failure = new TypeError('no stock');
    const work = withRequest(info, async () => {
      currentScope().setRequestBody({ amount: 3 });
      currentScope().setResponse({ headers: { 'x-kind': 'test' }, body: { error: 'no stock' } });
      addBreadcrumb({ category: 'cart', message: 'opened', data: { items: 2 } });
      captureException(failure);
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    await flush();
    expect(sent()).toMatchObject([
      {
        correlation: { request_id: 'r-1' },
        payload: {
          request: {
            method: 'POST',
            path: '/orders/7',
            query: { page: '2' },
            headers: { cookie: '[REDACTED]' },
            body: { amount: 3 },
            route_template: '/orders/:id',
          },
          response: { status_code: 500, headers: { 'x-kind': 'test' }, body: { error: 'no stock' } },
          breadcrumbs: [{ breadcrumb_type: 'cart' }],
        },
      },
    ]);
    expect(sent()).toHaveLength(1);
  });

  it.each([
    ['/(shop)/users/[id]', '/users/1', '/users/[id]'],
    ['/(shop)', '/', '/'],
    ['/[[lang]]/users', '/users', '/[[lang]]/users'],
    ['/[[lang]]/users', '/de/users', '/[[lang]]/users'],
    ['users/:id/:part?', '/users/1', '/users/:id/:part?'],
    ['/files/[...path]', '/files/a/b', '/files/[...path]'],
    ['/files/*', '/files/a/b', '/files/*'],
    // Half a template, one of another path, and those of all paths.
    ['/:id', '/users/1', null],
    ['/[[lang]]/users', '/de/users/1', null],
    ['/*', '/users/1', null],
    ['/**:page', '/users/1', null],
    ['/[...page]', '/users/1', null],
  ])('has of the template %s at %s the route %s', async (template, url, route) => {
    await started();
    withRequest({ url }, () => {
      currentScope().setRoute(template);
      // A page that matches nothing has no route.
      currentScope().setRoute(null);
      captureException(new Error('no stock'));
    });
    await flush();
    expect(sent()).toMatchObject([{ payload: { request: { path: url, route_template: route } } }]);
  });

  it('that throws at once is reported too, and one that succeeds is not', async () => {
    await started();
    expect(() =>
      withRequest({ url: '/a' }, () => {
        throw new RangeError('at once');
      }),
    ).toThrow(RangeError);
    expect(withRequest({ url: '/b' }, () => 'fine')).toBe('fine');
    await flush();
    expect(sent()).toMatchObject([{ payload: { name: 'RangeError', request: { path: '/a' } } }]);
  });

  it('that is over is an event when it failed, and is dropped by the policy when it did not', async () => {
    await started();
    captureRequest(
      { url: '/pay', method: 'PUT' },
      { status: 503, durationMs: 12 },
      { tags: { gateway: 'north' }, user: { id: { toString: () => 'u-1' }, email: 'a@example.com' } },
    );
    captureRequest({ url: '/fine' }, { status: 200 });
    await flush();
    expect(sent()).toMatchObject([
      {
        type: 'request_event',
        payload: { method: 'PUT', path: '/pay', response_status: 503, duration_ms: 12 },
        context: { tags: { gateway: 'north' }, user: { id: 'u-1' } },
      },
    ]);
    expect(getDiagnostics().dropped.policy).toBe(1);
    expect(JSON.stringify(sent())).not.toContain('example.com');
  });
});

describe('a nested scope', () => {
  it('adds to those around it, for its asynchronous work too, and ends with it', async () => {
    await started({ initialScope: { tags: { region: 'eu', plan: 'none' } } });
    setTag('plan', 'solo');
    await withScope(async () => {
      setTag('plan', 'team');
      setUser({ id: 7 });
      setContext('cart', { items: 2 });
      await new Promise((resolve) => setTimeout(resolve, 1));
      captureException(new Error('inside'), { tags: { region: 'us' }, severity: 'high' });
      setContext('cart', null);
    });
    const id = captureException(new Error('outside'));
    expect(lastEventId()).toBe(id);
    await flush();
    expect(sent().map(({ context }) => context)).toMatchObject([
      { tags: { region: 'us', plan: 'team' }, user: { id: '7' }, cart: { items: 2 }, severity: 'high' },
      { tags: { region: 'eu', plan: 'solo' } },
    ]);
    expect(sent()[1]?.context).not.toHaveProperty('cart');
    expect(sent()[1]?.context).not.toHaveProperty('user');
  });
});

describe('the hooks of events', () => {
  it('drop with null; what throws or is no event leaves the original', async () => {
    await started({
      beforeSend: (event) => {
        const message = Object(event.payload).message;
        if (message === 'dropped') return null;
        if (message === 'thrown') throw new Error('in the hook');
        if (message === 'rubbish') return JSON.parse('"rubbish"');
        return { ...event, payload: { ...event.payload, message: 'changed' } };
      },
      beforeBreadcrumb: (crumb) => {
        if (crumb.message === 'dropped') return null;
        if (crumb.message === 'thrown') throw new Error('in the hook');
        return { ...crumb, message: 'changed' };
      },
    });
    for (const message of ['dropped', 'thrown', 'plain']) addBreadcrumb({ message });
    for (const message of ['dropped', 'thrown', 'rubbish', 'plain']) captureException(new Error(message));
    await flush();
    expect(sent().map(({ payload }) => Object(payload).message)).toEqual(['thrown', 'rubbish', 'changed']);
    const { breadcrumbs } = Object(sent()[0]?.payload);
    expect(breadcrumbs.map(({ data }: { data: unknown }) => Object(data).message)).toEqual([
      'thrown',
      'changed',
    ]);
    expect(getDiagnostics().dropped.filtered).toBe(1);
  });
});

describe('the entry for fetch-style servers', () => {
  it('reports what a handler throws or answers, and keeps the invocation alive for it', async () => {
    await started();
    const works: Promise<unknown>[] = [];
    const handler = withFetchRequest(
      async (request: Request, name: string) => {
        if (request.url.endsWith('/throws')) throw new TypeError(name);
        return new Response('', { status: request.url.includes('/fails') ? 502 : 200 });
      },
      { waitUntil: (work) => works.push(work) },
    );
    const ask = (path: string) => handler(new Request(`https://shop.example${path}`), 'thrown');
    await expect(ask('/throws')).rejects.toThrow('thrown');
    expect((await ask('/fails?x=1')).status).toBe(502);
    expect((await ask('/fine')).status).toBe(200);
    expect(works).toHaveLength(3);
    await Promise.all(works);
    expect(sent()).toMatchObject([
      { type: 'backend_exception', payload: { request: { method: 'GET', path: '/throws' } } },
      { type: 'request_event', payload: { path: '/fails', query: { x: '1' }, response_status: 502 } },
    ]);
    expect(sent()).toHaveLength(2);
  });

  it('leaves a handler as it is where nothing is captured', async () => {
    const handler = withFetchRequest(() => new Response('bare', { status: 418 }));
    expect((await handler(new Request('https://shop.example/'))).status).toBe(418);
  });
});

describe('the entry for Next.js', () => {
  it('reports what Next.js tells, with its route, and the error alone when it tells nothing', async () => {
    await started();
    const request = { path: '/blog/first?x=1', method: 'GET', headers: { 'x-request-id': 'n-1' } };
    // Next.js starts the library within its first request, whose lines have no scope of their own.
    addBreadcrumb({ message: 'reading the blog' });
    onRequestError(new Error('rendering'), request, { routePath: '/blog/[slug]' });
    // Where a page is prerendered, its file is named as well.
    onRequestError(new Error('prerendering'), request, { routePath: '/blog/[slug]/page' });
    Reflect.apply(onRequestError, undefined, [new Error('bare'), undefined, undefined]);
    await flush();
    expect(sent()).toMatchObject([
      {
        service: { framework: 'nextjs' },
        correlation: { request_id: 'n-1' },
        payload: { handled: false, request: { path: '/blog/first', route_template: '/blog/[slug]' } },
      },
      { payload: { message: 'prerendering', request: { route_template: '/blog/[slug]' } } },
      { payload: { message: 'bare' } },
    ]);
    const said = sent().map(({ payload }) => JSON.stringify(payload).includes('reading the blog'));
    expect(said).toEqual([true, false, false]);
  });
});
