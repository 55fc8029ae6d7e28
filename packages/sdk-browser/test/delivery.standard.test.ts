import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/test/support/eventually.ts';
import { bundlePage } from './support/page-bundle.ts';
import { type OpenPage, openPageLab, type PageLab, TOKEN } from './support/page-lab.ts';

/** From the queue to the endpoint: docs/contract/clients.md 7, 8, 9.1, 13, C-24 to C-26, C-30, C-33, C-34. */

let lab: PageLab;
let open: OpenPage | undefined;

const BALANCED = {
  preset: 'balanced',
  capture_logs: 'warning',
  capture_request_events: 'failures_only',
  capture_breadcrumbs: 'exception_only',
  capture_probe_events: 'buffer_only',
  immediate_client_error_statuses: [],
  immediate_client_error_path_rules: [],
};

beforeAll(async () => {
  lab = await openPageLab();
}, 120_000);
afterAll(() => lab?.close());
afterEach(async () => {
  await open?.context.close();
  open = undefined;
  lab.endpoint.config = { status: 503, body: {} };
  for (const list of [lab.endpoint.requests, lab.site.requests, lab.other.requests]) list.length = 0;
});

const messages = () => lab.endpoint.ofType('frontend_exception').map(({ payload }) => payload.message);
const capture = (...names: string[]) =>
  names.map((name) => `culprit.captureException(new Error('${name}'))`).join(';');
const diagnostics = async () =>
  (await open?.page.evaluate('culprit.getDiagnostics()')) as Record<string, unknown> & {
    dropped: Record<string, number>;
  };

/** captured = sent + waiting + the counters. */
async function expectBalance(): Promise<void> {
  const { captured, sent, waiting, dropped } = await diagnostics();
  const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  expect(captured).toBe(Number(sent) + Number(waiting) + lost);
}

describe('a batch', () => {
  it('goes to the endpoint with the token and the name of the library', async () => {
    open = await lab.open();
    await open.page.evaluate(capture('one'));
    await open.flush();
    const [request] = lab.endpoint.requests.filter(({ path }) => path === '/v1/events');
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'x-service-sdk': '@culprit/browser',
      origin: lab.site.origin,
    });
    expect(request?.headers).not.toHaveProperty('cookie');
  });

  it('keeps what was rate limited and counts what was refused', async () => {
    open = await lab.open();
    lab.endpoint.answer({
      status: 202,
      headers: { 'retry-after': '1' },
      body: {
        accepted: 1,
        rejected: 2,
        errors: [
          { index: 1, reason: 'rate_limited' },
          { index: 2, reason: 'capture_policy_rejected' },
        ],
      },
    });
    await open.page.evaluate(capture('accepted', 'limited', 'refused'));
    await eventually(() => expect(messages()).toEqual(['accepted', 'limited', 'refused', 'limited']));
    const ids = lab.endpoint.ofType('frontend_exception').map(({ event_id }) => event_id);
    expect(ids[1]).toBe(ids[3]);
    await eventually(async () =>
      expect(await diagnostics()).toMatchObject({ sent: 2, waiting: 0, dropped: { rejected: 1 } }),
    );
    await expectBalance();
  });

  it('is halved when the endpoint refuses it whole, so that one bad event takes no other along', async () => {
    open = await lab.open();
    lab.endpoint.answer(...[400, 400, 400].map((status) => ({ status, body: { error: 'invalid_payload' } })));
    await open.page.evaluate(capture('a', 'b', 'c', 'd'));
    await eventually(async () =>
      expect(await diagnostics()).toMatchObject({ sent: 3, waiting: 0, dropped: { rejected: 1 } }),
    );
    await expectBalance();
  });

  it('is tried again after an answer that is none, with the same ids', async () => {
    open = await lab.open();
    lab.endpoint.answer({ status: 503 }, { status: 202, body: 'not an acknowledgement' });
    await open.page.evaluate(capture('kept'));
    await eventually(async () =>
      expect(await diagnostics()).toMatchObject({ sent: 1, waiting: 0, retries: 2, state: 'healthy' }),
    );
    expect(new Set(lab.endpoint.ofType('frontend_exception').map(({ event_id }) => event_id)).size).toBe(1);
  });

  it('leaves with an exception while the one before it has no answer', async () => {
    open = await lab.open();
    let release = () => {};
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    lab.endpoint.answer({ status: 202, body: { accepted: 1, rejected: 0, errors: [] }, after });
    await open.page.evaluate(capture('first'));
    await eventually(() => expect(messages()).toEqual(['first']));
    await open.page.evaluate(capture('second'));
    await eventually(() => expect(messages()).toEqual(['first', 'second']));
    release();
    await eventually(async () =>
      expect(await diagnostics()).toMatchObject({ sent: 2, waiting: 0, retries: 0, requests: 2 }),
    );
  });

  it('ends the sending when the token is unknown, with one line that does not show it', async () => {
    open = await lab.open();
    lab.endpoint.answer({ status: 401, body: { error: 'invalid_project_token' } });
    await open.page.evaluate(capture('lost'));
    await eventually(async () =>
      expect(await diagnostics()).toMatchObject({ state: 'disconnected', reason: 'unauthorized' }),
    );
    await open.page.evaluate(`${capture('more')}; culprit.flush(100)`);
    const batches = lab.endpoint.requests.filter(({ method }) => method === 'POST');
    expect(batches).toHaveLength(1);
    const lines = open.console.filter((line) => line.includes('[culprit]'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain(TOKEN);
  });
});

describe('repeats', () => {
  it('are sent three times and counted in a report that names the last one', async () => {
    open = await lab.open();
    await open.page.evaluate(`for (let i = 0; i < 5; i++) ${capture('same')}; culprit.flush()`);
    await eventually(() => expect(lab.endpoint.ofType('error_suppressed')).toHaveLength(1));
    const sent = lab.endpoint.ofType('frontend_exception');
    expect(sent).toHaveLength(3);
    expect(lab.endpoint.ofType('error_suppressed')[0]?.payload).toMatchObject({
      suppressed_count: 2,
      sample_event_id: sent[2]?.event_id,
      event_type: 'frontend_exception',
    });
    await expectBalance();
  });

  it('of context stop after 100, exceptions go on', async () => {
    lab.endpoint.config = { status: 200, body: { capture_policy: { ...BALANCED, capture_logs: 'info' } } };
    open = await lab.open("logLevel: 'info', maxBufferedEvents: 300");
    await eventually(async () => expect(await diagnostics()).toMatchObject({ policyPreset: 'balanced' }));
    await open.page.evaluate(
      "for (let i = 0; i < 60; i++) culprit.captureLog('line ' + i, ['info', 'warning', 'debug'][i % 2]); for (let i = 0; i < 60; i++) culprit.addBreadcrumb({ type: 'x' })",
    );
    await open.page.evaluate(capture('still sent'));
    await open.flush();
    await eventually(() => expect(messages()).toEqual(['still sent']));
    expect(lab.endpoint.ofType('log_event').length).toBeLessThanOrEqual(100);
    await expectBalance();
  });
});

describe('the policy of the project', () => {
  it('judges what was captured before it was known', async () => {
    lab.endpoint.config = { status: 200, body: { capture_policy: { ...BALANCED, capture_logs: 'error' } } };
    open = await lab.open(null);
    await open.page.evaluate(`{
      culprit.init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}' });
      culprit.captureLog('a warning', 'warning'); culprit.captureLog('an error', 'error'); }`);
    await eventually(() =>
      expect(lab.endpoint.ofType('log_event').map(({ payload }) => payload.message)).toEqual(['an error']),
    );
    await eventually(async () => expect((await diagnostics()).dropped.policy).toBe(1));
    const config = lab.endpoint.requests.find(({ path }) => path.includes('config'));
    expect(config).toMatchObject({ path: '/v1/sdk/config', method: 'GET' });
    expect(config?.headers).not.toHaveProperty('content-type');
  });
});

describe('a page that is left', () => {
  it.each(['closes', 'navigates', 'is hidden'])(
    'sends the exceptions of the last moment when it %s',
    async (how) => {
      open = await lab.open();
      await open.page.evaluate(capture('last'));
      if (how === 'closes') await open.page.close({ runBeforeUnload: true });
      else if (how === 'navigates') await open.page.goto(lab.other.origin);
      else {
        await open.page.evaluate(
          "Object.defineProperty(document, 'visibilityState', { value: 'hidden' }); document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))",
        );
      }
      // What was on its way already is sent again, under its id.
      await eventually(() => expect([...new Set(messages())]).toEqual(['last']));
    },
  );

  it('sends exceptions first, as much as the browser takes, and counts the rest', async () => {
    open = await lab.open('capture: { clicks: false }');
    await open.page.evaluate(`{
      for (let i = 0; i < 20; i++) culprit.captureException(new Error('n' + i + ' ' + 'x'.repeat(8000)), { context: { i } });
      dispatchEvent(new PageTransitionEvent('pagehide')); }`);
    await eventually(() => expect(messages().length).toBeGreaterThan(2));
    expect(messages()[0]).toMatch(/^n19 /);
    expect(Math.max(...lab.endpoint.requests.map(({ body }) => body.length))).toBeLessThan(60_100);
    await eventually(async () => expect((await diagnostics()).waiting).toBe(0));
    const { dropped, sent } = await diagnostics();
    expect(dropped.unload).toBe(20 - Number(sent));
    await expectBalance();
  });

  // The headless Chromium of the tests keeps no page in that cache, also without the argument of its driver that switches
  // it off: `pagehide` is not persisted, and the reason why a page was not restored is masked. So the page gets here the
  // event that a browser with a cache sends it, and lives on as it would after its return.
  it('goes on when it comes back from the back-forward cache, and sends what did not fit then', async () => {
    open = await lab.open();
    await open.page.evaluate(`{
      for (let i = 0; i < 20; i++) culprit.captureException(new Error('n' + i + ' ' + 'x'.repeat(8000)));
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })); ${capture('after')} }`);
    await eventually(async () =>
      expect(await diagnostics()).toMatchObject({ sent: 21, waiting: 0, dropped: { unload: 0 } }),
    );
    expect(new Set(messages()).size).toBe(21);
    expect(messages()).toContain('after');
  });
});

describe('a page in trouble', () => {
  it('keeps its events while it is offline, and sends them soon after', async () => {
    open = await lab.open();
    await open.context.setOffline(true);
    await open.page.evaluate(capture('offline'));
    await open.page.evaluate('culprit.flush(50)');
    expect(await diagnostics()).toMatchObject({ waiting: 1, sent: 0, state: 'degraded' });
    await open.context.setOffline(false);
    await eventually(() => expect(messages()).toEqual(['offline']));
  });

  it('works without storage and without AbortController', async () => {
    open = await lab.open(
      '',
      '',
      "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('blocked', 'SecurityError'); } }); delete window.AbortController;",
    );
    await open.page.evaluate(capture('works'));
    await open.flush();
    expect(messages()).toEqual(['works']);
    // Besides what the browser itself says of the configuration, which this endpoint does not have.
    expect(open.console.filter((line) => !line.includes('Failed to load resource'))).toEqual([]);
  });

  it('does nothing but say so once in a browser without fetch', async () => {
    open = await lab.open('', '', 'delete window.fetch');
    expect(
      await open.page.evaluate(
        `[culprit.isEnabled(), culprit.captureException(1), culprit.getDiagnostics().reason]`,
      ),
    ).toEqual([false, null, 'runtime_unsupported']);
    expect(open.console.filter((line) => line.includes('[culprit]'))).toHaveLength(1);
  });
});

describe('misuse', () => {
  it.each([
    ["{ token: 'svc_mem_x' }", 'token_malformed', false],
    ["{ endpoint: 'ftp://host' }", 'endpoint_invalid', false],
    [`{ token: '${TOKEN}', endpoint: 'http://monitor.example' }`, 'endpoint_insecure', true],
  ])('%s is told once: %s', async (options, code, isActive) => {
    open = await lab.open(null);
    const result = await open.page.evaluate(
      `{ const codes = []; const given = { ...${options}, onDiagnostic: ({ code, message }) => codes.push(code + ' ' + message) };
        [culprit.init(given), codes]; }`,
    );
    expect(result).toEqual([isActive, [expect.stringMatching(`^${code} `)]]);
    expect(open.console.filter((line) => line.includes('[culprit]'))).toHaveLength(1);
  });

  it('is told in sentences while a page is developed, unknown options too', async () => {
    const source = `
      import { init, probe } from '@culprit/browser';
      window.codes = [];
      const onDiagnostic = ({ code, message }) => codes.push(code + ': ' + message);
      init({ token: 'svc_mem_x', onDiagnostic });
      init({ endpoint: '${lab.endpoint.origin}/culprit/browser', relaese: 'r1', environment: 'staging', onDiagnostic });
      probe('cart', 1);`;
    lab.site.serve('/development.js', 'text/javascript', await bundlePage(source, ['development']));
    open = await lab.open(null, '<script src="/development.js"></script>');
    expect(await open.page.evaluate('codes')).toEqual([
      'token_malformed: This is no project token. Create a project token.',
      'unknown_option: The option relaese is ignored. Did you mean release?',
    ]);
    expect(open.console.filter((line) => line.includes('[culprit]'))).toHaveLength(2);
  });

  it('names a code, what is known, and the page that explains it in production', async () => {
    open = await lab.open(null);
    await open.page.evaluate("culprit.init({ token: 'svc_mem_x' })");
    expect(open.console.filter((line) => line.includes('[culprit]'))).toEqual([
      expect.stringMatching(
        /^warning: \[culprit] token_malformed \{.*\} \(README of @culprit\/browser, Messages\)$/,
      ),
    ]);
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const messages = readme.slice(readme.indexOf('## Messages'));
    const sentences = readFileSync(join(import.meta.dirname, '../src/sentences.ts'), 'utf8');
    const codes = [...sentences.matchAll(/^ {2}(\w+):/gm)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(9);
    expect(codes.filter((code) => !messages.includes(`| \`${code}\` |`))).toEqual([]);
  });

  it('never throws, whatever a function is given, before init, after close and while it is active', async () => {
    open = await lab.open(null);
    const thrown = await open.page.evaluate(`(async () => {
      const revoked = Proxy.revocable({}, {}); revoked.revoke();
      const hostile = [undefined, null, revoked.proxy, { get id() { throw 1 }, get type() { throw 1 }, get handled() { throw 1 } }, Symbol('x'), 10n, () => { throw 1 }, document.body, window];
      const names = ['captureException', 'captureMessage', 'captureLog', 'addBreadcrumb', 'setUser', 'setTag', 'setTags', 'setContext', 'probe', 'traceHeaders', 'flush'];
      const failed = [];
      const round = async (when) => {
        for (const name of names) for (const value of hostile) {
          try { await culprit[name](name === 'flush' ? 1 : value, name === 'probe' ? value : undefined); await (name === 'captureException' ? culprit[name](new Error('x'), value) : 0); }
          catch (error) { failed.push([when, name, String(error)]); }
        }
        culprit.getTraceId(); culprit.lastEventId(); culprit.isEnabled(); culprit.getDiagnostics(); culprit.currentScope(); culprit.withScope(() => 1);
      };
      await round('before');
      culprit.init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}' });
      await round('active');
      await culprit.close(500);
      await round('closed');
      return failed;
    })()`);
    expect(thrown).toEqual([]);
    lab.endpoint.events();
  });
});

describe('a relay', () => {
  it('is sent what a page captures without any token, log lines as what it takes', async () => {
    open = await lab.open(null);
    await open.page.evaluate(`{
      culprit.init({ endpoint: '${lab.endpoint.origin}/culprit/browser' });
      culprit.captureLog('kept in the trail', 'warning');
      culprit.captureLog('an error', 'error'); }`);
    await open.flush();
    const [request] = lab.endpoint.requests;
    expect(request?.path).toBe('/culprit/browser');
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(lab.endpoint.events()).toMatchObject([
      {
        event_type: 'frontend_exception',
        payload: {
          name: 'CapturedMessage',
          message: 'an error',
          stack: null,
          breadcrumbs: [{ data: { message: 'kept in the trail' } }, { data: { message: 'an error' } }],
        },
      },
    ]);
    expect(lab.endpoint.requests.some(({ path }) => path.includes('config'))).toBe(false);
  });
});

describe('probes', () => {
  it('ride on the next exception, and heavy ones are dormant without a directive', async () => {
    open = await lab.open();
    await open.page.evaluate(`{ window.heavy = 0;
      for (let i = 0; i < 12; i++) culprit.probe('cart.total', i);
      culprit.probe('cart.heavy', () => { window.heavy++; return 1 }, { heavy: true });
      ${capture('first', 'second')} }`);
    await open.flush();
    const [first, second] = lab.endpoint.ofType('frontend_exception');
    expect(first?.payload.probe_data).toMatchObject({ items: { length: 10 } });
    expect(second?.payload).not.toHaveProperty('probe_data');
    expect(await open.page.evaluate('heavy')).toBe(0);
  });
});
