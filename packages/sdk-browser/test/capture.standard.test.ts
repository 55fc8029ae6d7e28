import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/test/support/eventually.ts';
import { type OpenPage, openPageLab, type PageLab } from './support/page-lab.ts';
import type { SentEvent } from './support/recording-endpoint.ts';

/** What a page captures without a call: docs/contract/clients.md 5, C-19 to C-23, C-25. */

let lab: PageLab;
let open: OpenPage | undefined;

beforeAll(async () => {
  lab = await openPageLab();
}, 120_000);
afterAll(() => lab?.close());
afterEach(async () => {
  await open?.context.close();
  open = undefined;
  lab.endpoint.requests.length = 0;
  lab.site.requests.length = 0;
  lab.other.requests.length = 0;
});

/** Opens a page, lets it do something, and returns the exceptions that left it. */
async function exceptionsOf(script: string, init = '', html = ''): Promise<SentEvent[]> {
  open = await lab.open(init, html);
  await open.page.evaluate(script);
  return await eventually(async () => {
    await open?.flush();
    const events = lab.endpoint.ofType('frontend_exception');
    expect(events.length).toBeGreaterThan(0);
    return events;
  });
}

/** The trail that an exception takes along after something was done. */
async function trailOf(script: string, init = '', html = ''): Promise<Record<string, unknown>[]> {
  const [event] = await exceptionsOf(
    `(async () => { ${script}; culprit.captureException(new Error('end')); })()`,
    init,
    html,
  );
  return event?.payload.breadcrumbs as Record<string, unknown>[];
}

describe('a page that fails', () => {
  it('sends an error that nobody caught, with what is known of the page', async () => {
    const [event] = await exceptionsOf(
      "void setTimeout(() => { throw new TypeError('thrown') })",
      "service: 'shop', release: 'r1'",
    );
    expect(event).toMatchObject({
      sdk_name: '@culprit/browser',
      service: { name: 'shop', environment: 'production', runtime: 'browser' },
      correlation: {
        trace_id: expect.stringMatching(/^[\da-f]{32}$/),
        session_id: expect.stringMatching(/^[\da-f-]{36}$/),
      },
      context: { release: 'r1' },
      payload: {
        name: 'TypeError',
        message: 'thrown',
        handled: false,
        route: expect.stringMatching(/^\/page-\d+$/),
        stack: expect.stringContaining('TypeError: thrown'),
        device: { user_agent: expect.stringContaining('Chrome'), screen: { width: expect.any(Number) } },
      },
    });
    expect(event?.payload).not.toHaveProperty('browser_event');
  });

  it('says of a thrown object that its value is known, and of a script of another origin that nothing is', async () => {
    const [thrown] = await exceptionsOf('void setTimeout(() => { throw { code: 7 } })');
    expect(thrown?.payload).toMatchObject({
      name: 'Error',
      message: '{"code":7}',
      handled: false,
      browser_event: { kind: 'window_error', opaque: false },
    });
    lab.endpoint.requests.length = 0;
    lab.other.serve('/broken.js', 'text/javascript', "throw new Error('of somebody else')");
    const [foreign] = await exceptionsOf(
      `{ const script = document.createElement('script'); script.src = '${lab.other.origin}/broken.js'; document.head.append(script); }`,
    );
    expect(foreign?.payload).toMatchObject({
      message: 'Script error.',
      browser_event: { kind: 'window_error', opaque: true },
    });
  });

  it('names an element that failed to load by its whole address, without the query', async () => {
    const [event] = await exceptionsOf(
      `{ const image = new Image(); image.src = '/status/404/pic.png?secret=of-the-page'; document.body.append(image); }`,
    );
    expect(event?.payload).toMatchObject({
      name: 'ResourceError',
      message: 'Failed to load img',
      stack: null,
      browser_event: {
        kind: 'resource_error',
        opaque: true,
        target: { tag_name: 'img', source_url: `${lab.site.origin}/status/404/pic.png` },
      },
    });
  });

  it('tells rejections, whatever they were rejected with', async () => {
    const [event] = await exceptionsOf("void Promise.reject(new RangeError('late'))");
    expect(event?.payload).toMatchObject({
      name: 'RangeError',
      handled: false,
      rejection_reason: { kind: 'error', name: 'RangeError' },
    });
    await open?.context.close();
    for (const [reason, name, message, kind] of [
      ["'text'", 'UnhandledRejection', 'text', 'string'],
      ['undefined', 'UnhandledRejection', 'undefined', 'undefined'],
      ['null', 'UnhandledRejection', 'null', 'null'],
      ["({ name: 'Odd', status: 3 })", 'Odd', '{"name":"Odd","status":3}', 'object'],
      ['5', 'UnhandledRejection', '5', 'unknown'],
    ]) {
      lab.endpoint.requests.length = 0;
      const [sent] = await exceptionsOf(`void Promise.reject(${reason})`);
      expect(sent?.payload).toMatchObject({ name, message, rejection_reason: { kind } });
      await open?.context.close();
    }
  });

  it('reads the reason that a library of promises puts into its own event', async () => {
    const [event] = await exceptionsOf(
      "dispatchEvent(new CustomEvent('unhandledrejection', { detail: { reason: new RangeError('late') } }))",
    );
    expect(event?.payload).toMatchObject({ name: 'RangeError', message: 'late', handled: false });
  });

  it('sends the Error of an event that the host passes on whole, once', async () => {
    const events = await exceptionsOf(
      `for (const kind of ['error', 'unhandledrejection']) addEventListener(kind, culprit.captureException);
       Promise.reject(new RangeError('rejected')); setTimeout(() => { throw new TypeError('thrown') });
       culprit.captureException(new ErrorEvent('error', { error: new SyntaxError('passed on'), message: 'Uncaught' }));
       new Promise((done) => setTimeout(done, 50))`,
    );
    const said = events.map(({ payload }) => [
      payload.name,
      payload.message,
      String(payload.stack).includes('\n'),
    ]);
    expect(said.sort()).toEqual([
      ['RangeError', 'rejected', true],
      ['SyntaxError', 'passed on', true],
      ['TypeError', 'thrown', true],
    ]);
  });

  it('appends causes to the stack, and sends one Error once', async () => {
    const events = await exceptionsOf(`{
      const error = new Error('outer', { cause: new TypeError('inner') });
      window.ids = [1, 2, 3].map(() => culprit.captureException(error));
      culprit.setTag('plan', 'team'); culprit.setUser({ id: 'u7', email: 'a@b.example' }); culprit.setContext('cart', { items: 2 });
      culprit.captureException(new Error('second'), { tags: { hint: 1 } });
    }`);
    expect(events).toHaveLength(2);
    expect(events[0]?.payload.stack).toMatch(/^Error: outer\n[\s\S]*\nCaused by: TypeError: inner\n +at /);
    expect(new Set((await open?.page.evaluate('ids')) as string[])).toEqual(new Set([events[0]?.event_id]));
    expect(events[1]?.context).toEqual({
      capture_loss: { duplicate: 2 },
      tags: { plan: 'team', hint: '1' },
      user: { id: 'u7' },
      cart: { items: 2 },
    });
  });

  it('drops known noise and counts it, unless it is wanted', async () => {
    const noise = `dispatchEvent(new ErrorEvent('error', { message: 'ResizeObserver loop completed with undelivered notifications.' }));
      { const error = new Error('of an extension'); error.stack = 'Error: of an extension\\n    at f (chrome-extension://abc/x.js:1:2)'; culprit.captureException(error); }
      dispatchEvent(new ErrorEvent('error', { message: 'thrown text', error: 'thrown text', filename: 'moz-extension://abc/y.js' }));
      culprit.captureException(new Error('own'));`;
    const events = await exceptionsOf(noise);
    expect(events.map(({ payload }) => payload.message)).toEqual(['own']);
    expect(await open?.page.evaluate('culprit.getDiagnostics().dropped.noise')).toBe(3);
    lab.endpoint.requests.length = 0;
    expect(await exceptionsOf(noise, 'capture: { noise: true }')).toHaveLength(4);
  });

  it('captures nothing of what is switched off', async () => {
    open = await lab.open('capture: { errors: false, rejections: false, resources: false }');
    await open.page.evaluate(`{ setTimeout(() => { throw new Error('a') }); Promise.reject(new Error('b'));
      document.body.append(Object.assign(new Image(), { src: '/status/404/a.png' })); }`);
    await eventually(() =>
      expect(open?.console.filter((line) => line.startsWith('uncaught'))).toHaveLength(2),
    );
    await open.flush();
    expect(lab.endpoint.events()).toEqual([]);
  });
});

describe('the trail of a page', () => {
  it('has clicks and forms by where they happened, and nothing that was typed or shown', async () => {
    const html = `<form id="sign-in" action="javascript:void 0"><input id="password" name="id" type="password" value="typed-secret">
      <button class="big blue x12 y">shown-secret</button></form><a data-testid="home" href="/?q=link-secret">link-secret</a>`;
    open = await lab.open('', html);
    await open.page.fill('#password', 'typed-secret');
    await open.page.evaluate(
      "document.querySelector('form').addEventListener('submit', (event) => event.preventDefault())",
    );
    await open.page.click('button');
    await open.page.evaluate(
      "document.querySelector('a').addEventListener('click', (event) => event.preventDefault())",
    );
    await open.page.click('a');
    await open.page.evaluate("culprit.captureException(new Error('end'))");
    await open.flush();
    const [event] = lab.endpoint.ofType('frontend_exception');
    expect(event?.payload.breadcrumbs).toMatchObject([
      { breadcrumb_type: 'click', data: { selector: 'html > body > form#sign-in > button.big.blue' } },
      { breadcrumb_type: 'form_submit', data: { form: 'html > body > form#sign-in', field_count: 2 } },
      { breadcrumb_type: 'click', data: { selector: 'html > body > a[data-testid="home"]' } },
    ]);
    const left = lab.endpoint.requests.map(({ body, path }) => path + body).join();
    expect(left).not.toMatch(/typed-secret|shown-secret|link-secret|of-the-page|fragment/);
  });

  it('has changes of the route by path, equal ones ignored, beside code that replaces the prototype later', async () => {
    const trail = await trailOf(
      "const { pushState } = History.prototype; let others = 0; History.prototype.pushState = function (...all) { others += 1; pushState.apply(this, all); }; history.pushState(null, '', '/' + others); if (others !== 1) throw others; history.pushState(null, '', '/cart?x=1'); history.replaceState(null, '', '/cart?x=2'); history.pushState(null, '', '/pay')",
    );
    expect(trail).toMatchObject([
      {
        breadcrumb_type: 'route_change',
        data: { from: expect.stringMatching(/^\/page/), to: '/0' },
      },
      { breadcrumb_type: 'route_change', data: { from: '/0', to: '/cart', route: '/cart' } },
      { breadcrumb_type: 'route_change', data: { from: '/cart', to: '/pay' } },
    ]);
  });

  it('has failed calls of both kinds, and none that succeeded or were given up', async () => {
    const trail = await trailOf(`
      await fetch('/fine'); await fetch('/status/503?q=secret'); await fetch('http://127.0.0.1:1/').catch(() => {});
      const abort = new AbortController(); const given = fetch('/fine', { signal: abort.signal }).catch(() => {}); abort.abort(); await given;
      for (const path of ['/fine', '/status/404']) await new Promise((done) => {
        const xhr = new XMLHttpRequest(); xhr.open('put', path); xhr.onloadend = done; xhr.send();
      });`);
    expect(trail.map(({ data }) => data)).toMatchObject([
      { method: 'GET', url: '/status/503', status_code: 503 },
      { method: 'GET', url: 'http://127.0.0.1:1/', status_code: 0, failure_kind: 'network_error' },
      { method: 'PUT', url: '/status/404', status_code: 404 },
    ]);
  });

  it('keeps the latest 30, takes those of the host and lets it change them', async () => {
    const trail = await trailOf(
      "for (let i = 0; i < 40; i++) culprit.addBreadcrumb({ category: 'step', message: 'n' + i })",
      "beforeBreadcrumb: (crumb) => crumb.message === 'n39' ? null : crumb",
    );
    expect(trail).toHaveLength(30);
    expect(trail.at(-1)).toMatchObject({ breadcrumb_type: 'step', data: { message: 'n38' } });
  });
});

describe('failed calls of the own system', () => {
  it('are request events where the policy wants them, calls of others never', async () => {
    open = await lab.open();
    await open.page.evaluate(`(async () => { for (const path of ['/status/503', '/status/404', '/fine', '${lab.other.origin}/status/503'])
      await fetch(path); })()`);
    await open.flush();
    await eventually(() => expect(lab.endpoint.ofType('request_event')).toHaveLength(1));
    const [failed] = lab.endpoint.ofType('request_event');
    const asked = lab.site.requests.find(({ url }) => url === '/status/503');
    expect(asked?.headers['x-request-id']).toEqual(expect.any(String));
    expect(failed?.correlation).toMatchObject({ request_id: asked?.headers['x-request-id'] });
    expect(failed?.payload).toMatchObject({
      method: 'GET',
      path: '/status/503',
      response_status: 503,
      duration_ms: expect.any(Number),
    });
    expect(await open.page.evaluate('culprit.getDiagnostics().dropped.policy')).toBeGreaterThan(0);
  });
});
