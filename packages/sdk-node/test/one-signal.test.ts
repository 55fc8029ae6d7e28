import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { culpritStream } from '../src/bunyan.ts';
import { errorHandler } from '../src/express.ts';
import {
  captureException,
  captureLog,
  close,
  flush,
  getDiagnostics,
  init,
  probe,
  setTag,
  withJob,
} from '../src/index.ts';
import { CulpritTransport } from '../src/winston.ts';
import { until } from './support/moved-clock.ts';
import { type NodeHost, startNodeHost } from './support/node-host.ts';
import {
  DEFAULT_CONFIG,
  isRecord,
  type RecordingEndpoint,
  startRecordingEndpoint,
  TEST_TOKEN,
} from './support/recording-endpoint.ts';

/** C-07, C-12 and C-13 of docs/contract/clients.md. */

let endpoint: RecordingEndpoint;
let host: NodeHost;
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
  init({ token: TEST_TOKEN, endpoint: endpoint.url, service: 'shop', environment: 'production' });
  await until(() => getDiagnostics().policyPreset !== null);
});
afterEach(async () => {
  await close(0);
  await host.close();
  await endpoint.close();
});

const payloads = () =>
  endpoint.events().map(({ event_type, payload, context }) => ({ event_type, payload, context }));

/** A line with an Error, as winston passes it to its transports. */
function logError(error: Error): void {
  new CulpritTransport().log({ level: 'error', message: error.message, error }, () => {});
}

/** An Error of which nothing may be asked. */
function unreadable(): object {
  const refuse = () => {
    throw new Error('read');
  };
  return new Proxy(new Error('hidden'), { get: refuse, getPrototypeOf: refuse });
}

/** As the class of h3 1 can be recognized, which Nuxt uses for pages that it cannot draw. */
class FirstWrapper extends Error {
  static __h3_error__ = true;
}

describe('one failure gives one signal', () => {
  it('keeps the line of an error that is captured too as evidence', async () => {
    host = await startNodeHost((_request, response) => {
      const error = new Error('both');
      logError(error);
      expect(captureException(error)).toBe(captureException(error));
      response.writeHead(500).end();
    });
    await host.get('/');
    await flush();
    expect(payloads()).toMatchObject([
      {
        event_type: 'backend_exception',
        payload: { message: 'both', logs: [{ message: 'both', level: 'error' }] },
      },
    ]);
    expect(endpoint.events()).toHaveLength(1);
  });

  it('is a failure of each request that meets an Error which the program keeps, also at the same time', async () => {
    const kept = Promise.reject(new Error('no database'));
    kept.catch(() => {});
    let arrived = 0;
    host = await startNodeHost(async (request, response) => {
      arrived++;
      if (request.url !== '/first') await until(() => arrived === 3);
      await kept.catch((error: Error) => {
        captureException(error);
        logError(error);
        captureException(error);
      });
      response.writeHead(500).end();
    });
    await host.get('/first');
    await Promise.all([host.get('/second'), host.get('/third')]);
    await flush();
    const found = endpoint.events().map(({ payload }) => {
      const { message, request } = isRecord(payload) ? payload : {};
      return `${message} ${Object(request).path}`;
    });
    expect(found.sort()).toEqual(['/first', '/second', '/third'].map((path) => `no database ${path}`));
  });

  it('is that of a job, where the request that waits for its result fails with the same Error', async () => {
    const queued: (() => void)[] = [];
    const failing = new Promise((_resolve, reject) => {
      queued.push(() => {
        withJob('mails', async () => {
          throw new Error('no server');
        }).catch(reject);
      });
    });
    failing.catch(() => {});
    host = await startNodeHost(async (_request, response) => {
      await failing.catch((error: Error) => {
        errorHandler()(error, _request, response, () => {});
        logError(error);
      });
      response.writeHead(500).end();
    });
    const first = host.get('/first');
    queued[0]?.();
    await first;
    await host.get('/second');
    await flush();
    expect(payloads()).toMatchObject([
      { event_type: 'backend_exception', context: { job: { name: 'mails' } } },
      { event_type: 'backend_exception', payload: { request: { path: '/second' } } },
    ]);
    expect(endpoint.events()).toHaveLength(2);
  });

  it('takes a logged error as the failure of a 500 that nothing else explains', async () => {
    host = await startNodeHost((_request, response) => {
      logError(new RangeError('logged'));
      response.writeHead(500).end();
    });
    await host.get('/');
    await flush();
    expect(payloads()).toMatchObject([
      {
        event_type: 'backend_exception',
        payload: { name: 'RangeError', handled: true, response: { status_code: 500 } },
        context: { captured_by: 'log' },
      },
    ]);
    expect(endpoint.events()).toHaveLength(1);
  });

  it.each([
    ['their stacks', ({ stack }: Error) => console.error(stack)],
    ['the errors', (error: Error) => console.error(error)],
  ])(
    'takes the outermost of an error and its causes, where %s are printed one by one',
    async (_words, print) => {
      const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      host = await startNodeHost((_request, response) => {
        const cause = new RangeError('of the cause', { cause: new Error('of its cause') });
        const error = new TypeError('printed', { cause });
        for (let each: unknown = error; each instanceof Error; each = each.cause) print(each);
        response.writeHead(500).end();
      });
      await host.get('/');
      await flush();
      printed.mockRestore();
      expect(payloads()).toMatchObject([
        {
          payload: {
            name: 'TypeError',
            message: 'printed',
            causes: [
              { name: 'RangeError', message: 'of the cause' },
              { name: 'Error', message: 'of its cause' },
            ],
          },
        },
      ]);
      expect(endpoint.events()).toHaveLength(1);
    },
  );

  it.each([
    ['h3 1', (thrown: Error) => new FirstWrapper(thrown.message, { cause: thrown.cause ?? thrown }), true],
    ['h3 2', (thrown: Error) => new Error(thrown.message, { cause: thrown }), true],
    ['a page of Nuxt', (thrown: Error) => new FirstWrapper(thrown.message, { cause: thrown }), false],
  ])(
    'reads the thrown error behind that of %s, whether it is printed or captured',
    async (_name, wrap, unhandled) => {
      const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      host = await startNodeHost((request, response) => {
        const thrown = new TypeError('thrown', request.url === '/' ? undefined : { cause: new Error('db') });
        const wrapper = Object.assign(wrap(thrown), { name: 'H3Error', unhandled, stack: thrown.stack });
        if (request.url !== '/printed') expect(captureException(wrapper)).toBe(captureException(wrapper));
        console.error('[request error] [unhandled]', wrapper);
        response.writeHead(500).end();
      });
      for (const path of ['/', '/printed', '/captured']) await host.get(path);
      await flush();
      printed.mockRestore();
      const behind = { payload: { name: 'TypeError', message: 'thrown', causes: [{ message: 'db' }] } };
      const alone = { payload: { name: 'TypeError', message: 'thrown', causes: [] } };
      expect(payloads()).toMatchObject([alone, behind, behind]);
      expect(endpoint.events()).toHaveLength(3);
    },
  );

  it.each([
    ['an Error', (error: Error) => console.error(error)],
    ['words and an Error', (error: Error) => console.error('failed:', error)],
    ['a value that cannot be read and an Error', (error: Error) => console.error(unreadable(), error)],
    ['a stack', (error: Error) => console.error(error.stack)],
    ['a stack behind a format', (error: Error) => console.error('%s', error.stack)],
    ['a stack behind words', (error: Error) => console.error(`Unhandled error: ${error.stack}`)],
    [
      'a stack in colors below a line about the request',
      (error: Error) => console.error(`\n\u001b[1;31m[500] GET /\u001b[0m\n${error.stack}`),
    ],
  ])('takes %s that console.error prints as the failure of a 500', async (_words, print) => {
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = await startNodeHost((_request, response) => {
      console.error(new Error('an earlier one, which was mended'));
      print(new RangeError('printed'));
      console.error('and no error');
      console.error(Object.assign(new Error('for the visitor'), { stack: undefined }));
      response.writeHead(500).end();
    });
    await host.get('/');
    printed.mockRestore();
    await flush();
    expect(payloads()).toMatchObject([
      {
        event_type: 'backend_exception',
        payload: {
          name: 'RangeError',
          message: 'printed',
          stack: expect.stringContaining('one-signal.test.ts'),
          response: { status_code: 500 },
        },
        context: { captured_by: 'log' },
      },
    ]);
    expect(endpoint.events()).toHaveLength(1);
  });

  it('takes a stack without a name below tags as the failure of a 500', async () => {
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = await startNodeHost((_request, response) => {
      console.error(
        '[nuxt] [request error] [unhandled] [500] printed\n  at run (file:///srv/app/entry.mjs:4:18)',
      );
      console.error(
        'The above error occurred in the <Cart> component:\n\n    at Cart (file:///srv/app/cart.mjs:1:2)',
      );
      response.writeHead(500).end();
    });
    await host.get('/');
    printed.mockRestore();
    await flush();
    expect(payloads()).toMatchObject([
      { payload: { name: 'Error', message: 'printed', stack: expect.stringContaining('entry.mjs:4:18') } },
    ]);
  });

  it('leaves an Error that console.error prints in the trail when the answer is no failure', async () => {
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = await startNodeHost((_request, response) => {
      console.error(new RangeError('mended'));
      response.writeHead(200).end();
    });
    await host.get('/');
    printed.mockRestore();
    await flush();
    expect(endpoint.events()).toEqual([]);
  });

  it('sends a line without an Error and the request that failed', async () => {
    host = await startNodeHost((_request, response) => {
      culpritStream().stream.write({ level: 50, msg: 'no error object', name: 'app' });
      response.writeHead(500).end();
    });
    await host.get('/');
    await flush();
    expect(endpoint.events().map(({ event_type }) => event_type)).toEqual(['log_event', 'request_event']);
  });

  it('gives a line one time, whether it is an event or in the trail of an exception', async () => {
    host = await startNodeHost((_request, response) => {
      culpritStream().stream.write({ level: 40, msg: 'from a logger', name: 'app' });
      captureLog('by hand', 'warning');
      captureException(new Error('later'));
      response.writeHead(500).end();
    });
    await host.get('/');
    await flush();
    const [exception] = endpoint.events('backend_exception');
    const { logs } = isRecord(exception?.payload) ? exception.payload : {};
    const lines = endpoint.events('log_event').map(({ occurred_at }) => ({ ts: occurred_at }));
    expect(lines).toHaveLength(2);
    expect(logs).toMatchObject(lines);
  });

  it('mixes nothing of 300 concurrent requests', async () => {
    host = await startNodeHost((request, response) => {
      const id = request.url ?? '';
      setTag('id', id);
      probe('id', { id });
      setTimeout(() => {
        if (Number(id.slice(1)) % 10 === 0) captureException(new Error(`failure ${id}`));
        response.writeHead(200).end();
      }, 5);
    });
    await Promise.all(Array.from({ length: 300 }, (_, i) => host.get(`/${i}`)));
    await flush(5_000);
    const events = endpoint.events('backend_exception');
    for (const { payload, context } of events) {
      const { request, probe_data } = isRecord(payload) ? payload : {};
      const path = isRecord(request) ? request.path : null;
      expect(Object(context).tags).toEqual({ id: path });
      // A label keeps ten entries, so those of others may have replaced the own one, never joined it.
      const items = isRecord(probe_data) ? probe_data.items : [];
      for (const item of Array.isArray(items) ? items : []) expect(Object(item).data).toEqual({ id: path });
    }
    expect(events.length).toBeGreaterThan(2);
    expect(endpoint.faults).toEqual([]);
  });
});

describe('a failure that repeats', () => {
  it('is counted without being built again, under ids of its own, and passes once its window is over', async () => {
    host = await startNodeHost((_request, response) => response.end());
    const fail = () => new Error('again');
    const errors = Array.from({ length: 9 }, fail);
    const ids = errors.map((error) => captureException(error));
    expect(new Set(ids).size).toBe(9);
    expect(errors.map((error) => captureException(error))).toEqual(ids);
    expect(getDiagnostics().dropped).toMatchObject({ suppressed: 6, duplicate: 9 });
    // Another message is another failure.
    captureException(new Error('other'));
    expect(getDiagnostics().dropped.suppressed).toBe(6);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    const later = captureException(fail());
    vi.useRealTimers();
    await flush();
    const sent = endpoint.events().map(({ event_id }) => event_id);
    expect(sent).toEqual(expect.arrayContaining([...ids.slice(0, 3), later]));
    expect(sent).not.toContain(ids[3]);
    const [report] = endpoint.events('error_suppressed');
    expect(report?.payload).toMatchObject({
      suppressed_count: 6,
      sample_event_id: expect.any(String),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});

describe('a request that is no failure of the host', () => {
  it('sends nothing: refused input, an ignored path, a request that was given up', async () => {
    await close(0);
    const facts = { service: 'shop', environment: 'production', spool: false };
    init({ token: TEST_TOKEN, endpoint: endpoint.url, ...facts, ignoreRequests: ['/health', /^\/ready$/] });
    await until(() => getDiagnostics().policyPreset !== null);
    let isGivenUp = false;
    host = await startNodeHost((request, response) => {
      if (request.url === '/slow') {
        response.on('close', () => {
          isGivenUp = true;
        });
        return;
      }
      response.statusCode = Number(new URL(request.url ?? '/', 'http://x').searchParams.get('status') ?? 503);
      response.end();
    });
    for (const path of ['/a?status=404', '/b?status=422', '/health/live', '/ready']) await host.get(path);
    const abort = new AbortController();
    const slow = fetch(`${host.url}/slow`, { signal: abort.signal }).catch(() => 'aborted');
    setTimeout(() => abort.abort(), 20);
    expect(await slow).toBe('aborted');
    await until(() => isGivenUp);
    await flush();
    expect(endpoint.events()).toEqual([]);
    // What is not ignored is one.
    await host.get('/readiness');
    await flush();
    expect(endpoint.events().map(({ payload }) => Object(payload).path)).toEqual(['/readiness']);
  });
});

describe('what fails while an answer is under way', () => {
  it.each([
    ['is printed', (error: Error) => console.error(error)],
    ['a framework reports', (error: Error) => errorHandler()(error, {}, {}, () => {})],
  ])('and %s is a failure although the answer is 200', async (_words, report) => {
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = await startNodeHost((_request, response) => {
      response.writeHead(200);
      response.write('first');
      report(new TypeError('streamed'));
      response.end('failed');
    });
    await host.get('/page');
    printed.mockRestore();
    await flush();
    expect(payloads()).toMatchObject([
      {
        event_type: 'backend_exception',
        payload: { message: 'streamed', request: { path: '/page' }, response: { status_code: 200 } },
      },
    ]);
    expect(endpoint.events()).toHaveLength(1);
  });

  it('is what breaks the stream of an answer that is not finished', async () => {
    host = await startNodeHost((_request, response) => {
      const body = async function* () {
        yield 'first';
        throw new TypeError('of the stream');
      };
      pipeline(Readable.from(body()), response, () => {});
    });
    await host.get('/page').catch(() => {});
    await until(() => endpoint.events().length > 0);
    expect(payloads()).toMatchObject([
      { payload: { message: 'of the stream', request: { path: '/page' }, response: { status_code: null } } },
    ]);
    expect(endpoint.events()).toHaveLength(1);
  });

  it.each([
    ['is warned of', () => console.warn(new TypeError('slow'))],
    ['is the client hanging up', () => console.error(Object.assign(new Error('x'), { code: 'EPIPE' }))],
    [
      'is an answer of a framework',
      (response: ServerResponse) =>
        errorHandler()(Object.assign(new Error('gone'), { status: 404 }), {}, response, () => {}),
    ],
  ])('is none when it %s', async (_words, report) => {
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = await startNodeHost((_request, response) => {
      response.write('first');
      report(response);
      response.end();
    });
    await host.get('/page');
    printed.mockRestore();
    await flush();
    expect(endpoint.events()).toEqual([]);
  });
});

describe('an error that a framework answers with 4xx', () => {
  const answering = async () => {
    host = await startNodeHost((_request, response) => {
      const error = Object.assign(new RangeError('no such plan'), { statusCode: 422 });
      errorHandler()(error, {}, response, () => {
        response.statusCode = 422;
        response.end();
      });
    });
    await host.get('/plans');
    await flush();
    return endpoint.events().map(({ event_type, payload }) => [event_type, Object(payload).message ?? null]);
  };

  it('is expected under the balanced policy', async () => {
    expect(await answering()).toEqual([]);
  });

  it('is the signal where the policy makes the status a failure', async () => {
    await close(0);
    endpoint.config = {
      ...DEFAULT_CONFIG,
      capture_policy: { ...Object(DEFAULT_CONFIG.capture_policy), immediate_client_error_statuses: [422] },
    };
    init({ token: TEST_TOKEN, endpoint: endpoint.url, service: 'shop', environment: 'production' });
    await until(() => getDiagnostics().policyPreset !== null);
    expect(await answering()).toEqual([['backend_exception', 'no such plan']]);
  });
});
