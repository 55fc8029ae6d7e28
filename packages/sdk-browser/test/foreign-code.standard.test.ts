import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/test/support/eventually.ts';
import { type OpenPage, openPageLab, type PageLab, TOKEN } from './support/page-lab.ts';

/** The library in pages whose own code, or that of others, changes what it stands on: docs/contract/clients.md 5.2. */

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

describe('a Request of another frame', () => {
  it('is sent with the headers that it has, and those of the trace', async () => {
    open = await lab.open('', '<iframe src="about:blank"></iframe>');
    await open.page.evaluate(`{
      const { Request } = document.querySelector('iframe').contentWindow;
      fetch(new Request('${lab.site.origin}/foreign', {
        method: 'PUT', headers: { authorization: 'Bearer of-the-page' }, body: 'x' })); }`);
    const call = await eventually(async () => {
      const found = lab.site.requests.find(({ url }) => url === '/foreign');
      expect(found).toBeDefined();
      return found;
    });
    expect(call).toMatchObject({
      method: 'PUT',
      body: 'x',
      headers: {
        authorization: 'Bearer of-the-page',
        'x-service-trace-id': await open.page.evaluate('culprit.getTraceId()'),
      },
    });
  });
});

describe('an object of an address, which libraries let clone itself', () => {
  it('is the address that it says, so that another site gets no header', async () => {
    open = await lab.open('');
    await open.page.evaluate(
      `fetch({ toString: () => '${lab.other.origin}/away', clone() {} }).catch(() => {})`,
    );
    const call = await eventually(async () => {
      const found = lab.other.requests.find(({ url }) => url === '/away');
      expect(found).toBeDefined();
      return found;
    });
    expect(call).toMatchObject({ method: 'GET' });
    expect(Object.keys(call?.headers ?? {}).filter((name) => name.includes('trace'))).toEqual([]);
  });
});

describe('a page with a library that gives lists a toJSON, and every object a member', () => {
  it('sends exceptions in the form of the contract, also through beforeSend', async () => {
    const before = `
      Array.prototype.toJSON = function () { return '[' + this.map((each) => JSON.stringify(each)) + ']'; };
      Object.prototype.extend = function () { window.wasCalled = true; };`;
    open = await lab.open(
      'beforeSend: (event) => event, initialScope: { tags: { plan: "solo" } }',
      '',
      before,
    );
    await open.page.evaluate(`
      culprit.addBreadcrumb({ type: 'step', message: 'one' });
      culprit.captureException(new RangeError('polluted'), { context: { cart: ['tea', ['cup']] } });`);
    await open.flush();
    expect(exceptions()[0]).toMatchObject({
      payload: { message: 'polluted', breadcrumbs: [{ breadcrumb_type: 'step' }] },
      context: { cart: ['tea', ['cup']], tags: { plan: 'solo' } },
    });
    expect(JSON.stringify(exceptions()[0])).not.toContain('extend');
    expect(await open.page.evaluate('window.wasCalled')).toBeUndefined();
    expect(open.console.filter((line) => line.startsWith('uncaught'))).toEqual([]);
  });
});

describe('a frame without an origin', () => {
  it('sends its failures, and its calls to the site around it stay without headers', async () => {
    const inner = `<script src="${lab.site.origin}/culprit.js"></script><script>
      culprit.init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}' });
      fetch('/around').then(() => { throw new Error('in a sandbox'); });</script>`;
    open = await lab.open(
      null,
      `<iframe sandbox="allow-scripts" srcdoc="${inner.replaceAll('"', '&quot;')}"></iframe>`,
    );
    await eventually(async () => expect(exceptions()[0]?.payload.message).toBe('in a sandbox'));
    const calls = lab.site.requests.filter(({ url }) => url === '/around');
    expect(calls.map(({ method }) => method)).toEqual(['GET']);
    expect(calls[0]?.headers).not.toHaveProperty('x-service-trace-id');
  });
});

describe('a page that trusts no text as code', () => {
  it('loses nothing, and its policy has nothing to report', async () => {
    const policy = `require-trusted-types-for 'script'; trusted-types 'none'`;
    const start = `culprit.init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}',
      integrations: [culprit.consoleCapture(), culprit.webVitals()] }); culprit.probe('cart', () => ({ items: 2 }));`;
    const html = `<!doctype html><script src="/culprit.js"></script><script>
      addEventListener('securitypolicyviolation', ({ violatedDirective }) => (window.violated = violatedDirective));
      ${start} setTimeout(() => { throw new Error('trusted'); });</script>`;
    lab.site.serve('/trusted', 'text/html', html, { 'content-security-policy': policy });
    open = await lab.open(null);
    await open.page.goto(`${lab.site.origin}/trusted`);
    await eventually(async () => expect(exceptions()[0]?.payload.message).toBe('trusted'));
    expect(exceptions()[0]?.payload.probe_data).toMatchObject({ items: [{ data: { items: 2 } }] });
    expect(await open.page.evaluate('window.violated')).toBeUndefined();
  });
});
