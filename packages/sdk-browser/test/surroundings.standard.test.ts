import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/test/support/eventually.ts';
import { bundlePage } from './support/page-bundle.ts';
import { type OpenPage, openPageLab, type PageLab, TOKEN } from './support/page-lab.ts';

/** The library in what pages and browsers are like: docs/contract/clients.md 1.2, 5, 8.3, 14, C-24, C-26. */

let lab: PageLab;
let open: OpenPage | undefined;

beforeAll(async () => {
  lab = await openPageLab();
}, 120_000);
afterAll(() => lab?.close());
afterEach(async () => {
  await open?.context.close();
  open = undefined;
  for (const list of [lab.endpoint.requests, lab.site.requests, lab.other.requests]) list.length = 0;
});

const exceptions = () => lab.endpoint.ofType('frontend_exception');
const initText = (more = '') =>
  `culprit.init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}', ${more} })`;

/** Opens a page of the site that holds this, with the script of the library. */
async function visit(path: string, body: string, headers: Record<string, string> = {}): Promise<void> {
  lab.site.serve(
    path,
    'text/html',
    `<!doctype html><title>Page</title><script src="/culprit.js"></script>${body}`,
    headers,
  );
  open = await lab.open(null);
  await open.page.goto(lab.site.origin + path);
}

describe('the entry for errors only', () => {
  it('sends errors and rejections with what the scope says, and watches nothing else', async () => {
    const script = await bundlePage(`
      import { captureException, flush, init, setContext, setTag, setUser } from '@culprit/browser/errors';
      const originals = [fetch, history.pushState, XMLHttpRequest.prototype.send];
      window.isActive = init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}', service: 'small', redactValues: ['email'] });
      window.isUntouched = fetch === originals[0] && history.pushState === originals[1] && XMLHttpRequest.prototype.send === originals[2];
      setTag('plan', 'solo'); setUser({ id: 'u1' }); setContext('cart', { items: 2 });
      captureException(new Error('by hand to a@b.example', { cause: new RangeError('inner') }));
      setTimeout(() => { throw new TypeError('thrown') }); Promise.reject(new SyntaxError('rejected'));
      window.flushed = new Promise((done) => setTimeout(() => flush().then(done), 50));
    `);
    lab.site.serve('/errors.js', 'text/javascript', script);
    await visit('/errors', '<script src="/errors.js"></script>');
    expect(await open?.page.evaluate('flushed.then((isEmpty) => [isActive, isUntouched, isEmpty])')).toEqual([
      true,
      true,
      true,
    ]);
    expect(new Set(exceptions().map(({ payload }) => payload.name))).toEqual(
      new Set(['Error', 'TypeError', 'SyntaxError']),
    );
    expect(exceptions()[0]).toMatchObject({
      service: { name: 'small' },
      context: { tags: { plan: 'solo' }, user: { id: 'u1' }, cart: { items: 2 } },
      payload: {
        message: 'by hand to [REDACTED]',
        stack: expect.stringContaining('Caused by: RangeError: inner'),
      },
    });
    expect(exceptions()[0]?.payload).not.toHaveProperty('breadcrumbs');
    expect(lab.endpoint.requests.map(({ path }) => path)).toEqual(['/v1/events']);
  });
});

describe('the session', () => {
  const ids = () => exceptions().map(({ correlation }) => correlation.session_id);
  const fail = async () => {
    await open?.page.evaluate("culprit.captureException(new Error('x' + Math.random()))");
    await open?.flush();
  };

  it('is the same on the next page of a tab, another after half an hour without an event, and none when off', async () => {
    await visit('/first', `<script>${initText()}</script>`);
    await fail();
    await open?.page.goto(`${lab.site.origin}/first?again`);
    await fail();
    await open?.page.evaluate(`{
      const [id, usedAt] = sessionStorage.getItem('culprit.session').split(' ');
      sessionStorage.setItem('culprit.session', id + ' ' + (usedAt - 31 * 60_000)); }`);
    await fail();
    const [first, second, third] = ids();
    expect([second === first, third === first]).toEqual([true, false]);
    expect(third).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    await visit('/none', `<script>${initText('capture: { session: false }')}</script>`);
    await fail();
    expect(ids().at(-1)).toBeNull();
    expect(await open?.page.evaluate('sessionStorage.length')).toBe(0);
  });
});

describe('answers of failed calls', () => {
  it('are read up to 4,096 characters where that is asked for, and still belong to the page', async () => {
    lab.site.serve('/status/500/long', 'text/plain', `{"password":"p"} reason ${'x'.repeat(9000)}`);
    lab.site.serve('/fine', 'text/plain', 'not read');
    open = await lab.open('capture: { networkBodies: true }');
    const lengths = await open.page.evaluate(`(async () => {
      const lengths = [(await (await fetch('/status/500/long')).text()).length, (await (await fetch('/fine')).text()).length];
      await new Promise((done) => { const xhr = new XMLHttpRequest(); xhr.open('GET', '/status/500/long'); xhr.onloadend = done; xhr.send(); });
      await new Promise((done) => setTimeout(done, 50));
      culprit.captureException(new Error('end'));
      return lengths;
    })()`);
    expect(lengths).toEqual([9024, 8]);
    await open.flush();
    const trail = exceptions()[0]?.payload.breadcrumbs as { data: { response_body: string } }[];
    expect(trail).toHaveLength(2);
    for (const { data } of trail) expect(data.response_body).toMatch(/^\[Truncated\]$|^\{"password"/);
    expect(lab.endpoint.requests.map(({ body }) => body).join()).not.toContain('not read');
  });

  it('are never read otherwise', async () => {
    lab.site.serve('/status/500/quiet', 'text/plain', 'of-the-answer');
    open = await lab.open();
    await open.page.evaluate(
      "fetch('/status/500/quiet').then(() => culprit.captureException(new Error('end')))",
    );
    await open.flush();
    expect(exceptions()[0]?.payload.breadcrumbs).toHaveLength(1);
    expect(lab.endpoint.requests.map(({ body }) => body).join()).not.toContain('of-the-answer');
  });
});

describe('what a build left', () => {
  it('are debug ids of the files in a stack and its causes, whatever bundler has noted them, and a release', async () => {
    const id = (n: number) => `0000000${n}-0000-4000-8000-000000000000`;
    open = await lab.open(
      '',
      '',
      `window._debugIds = {
         ['Error\\n    at f (' + location.origin + '/app.js:1:1)']: '${id(1)}', ['Error\\n    at https://a.example/unused.js:1:1']: '${id(2)}',
         ['Error\\n    at ' + location.origin + '/npm/pkg@1.2.3/(shop)/page.js:1:2']: '${id(4)}' };
       window._sentryDebugIds = { ['@' + location.origin + '/vendor.js:7:9']: '${id(3)}', broken: 4 };
       window._culpritRelease = 'shop@2';`,
    );
    const known = await open.page.evaluate(`{
      const error = new Error('x');
      const at = (path) => '\\n    at g (' + location.origin + path + ':9:1)';
      error.stack = 'Error: x' + at('/app.js') + '\\n    at ' + location.origin + '/vendor.js:3:4' + at('/none.js');
      error.cause = new Error('y');
      error.cause.stack = 'Error: y' + at('/npm/pkg@1.2.3/(shop)/page.js');
      culprit.captureException(error);
      culprit.getDiagnostics().debugIds }`);
    await open.flush();
    const ids = {
      [`${lab.site.origin}/app.js`]: id(1),
      [`${lab.site.origin}/vendor.js`]: id(3),
      [`${lab.site.origin}/npm/pkg@1.2.3/(shop)/page.js`]: id(4),
    };
    expect(exceptions()[0]?.payload.debug_ids).toEqual(ids);
    expect(exceptions()[0]?.context).toMatchObject({ release: 'shop@2' });
    expect(known).toEqual({ ...ids, [`${lab.site.origin}/none.js`]: null });
  });
});

describe('a page whose policy forbids the endpoint', () => {
  it('works on, says it at most once, and keeps counting', async () => {
    await visit(
      '/strict',
      `<script>${initText()}; culprit.captureException(new Error('kept in')); document.title = 'works'</script>`,
      { 'content-security-policy': "default-src 'self' 'unsafe-inline'" },
    );
    await open?.page.evaluate('culprit.flush(500)');
    expect(await open?.page.title()).toBe('works');
    expect(lab.endpoint.requests).toEqual([]);
    expect(await open?.page.evaluate('culprit.getDiagnostics()')).toMatchObject({
      captured: 1,
      waiting: 1,
      state: 'degraded',
    });
    expect(open?.console.filter((line) => /\[culprit\]|^uncaught/.test(line)).length).toBeLessThan(2);
  });
});

describe('a service worker', () => {
  it('sends the errors that nobody caught in it', async () => {
    lab.site.serve(
      '/service-worker.js',
      'text/javascript',
      `importScripts('/culprit.js'); ${initText("service: 'service-worker'")};
       addEventListener('message', () => { throw new TypeError('thrown in a service worker') });`,
    );
    await visit('/with-worker', '');
    await open?.page.evaluate(`navigator.serviceWorker.register('/service-worker.js')
      .then(() => navigator.serviceWorker.ready).then(({ active }) => active.postMessage('go'))`);
    await eventually(() =>
      expect(exceptions()).toMatchObject([
        {
          service: { name: 'service-worker' },
          payload: { name: 'TypeError', message: 'thrown in a service worker', handled: false },
        },
      ]),
    );
  });
});

describe('a page that is left while a relay takes its events', () => {
  const relay = () => lab.site.requests.filter(({ url, method }) => url === '/relay' && method === 'POST');
  const start = (before = '') =>
    `<script>${before}; culprit.init({ endpoint: '/relay' }); culprit.captureException(new Error('last'))</script>`;
  const sent = () => relay().flatMap(({ body }) => JSON.parse(body).events as { event_id: string }[]);

  beforeAll(() => {
    lab.site.serve('/relay', 'application/json', '{"accepted":1,"rejected":0,"errors":[]}');
  });

  it.each(['closes', 'navigates'])('delivers the exceptions of the last moment when it %s', async (how) => {
    await visit('/relayed', start());
    if (how === 'closes') await open?.page.close({ runBeforeUnload: true });
    else await open?.page.goto(lab.other.origin);
    await eventually(() => expect(new Set(sent().map(({ event_id }) => event_id)).size).toBe(1));
    expect(relay()[0]?.body).toContain('"message":"last"');
    expect(relay()[0]?.headers['content-type']).toBe('application/json');
  });

  it.each([
    ['do not exist', 'delete Request.prototype.keepalive; delete window.AbortController'],
    [
      'are refused',
      "{ const plain = fetch; window.fetch = (url, init) => init?.keepalive ? Promise.reject(new TypeError('too much')) : plain(url, init) }",
    ],
  ])('sends a beacon where requests that outlive their page %s', async (_, before) => {
    await visit('/with-beacon', start(before));
    await open?.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))");
    await eventually(() => expect(relay()).toHaveLength(1));
    expect(relay()[0]?.body).toContain('"message":"last"');
    expect(relay()[0]?.headers['content-type']).toBe('application/json');
    await eventually(async () =>
      expect(await open?.page.evaluate('culprit.getDiagnostics()')).toMatchObject({ sent: 1, waiting: 0 }),
    );
  });
});
