import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/test/support/eventually.ts';
import { type OpenPage, openPageLab, type PageLab } from './support/page-lab.ts';

/** Calls of the page stay what they are: docs/contract/clients.md 5.2, 6.2, C-20 to C-22, C-37. */

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

async function evaluate(script: string, init = '', before = ''): Promise<unknown> {
  open = await lab.open(init, '', before);
  lab.site.requests.length = 0;
  return await open.page.evaluate(script);
}

/** Trace headers that arrived at an origin, by path. */
function traceHeaders(requests: PageLab['site']['requests']): Record<string, unknown> {
  return Object.fromEntries(
    requests
      .filter(({ method }) => method !== 'OPTIONS')
      .map(({ url, headers }) => [url, headers['x-service-trace-id']]),
  );
}

describe('fetch with the library', () => {
  it('has its name and length, and the promise of the browser', async () => {
    expect(
      await evaluate(
        "[fetch.name, fetch.length, fetch('/') instanceof Promise, XMLHttpRequest.prototype.open.length]",
      ),
    ).toEqual(['fetch', 1, true, 2]);
  });

  it('takes Request and URL objects, streams bodies, and answers aborts and bad integrity as before', async () => {
    lab.site.serve('/echo', 'text/plain', 'first second');
    const result = await evaluate(`(async () => {
      const abort = new AbortController();
      const aborted = fetch('/echo', { signal: abort.signal }).catch((error) => error.name);
      abort.abort();
      const request = new Request('/echo', { method: 'POST', body: 'sent', headers: { 'x-own': '1' }, referrerPolicy: 'no-referrer' });
      const reader = (await fetch(request)).body.getReader();
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) text += new TextDecoder().decode(part.value);
      return [
        await aborted, text, request.bodyUsed,
        await (await fetch(new URL('/echo', location.href), { keepalive: true })).text(),
        await fetch('/echo', { integrity: 'sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }).catch((error) => error.name),
        await fetch('http://127.0.0.1:1/').catch((error) => [error.name, error.message]),
        await fetch('http://[').catch((error) => error.name),
        await Promise.race([fetch('/echo', { body: new ReadableStream(), method: 'POST', duplex: 'half' }).catch(() => 'refused'), new Promise((done) => setTimeout(done, 50, 'waits'))]),
      ];
    })()`);
    expect(result).toEqual([
      'AbortError',
      'first second',
      true,
      'first second',
      'TypeError',
      ['TypeError', 'Failed to fetch'],
      'TypeError',
      expect.stringMatching(/waits|refused/),
    ]);
    const posted = lab.site.requests.find(({ body }) => body === 'sent');
    expect(posted?.headers).toMatchObject({ 'x-own': '1', 'x-service-trace-id': expect.any(String) });
    expect(posted?.headers).not.toHaveProperty('referer');
  });

  it('still ends in an unhandled rejection, once, when nobody awaits a call that fails', async () => {
    const events = await evaluate(`new Promise((done) => {
      const events = [];
      addEventListener('unhandledrejection', (event) => events.push(String(event.reason)));
      fetch('http://127.0.0.1:1/');
      fetch('http://127.0.0.1:1/').catch(() => {});
      setTimeout(done, 300, events);
    })`);
    expect(events).toEqual(['TypeError: Failed to fetch']);
    await open?.flush();
    expect(lab.endpoint.ofType('frontend_exception')).toHaveLength(1);
  });

  it('calls a function of another library once, in whatever order they wrap and end', async () => {
    const wrapTwice = `
      window.calls = [];
      const wrap = (name) => { const inner = window.fetch; const own = function (...args) { calls.push(name); return inner.apply(this, args); }; window.fetch = own; return () => { if (window.fetch === own) window.fetch = inner; }; };`;
    const result = await evaluate(
      `(async () => {
        ${wrapTwice}
        const native = window.firstFetch;
        const seen = [];
        const look = async () => { calls.length = 0; await fetch('/'); seen.push([calls.join(), fetch === native]); };
        const undo = wrap('after');
        await look();
        await culprit.close(10); await look();
        undo(); await look();
        culprit.init({ token: '${'svc_proj_'}${'t'.repeat(43)}', endpoint: '${lab.endpoint.origin}' });
        await look(); await culprit.close(10); await look();
        return seen;
      })()`,
      '',
      'window.firstFetch = fetch',
    );
    expect(result).toEqual([
      ['after', false],
      ['after', false],
      ['', false],
      ['', false],
      ['', false],
    ]);
    expect(lab.site.requests).toHaveLength(5);
  });

  it('puts everything back when the library ends', async () => {
    const isBack = await evaluate(
      `culprit.close(10).then(() => [fetch === originals[0], XMLHttpRequest.prototype.send === originals[1], history.pushState === originals[2]])`,
      '',
      'window.originals = [fetch, XMLHttpRequest.prototype.send, history.pushState]',
    );
    expect(isBack).toEqual([true, true, true]);
  });
});

describe('the trace id', () => {
  it('goes to the own origin and to targets, and nowhere else, without a preflight there', async () => {
    const target = lab.endpoint.origin;
    const trace = await evaluate(
      `(async () => {
        await fetch('/own'); await fetch('${lab.other.origin}/other?${target}');
        await fetch('/kept', { headers: { 'X-Service-Trace-Id': 'own' } });
        await fetch('/opaque', { mode: 'no-cors' });
        await new Promise((done) => { const xhr = new XMLHttpRequest(); xhr.open('GET', '/xhr'); xhr.onloadend = done; xhr.send(); });
        await new Promise((done) => { const xhr = new XMLHttpRequest(); xhr.open('GET', '/xhr-kept'); xhr.setRequestHeader('x-service-trace-id', 'own'); xhr.onloadend = done; xhr.send(); });
        return [culprit.getTraceId(), culprit.traceHeaders('${target}/a'), culprit.traceHeaders('${lab.other.origin}/${target}')];
      })()`,
      `tracePropagationTargets: ['${target}', /^https:\\/\\/nobody\\.example\\/api/]`,
    );
    const [id, toTarget, toOther] = trace as [string, object, object];
    expect(traceHeaders(lab.site.requests)).toEqual({
      '/own': id,
      '/kept': 'own',
      '/opaque': undefined,
      '/xhr': id,
      '/xhr-kept': 'own',
    });
    expect(traceHeaders(lab.other.requests)).toEqual({ [`/other?${target}`]: undefined });
    expect(lab.other.requests.map(({ method }) => method)).toEqual(['GET']);
    expect([toTarget, toOther]).toEqual([{ 'x-service-trace-id': id }, {}]);
  });

  it('goes with an id of the call, which stands in its event, to the own origin alone', async () => {
    await evaluate(
      `(async () => {
        await fetch('/missing-a').catch(() => {});
        await fetch('/missing-b', { headers: { 'X-Request-Id': 'own' } });
        await fetch('${lab.other.origin}/c').catch(() => {});
        await new Promise((done) => {
          const xhr = new XMLHttpRequest();
          xhr.onloadend = done;
          xhr.open('GET', '/missing-d');
          xhr.send();
        });
      })()`,
      `tracePropagationTargets: ['${lab.other.origin}']`,
    );
    await open?.flush();
    const arrived = [...lab.site.requests, ...lab.other.requests].filter(({ method }) => method === 'GET');
    const ids = Object.fromEntries(arrived.map(({ url, headers }) => [url, headers['x-request-id']]));
    expect(ids).toMatchObject({
      '/missing-a': expect.stringMatching(/^[\da-f-]{36}$/),
      '/missing-b': 'own',
      '/missing-d': expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(ids['/missing-a']).not.toBe(ids['/missing-d']);
    expect(ids['/c']).toBeUndefined();
  });

  it('is sent as traceparent where that is asked for', async () => {
    const headers = await evaluate("culprit.traceHeaders('/x')", "traceHeaders: ['traceparent']");
    expect(headers).toEqual({ traceparent: expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/) });
  });
});

describe('requests of the library itself', () => {
  it('appear in no trail and no event, also when they fail', async () => {
    lab.endpoint.answer({ status: 503 }, { status: 503 });
    await evaluate("culprit.captureException(new Error('first'))");
    await open?.page.evaluate('culprit.flush(50)');
    await open?.page.evaluate("culprit.captureException(new Error('second'))");
    await eventually(async () => {
      await open?.flush();
      const last = lab.endpoint.ofType('frontend_exception').at(-1);
      expect(last?.payload).toMatchObject({ message: 'second', breadcrumbs: [] });
      expect(await open?.page.evaluate('culprit.getDiagnostics().waiting')).toBe(0);
    });
    expect(lab.endpoint.ofType('request_event')).toEqual([]);
  });
});
