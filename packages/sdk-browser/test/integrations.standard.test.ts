import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/test/support/eventually.ts';
import { bundlePageModules } from './support/page-bundle.ts';
import { type OpenPage, openPageLab, type PageLab, TOKEN } from './support/page-lab.ts';

/** The four integrations, and probes that the service asks for: docs/contract/clients.md 9.2, 9.3, C-41 to C-43. */

const KEY = '0123456789abcdef'.repeat(4);
const ACTIVATION = '550e8400-e29b-41d4-a716-446655440000';

let lab: PageLab;
let open: OpenPage | undefined;

const config = (more: object = {}) => ({
  status: 200,
  body: {
    capture_policy: {
      preset: 'investigative',
      capture_logs: 'info',
      capture_request_events: 'failures_only',
      capture_breadcrumbs: 'exception_only',
      capture_probe_events: 'standalone_when_activated',
      immediate_client_error_statuses: [],
      immediate_client_error_path_rules: [],
    },
    trigger_token_key: KEY,
    ...more,
  },
});
const directive = (expiresAt: string) => ({
  activation_id: ACTIVATION,
  label_pattern: 'cart.*',
  service: '*',
  environment: '*',
  expires_at: expiresAt,
});

beforeAll(async () => {
  lab = await openPageLab();
}, 120_000);
afterAll(() => lab?.close());
afterEach(async () => {
  await open?.context.close();
  open = undefined;
  lab.endpoint.config = { status: 503, body: {} };
  lab.endpoint.requests.length = 0;
  lab.site.requests.length = 0;
});

const messages = () => lab.endpoint.ofType('frontend_exception').map(({ payload }) => payload.message);
const decided = () =>
  eventually(async () =>
    expect(await open?.page.evaluate('culprit.getDiagnostics().policyPreset')).toBe('investigative'),
  );
const probed = () =>
  eventually(async () => {
    await open?.flush();
    const [event] = lab.endpoint.ofType('probe_event');
    expect(event).toBeDefined();
    return event;
  });

describe('consoleCapture()', () => {
  it('keeps errors and warnings in the trail, and the console as it was', async () => {
    open = await lab.open(
      'integrations: [culprit.consoleCapture()]',
      '',
      'window.originals = [console.error]',
    );
    await open.page.evaluate(`{
      console.error('failed', { password: 'p' }, new Error('why')); console.warn('careful'); console.info('not this');
      culprit.captureException(new Error('end')); }`);
    await open.flush();
    expect(lab.endpoint.ofType('frontend_exception')[0]?.payload.breadcrumbs).toMatchObject([
      {
        breadcrumb_type: 'console_log',
        data: {
          level: 'error',
          message: expect.stringMatching(/^failed \{"password":"\[REDACTED\]"\} .*why/),
        },
      },
      { breadcrumb_type: 'console_log', data: { level: 'warning', message: 'careful', source: 'console' } },
    ]);
    expect(
      open.console.filter((line) => /^(error|warning|info): (failed|careful|not this)/.test(line)),
    ).toHaveLength(3);
    expect(
      await open.page.evaluate(
        'culprit.close(100).then(() => [console.error === originals[0], console.error.name])',
      ),
    ).toEqual([true, 'error']);
  });

  it('does not turn on itself when what is logged logs', async () => {
    open = await lab.open('integrations: [culprit.consoleCapture()]');
    await open.page.evaluate(`{
      console.error(new Proxy({}, { ownKeys() { console.error('from inside'); return []; } }));
      culprit.captureException(new Error('end')); }`);
    await open.flush();
    expect(messages()).toEqual(['end']);
  });
});

describe('webVitals()', () => {
  it('adds what users feel of the page to its exceptions', async () => {
    open = await lab.open('integrations: [culprit.webVitals()]', '<h1>Largest</h1>');
    await eventually(async () => {
      await open?.page.evaluate("culprit.captureException(new Error('slow'))");
      await open?.flush();
      expect(lab.endpoint.ofType('frontend_exception').at(-1)?.context.web_vitals).toMatchObject({
        lcp_ms: expect.any(Number),
        ttfb_ms: expect.any(Number),
      });
    });
  });
});

describe('captureRules()', () => {
  const rule = (action: string, matcher: object, id: string) => ({
    id: `rule_${id}`,
    project_id: 'proj_1',
    action,
    matcher,
    sample_rate: null,
    expires_at: null,
  });
  const rules = [
    rule('demote', { error_name: 'Kept' }, 'a'),
    rule('drop', { message_contains: 'Kept' }, 'b'),
    rule('drop', { fingerprint: 'v1:1', message_contains: 'left to the service' }, 'c'),
    rule('drop', { message_contains: 'known' }, 'd'),
  ];
  const captured = `for (const text of ['known failure', 'unknown to all', 'left to the service, known', 'new'])
    culprit.captureException(new Error(text))`;

  it.each([
    ['with it', 'integrations: [culprit.captureRules()]', ['left to the service, known', 'new'], 2],
    ['without it', '', ['known failure', 'unknown to all', 'left to the service, known', 'new'], 0],
  ])('drops what a rule decides before it is sent: %s', async (_, init, expected, dropped) => {
    lab.endpoint.config = config({ capture_rules: rules });
    open = await lab.open(init);
    await decided();
    await open.page.evaluate(captured);
    await open.flush();
    expect(messages()).toEqual(expected);
    expect(await open.page.evaluate('culprit.getDiagnostics().dropped.rule')).toBe(dropped);
  });
});

describe('a directive', () => {
  it('in the answer to a batch lets the next call of a heavy probe send its value, and expires', async () => {
    lab.endpoint.config = config();
    open = await lab.open();
    await decided();
    const activate = async (expiresAt: string) => {
      lab.endpoint.answer({
        status: 202,
        body: {
          accepted: 1,
          rejected: 0,
          errors: [],
          probe_directives: { active_probes: [directive(expiresAt)] },
        },
      });
      await open?.page.evaluate(`culprit.captureException(new Error('${expiresAt}'))`);
      await open?.flush();
      await open?.page.evaluate(
        "culprit.probe('cart.total', () => ({ total: 7, password: 'p' }), { heavy: true }); culprit.probe('other', () => 1, { heavy: true })",
      );
    };
    await activate('2020-01-01T00:00:00Z');
    await open.flush();
    expect(lab.endpoint.ofType('probe_event')).toEqual([]);
    await activate('2099-01-01T00:00:00Z');
    expect(await open.page.evaluate('culprit.getDiagnostics().activeProbes')).toBe(1);
    expect((await probed())?.payload).toEqual({
      label: 'cart.total',
      data: { total: 7, password: '[REDACTED]' },
      activation_id: `act_${ACTIVATION}`,
      probe_label_pattern: 'cart.*',
    });
    expect(lab.endpoint.ofType('probe_event')).toHaveLength(1);
  });

  it('of the configuration is in force as soon as that is known', async () => {
    lab.endpoint.config = config({ active_probes: [directive('2099-01-01T00:00:00Z')] });
    open = await lab.open();
    await decided();
    await open.page.evaluate("culprit.probe('cart.items', [1, 2])");
    expect((await probed())?.payload).toMatchObject({ label: 'cart.items', data: { value: [1, 2] } });
  });
});

describe('the library as modules', () => {
  it('loads what acts on directives with the first one, and sends what a probe saw before it was there', async () => {
    lab.endpoint.config = config();
    const [entry, ...later] = await bundlePageModules(`
      import { captureException, flush, getDiagnostics, init, probe } from '@culprit/browser';
      window.culprit = { captureException, flush, getDiagnostics, init, probe };
      init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}' });`);
    for (const { fileName, code } of [...(entry ? [entry] : []), ...later])
      lab.site.serve(`/modules/${fileName}`, 'text/javascript', code);
    expect(later).toHaveLength(1);
    const loaded = () =>
      lab.site.requests.filter(({ url }) => url === `/modules/${later[0]?.fileName}`).length;
    open = await lab.open(null, `<script type="module" src="/modules/${entry?.fileName}"></script>`);
    await decided();
    await open.page.evaluate(
      "culprit.probe('cart.total', 1); culprit.captureException(new Error('dormant'))",
    );
    lab.endpoint.answer({
      status: 202,
      body: {
        accepted: 1,
        rejected: 0,
        errors: [],
        probe_directives: { active_probes: [directive('2099-01-01T00:00:00Z')] },
      },
    });
    await open.flush();
    expect(lab.endpoint.ofType('frontend_exception')[0]?.payload.probe_data).toMatchObject({
      items: [{ data: { value: 1 } }],
    });
    expect(loaded()).toBe(0);
    await open.page.evaluate(
      "{ const cart = { total: 2 }; culprit.probe('cart.total', cart); cart.total = 3; }",
    );
    expect((await probed())?.payload).toMatchObject({ label: 'cart.total', data: { total: 2 } });
    expect(loaded()).toBe(1);
  });
});

describe('triggerTokens()', () => {
  const token = (changes: object = {}, prefix = 'svc_probe_') => {
    const { expires_at, ...fields } = directive('2099-01-01T00:00:00Z');
    const text = JSON.stringify({ ...fields, trigger_expires_at: expires_at, ...changes });
    const signed = Buffer.from(text).toString('base64url');
    return `${prefix}${signed}.${createHmac('sha256', KEY).update(signed).digest('base64url')}`;
  };
  /** Opens a page at an address that carries a token, and calls a heavy probe once the policy is known. */
  async function visit(given: string, start = ''): Promise<unknown> {
    lab.endpoint.config = config();
    open = await lab.open(null);
    await open.page.goto(
      `${new URL(open.page.url()).origin}${new URL(open.page.url()).pathname}?kept=1&_debug_probe=${given}#part`,
    );
    const before = await open.page.evaluate('history.length');
    await open.page.evaluate(
      start ||
        `culprit.init({ token: '${TOKEN}', endpoint: '${lab.endpoint.origin}', integrations: [culprit.triggerTokens()] })`,
    );
    expect(await open.page.evaluate('[location.search + location.hash, history.length]')).toEqual([
      '?kept=1#part',
      before,
    ]);
    return before;
  }

  it.each(['svc_probe_', 'dbundle_probe_'])(
    'takes one with %s out of the address bar and wakes the probes of the page',
    async (prefix) => {
      await visit(token({}, prefix));
      await decided();
      await eventually(async () => {
        await open?.page.evaluate("culprit.probe('cart.total', () => 7, { heavy: true })");
        await open?.flush();
        expect(lab.endpoint.ofType('probe_event').length).toBeGreaterThan(0);
      });
      expect(lab.endpoint.ofType('probe_event')[0]?.payload).toMatchObject({
        activation_id: `act_${ACTIVATION}`,
      });
      expect(lab.endpoint.requests.map(({ path, body }) => path + body).join()).not.toContain('_debug_probe');
    },
  );

  it.each([
    ['whose signature is wrong', `${token()}x`],
    ['that has expired', token({ trigger_expires_at: '2020-01-01T00:00:00Z' })],
    ['of another service', token({ service: 'other' })],
    ['that is none', 'svc_probe_%%%'],
  ])('takes one %s out too, and stays silent', async (_, given) => {
    await visit(encodeURIComponent(given));
    await decided();
    await open?.page.evaluate(
      "culprit.probe('cart.total', () => 7, { heavy: true }); culprit.captureException(new Error('end'))",
    );
    await open?.flush();
    expect(messages()).toEqual(['end']);
    expect(lab.endpoint.ofType('probe_event')).toEqual([]);
    expect(open?.console.filter((line) => line.includes('[culprit]') || line.startsWith('uncaught'))).toEqual(
      [],
    );
  });

  it('hands it to a relay of the own origin, whose answer wakes the probes', async () => {
    const given = token();
    lab.site.serve(
      '/culprit/browser',
      'application/json',
      JSON.stringify({
        accepted: 1,
        rejected: 0,
        errors: [],
        probe_directives: { active_probes: [directive('2099-01-01T00:00:00Z')] },
      }),
    );
    await visit(
      given,
      "culprit.init({ integrations: [culprit.triggerTokens()] }); culprit.captureException(new Error('first'))",
    );
    await open?.flush();
    const relayed = () => lab.site.requests.filter(({ url }) => url === '/culprit/browser');
    expect(relayed()[0]?.headers).toMatchObject({ 'x-service-probe-trigger': given });
    expect(relayed()[0]?.headers).not.toHaveProperty('authorization');
    await open?.page.evaluate("culprit.probe('cart.total', () => 7, { heavy: true })");
    await open?.flush();
    expect(relayed()[1]?.body).toContain('"event_type":"probe_event"');
  });
});
