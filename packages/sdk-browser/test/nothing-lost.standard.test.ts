import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/test/support/eventually.ts';
import { type OpenPage, openPageLab, type PageLab, TOKEN } from './support/page-lab.ts';

/** Whatever a page throws arrives, whatever its browser lacks, and each loss has a line and a count. */

let lab: PageLab;
let open: OpenPage;

beforeAll(async () => {
  lab = await openPageLab();
}, 120_000);
afterAll(() => lab?.close());
afterEach(async () => {
  await open?.context.close();
  for (const list of [lab.endpoint.requests, lab.site.requests, lab.other.requests]) list.length = 0;
});

const exceptions = () => lab.endpoint.ofType('frontend_exception');
const lines = () => open.console.filter((line) => line.includes('[culprit]'));
const uncaught = () => open.console.filter((line) => line.startsWith('uncaught'));
const diagnostics = async () =>
  (await open.page.evaluate('culprit.getDiagnostics()')) as {
    [key: string]: unknown;
    dropped: Record<string, number>;
  };
const relayed = (path: string, more = '') => `culprit.init({ endpoint: '${path}', ${more} });`;

describe('evidence', () => {
  it('of the first failure equals that of the tenth, also on a processor of a sixth of the speed', async () => {
    open = await lab.open(null);
    const devtools = await open.context.newCDPSession(open.page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 6 });
    await open.page.evaluate(`{
      culprit.init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}' });
      const list = () => Array.from({ length: 45 }, (_, id) => ({ id, name: 'item ' + id, price: id / 7, tags: ['a'] }));
      for (let i = 0; i < 10; i++) culprit.captureException(new Error('failure ' + i), { context: { order: list(), cart: list() } });
    }`);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await open.flush();
    const whole = exceptions().map(({ context: { order, cart } }) =>
      [order, cart]
        .flat()
        .filter((item) => Object(item).price === Object(item).id / 7 && Object(item).tags[0] === 'a'),
    );
    expect(whole.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 90));
  });
});

describe('an exception arrives', () => {
  const long = "'reason '.repeat(9000)";
  it.each([
    ['with a message of 70 KB', `new RangeError(${long})`],
    ['with 25,000 Chinese characters', "new RangeError('订单无法处理'.repeat(4200))"],
    [
      'with a stack of 70 KB',
      `Object.assign(new RangeError('x'), { stack: 'RangeError: x\\n' + '    at work (https://a.example/a.js:1:2)\\n'.repeat(2000) })`,
    ],
    [
      'with ten causes of 70 KB',
      `Array.from({ length: 10 }).reduce((cause) => new RangeError(${long}, { cause }), undefined)`,
    ],
    [
      'of many errors of 70 KB',
      `Object.assign(new AggregateError(Array.from({ length: 50 }, () => new Error(${long})), 'all failed'), { name: 'RangeError' })`,
    ],
    [
      'with a context of 5 MB',
      `Object.assign(new RangeError('x'), { rows: Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => '数据'.repeat(1000))) })`,
    ],
  ])('%s', async (_, error) => {
    open = await lab.open();
    await open.page.evaluate(
      `setTimeout(() => { throw ${error} }); new Promise((done) => setTimeout(done, 50))`,
    );
    await open.flush();
    const [event] = exceptions();
    expect(event?.payload).toMatchObject({
      name: 'RangeError',
      stack: expect.stringMatching(/\n {4}at .*:\d+:\d+/),
    });
    expect(String(event?.payload.message).length).toBeGreaterThan(0);
    expect(await diagnostics()).toMatchObject({ sent: 1, dropped: { too_large: 0, internal: 0 } });
    expect(lines()).toEqual([]);
  });

  it('in time, and the rest waits for its batch', async () => {
    open = await lab.open(null);
    await open.page.clock.install();
    await open.page.evaluate(`culprit.init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}' })`);
    // What waits leaves once the policy is known.
    await eventually(async () => expect(await diagnostics()).toMatchObject({ policyPreset: 'minimal' }));
    await open.page.clock.runFor(100);
    await open.page.evaluate("culprit.captureLog('context', 'error')");
    await open.page.clock.runFor(450);
    expect(lab.endpoint.events()).toEqual([]);
    await open.page.evaluate("culprit.captureException(new Error('now'))");
    await open.page.clock.runFor(450);
    await eventually(() => expect(exceptions()).toHaveLength(1));
  });
});

describe('what a page throws', () => {
  const values = [
    'null',
    'undefined',
    '""',
    '0',
    '10n',
    "Symbol('s')",
    'new Date(NaN)',
    '() => 1',
    'Object.create(null)',
    '{ get message() { throw 1 }, get name() { throw 2 }, get stack() { throw 3 } }',
    'new Proxy({}, { get() { throw 1 }, has() { throw 1 }, ownKeys() { throw 1 }, getPrototypeOf() { throw 1 }, getOwnPropertyDescriptor() { throw 1 } })',
    '(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()',
    "Object.freeze(new Error('frozen'))",
    "new DOMException('gone', 'NotFoundError')",
    "new (document.querySelector('iframe').contentWindow.TypeError)('of another realm')",
    'new Uint8Array(9)',
    "new Map([[{}, 1], ['a', new Set([1])]])",
    'Array.from({ length: 100000 }, (_, i) => i)',
    "Object.assign(new Error('x'), { cause: null, name: Symbol('n') })",
    "Object.defineProperty(new Error('x'), 'stack', { get() { throw 1 } })",
    "(() => { const error = new Error('cyclic'); error.cause = error; error.errors = [error, error]; return error; })()",
    'window',
  ];

  it.each(values)('arrives as one event however it is reported: %s', async (value) => {
    open = await lab.open('', '<iframe src="about:blank"></iframe>');
    await open.page.evaluate(`{
      setTimeout(() => { throw ${value} });
      Promise.reject(${value});
      culprit.captureException(${value});
      new Promise((done) => setTimeout(done, 50));
    }`);
    await eventually(async () => expect(await diagnostics()).toMatchObject({ captured: 3 }));
    await open.flush();
    const { sent, dropped } = await diagnostics();
    // The window is the same object three times.
    const { duplicate = 0, internal } = dropped;
    expect({ sum: Number(sent) + duplicate, internal }).toEqual({ sum: 3, internal: 0 });
    expect(exceptions().filter(({ payload }) => payload.handled === false)).toHaveLength(2);
    // Its own two, and none of the library.
    expect(uncaught().length).toBeLessThanOrEqual(2);
    expect(lines()).toEqual([]);
  });
});

describe('a browser that lacks something', () => {
  it.each([
    ['says it is offline', "Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false })"],
    ['has no random numbers', "crypto.getRandomValues = () => { throw new Error('hardened') }"],
    ['has random numbers that are none', 'crypto.getRandomValues = (bytes) => bytes'],
    ['has no crypto', "Object.defineProperty(window, 'crypto', { value: undefined })"],
    ['formats no dates', "Intl.DateTimeFormat = () => { throw new Error('no') }"],
    [
      'hides its user agent',
      "Object.defineProperty(Navigator.prototype, 'userAgent', { get() { throw 1 } })",
    ],
    ['has no screen', "Object.defineProperty(window, 'screen', { get() { throw 1 } })"],
    [
      'has a fetch and a history that are frozen',
      "Object.defineProperty(window, 'fetch', { value: fetch, writable: false }); Object.freeze(history)",
    ],
    [
      'has a storage of another kind',
      "Object.defineProperty(window, 'sessionStorage', { value: { getItem: () => ({}), setItem() { throw 1 } } })",
    ],
    ['has debug ids that throw', 'window._debugIds = new Proxy({}, { ownKeys() { throw 1 } })'],
    ['has no Element', 'Object.defineProperty(window, "Element", { value: undefined })'],
  ])('%s still sends', async (_, before) => {
    open = await lab.open('', '', before);
    await open.page.evaluate(
      "setTimeout(() => { throw new Error('thrown') }); void Promise.reject(new Error('rejected'))",
    );
    await eventually(() => expect(exceptions()).toHaveLength(2));
    const ids = exceptions().flatMap(({ event_id, correlation }) => [event_id, correlation.trace_id]);
    expect(ids[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(ids[1]).toMatch(/^(?!0{32})[\da-f]{32}$/);
    await eventually(async () =>
      expect(await diagnostics()).toMatchObject({ sent: 2, dropped: { internal: 0 } }),
    );
    expect(lines()).toEqual([]);
  });

  it('refuses a beacon keeps its events, and counts none of them as sent', async () => {
    open = await lab.open(null, '', 'delete Request.prototype.keepalive; navigator.sendBeacon = () => false');
    await open.page.evaluate(`{ ${relayed('/status/202/relay', 'flushIntervalMs: 60000')}
      culprit.captureLog('waits', 'error');
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true })); }`);
    await eventually(async () =>
      expect(await diagnostics()).toMatchObject({ sent: 0, waiting: 1, retries: 1 }),
    );
  });

  it('has a fetch that never ends keeps its events', async () => {
    open = await lab.open('timeoutMs: 50', '', 'window.fetch = () => new Promise(() => {})');
    await open.page.evaluate("culprit.captureException(new Error('x'))");
    await eventually(async () => expect(await diagnostics()).toMatchObject({ waiting: 1, retries: 1 }));
  });

  it('stops the library says so', async () => {
    open = await lab.open('', '', 'WeakMap = undefined');
    expect(await open.page.evaluate('[culprit.isEnabled(), culprit.getDiagnostics().reason]')).toEqual([
      false,
      'runtime_unsupported',
    ]);
    expect(lines()).toHaveLength(1);
  });
});

describe('an event that cannot be cut to its limit', () => {
  it('is counted, and a line says so', async () => {
    open = await lab.open(
      "beforeSend: (event) => { event.payload.own = Object.fromEntries(Array.from({ length: 49 }, (_, i) => ['k' + i, 'x'.repeat(2000)])); return event; }",
    );
    await open.page.evaluate("culprit.captureException(new Error('x'))");
    expect(await diagnostics()).toMatchObject({ waiting: 0, dropped: { too_large: 1 } });
    expect(lines()).toEqual([expect.stringContaining('too_large')]);
  });
});

describe('an address that redirects', () => {
  const capture = "culprit.captureException(new Error('moved'));";

  it('within the origin of the page is followed', async () => {
    lab.site.serve('/status/308/relay', 'text/plain', '', { location: '/status/202/relay/' });
    lab.site.serve('/status/202/relay/', 'application/json', '{"accepted":1,"rejected":0,"errors":[]}');
    open = await lab.open(null);
    await open.page.evaluate(`{ ${relayed('/status/308/relay')} ${capture} }`);
    await eventually(async () => expect(await diagnostics()).toMatchObject({ sent: 1, waiting: 0 }));
    const arrived = lab.site.requests.filter(({ url }) => url === '/status/202/relay/');
    expect(arrived).toMatchObject([{ method: 'POST', body: expect.stringContaining('moved') }]);
    expect(lines()).toEqual([]);
  });

  it('out of it is never followed', async () => {
    lab.site.serve('/status/307/relay', 'text/plain', '', { location: `${lab.other.origin}/status/202/` });
    open = await lab.open(null);
    await open.page.evaluate(`{ ${relayed('/status/307/relay')} ${capture} }`);
    await eventually(async () => expect(await diagnostics()).toMatchObject({ sent: 0, retries: 1 }));
    expect(lab.other.requests).toEqual([]);
  });

  it('with a token is said at once', async () => {
    open = await lab.open();
    lab.endpoint.answer({ status: 308, headers: { location: `${lab.other.origin}/v1/events` } });
    await open.page.evaluate(capture);
    await eventually(async () =>
      expect(await diagnostics()).toMatchObject({ state: 'disconnected', dropped: { rejected: 1 } }),
    );
    expect(lines()).toEqual([expect.stringMatching(/not_an_api.*300/)]);
    expect(lab.other.requests).toEqual([]);
  });
});

describe('a call of the page', () => {
  it.each([
    ['inherits its members', "Object.create({ method: 'POST', body: 'sent', headers: { 'x-own': '1' } })"],
    [
      'has them in private',
      "new (class { #m = 'POST'; get method() { return this.#m } get body() { return 'sent' } get headers() { return { 'x-own': '1' } } })()",
    ],
    [
      'is frozen',
      "Object.freeze({ method: 'POST', body: 'sent', headers: Object.freeze({ 'x-own': '1' }) })",
    ],
    [
      'has no prototype',
      "Object.assign(Object.create(null), { method: 'POST', body: 'sent', headers: [['x-own', '1']] })",
    ],
  ])('arrives as the page wrote it when its init %s', async (_, init) => {
    open = await lab.open();
    await open.page.evaluate(`fetch('/echo', ${init}).then((response) => response.text())`);
    expect(lab.site.requests.filter(({ url }) => url === '/echo')).toMatchObject([
      { method: 'POST', body: 'sent', headers: { 'x-own': '1', 'x-service-trace-id': expect.any(String) } },
    ]);
  });
});
