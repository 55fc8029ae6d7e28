import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/test/support/eventually.ts';
import { type OpenPage, openPageLab, type PageLab, TOKEN } from './support/page-lab.ts';

/** What the options of a page and the calls on its scopes do: docs/contract/clients.md 2, C-05, C-06, C-25, C-44. */

let lab: PageLab;
let open: OpenPage | undefined;

const policy = (changes: object = {}) => ({
  status: 200,
  body: {
    capture_policy: {
      preset: 'investigative',
      capture_logs: 'info',
      capture_request_events: 'all',
      capture_breadcrumbs: 'standalone',
      capture_probe_events: 'standalone_when_activated',
      immediate_client_error_statuses: [],
      immediate_client_error_path_rules: [],
      ...changes,
    },
  },
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
});

/** Opens a page, runs a script in it, and waits until nothing waits any more. */
async function run(script: string, init = ''): Promise<void> {
  open = await lab.open(init);
  await open.page.evaluate(script);
  await open.flush();
}

const exceptions = () => lab.endpoint.ofType('frontend_exception');
const messages = () => exceptions().map(({ payload }) => payload.message);
const diagnostics = async () =>
  (await open?.page.evaluate('culprit.getDiagnostics()')) as Record<string, unknown> & {
    dropped: Record<string, number>;
  };
const decided = () =>
  eventually(async () => expect(await diagnostics()).toMatchObject({ policyPreset: 'investigative' }));

describe('the address', () => {
  it.each([
    ["token: T, endpoint: 'O'", '/v1/events'],
    ["token: T, endpoint: 'O/v1'", '/v1/events'],
    ["token: T, endpoint: 'O/x/v1/events'", '/x/v1/events'],
    ["dsn: 'http://' + T + '@O/x'", '/x/v1/events'],
  ])('of { %s } ends in %s, and the configuration is asked beside it', async (options, path) => {
    open = await lab.open(null);
    const host = options.includes('@O') ? lab.endpoint.origin.replace('http://', '') : lab.endpoint.origin;
    const given = options.replace('O', host).replace('T', `'${TOKEN}'`).replace('+ T', `+ '${TOKEN}'`);
    await open.page.evaluate(`culprit.init({ ${given} }); culprit.captureException(new Error('sent'))`);
    await open.flush();
    await eventually(() => expect(lab.endpoint.requests).toHaveLength(2));
    expect(new Set(lab.endpoint.requests.map((request) => request.path))).toEqual(
      new Set([path, path.replace('/events', '/sdk/config')]),
    );
    for (const { headers } of lab.endpoint.requests) expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
  });
});

describe('beforeSend', () => {
  it.each([
    ['event.payload.message === "kept" ? event : null', ['kept']],
    ['{ throw new Error("of the host") }', ['kept', 'other']],
    ['"rubbish"', ['kept', 'other']],
    ['({ ...event, event_type: "log_event" })', ['kept', 'other']],
    ['(event.event_id = "x", event.payload.message += "!", event)', ['kept!', 'other!']],
  ])('that returns %s lets %j leave', async (body, expected) => {
    await run(
      "culprit.captureException(new Error('kept')); culprit.captureException(new Error('other'))",
      `beforeSend: (event) => ${body}`,
    );
    expect(messages()).toEqual(expected);
    expect(exceptions().every(({ event_id }) => event_id !== 'x')).toBe(true);
    expect((await diagnostics()).dropped.filtered).toBe(2 - expected.length);
  });

  it('adds nothing that is not cleaned again', async () => {
    await run(
      "culprit.captureException(new Error('x'))",
      "beforeSend: (event) => { event.context.added = { password: 'of-the-host', at: new Date(0) }; return event }",
    );
    expect(exceptions()[0]?.context.added).toEqual({
      password: '[REDACTED]',
      at: '1970-01-01T00:00:00.000Z',
    });
  });
});

describe('errors that are ignored', () => {
  const three = `for (const [name, file] of [['first', 'a.example/x.js'], ['second', 'b.example/y.js'], ['third', 'c.example/z.js']]) {
    const error = new TypeError(name); error.stack = 'TypeError: ' + name + '\\n    at f (https://' + file + ':1:2)'; culprit.captureException(error); }`;
  it.each([
    ["ignoreErrors: ['TypeError: fir', /^TypeError: th/]", ['second']],
    ["denyUrls: ['b.example']", ['first', 'third']],
    ['allowUrls: [/^https:..c[.]example/]', ['third']],
    ["allowUrls: ['example'], denyUrls: [/x.js$/]", ['second', 'third']],
  ])('by %s are counted', async (init, expected) => {
    await run(three, init);
    expect(messages()).toEqual(expected);
    expect((await diagnostics()).dropped.filtered).toBe(3 - expected.length);
  });
});

describe('secrets', () => {
  it('that are planted anywhere leave a page in no byte', async () => {
    const planted = {
      password: 'plain-0001',
      bearer: 'Bearer abcdefgh.ijklmnop-0002',
      basic: `Basic ${Buffer.from('user:secret-0003').toString('base64')}`,
      jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMDA0In0.c2lnbmF0dXJlLTAwMDQ',
      token: `svc_proj_${'q'.repeat(43)}`,
      card: '4111 1111 1111 1111',
      address: 'https://user:pass-0005@host.example/x?access_token=query-0006',
      mail: 'someone@private.example',
      own: 'ticket-0007',
    };
    await run(
      `{ const planted = ${JSON.stringify(planted)}; const all = Object.values(planted).slice(1).join(' ');
        culprit.addBreadcrumb({ type: 'step', message: all, data: planted });
        culprit.setTag('tag', all); culprit.setContext('planted', { ...planted, deep: [{ apiKey: 'plain-0001' }] });
        culprit.setUser({ id: 'u1', email: planted.mail });
        culprit.probe('planted', planted);
        culprit.currentScope().setRequestBody(planted); culprit.currentScope().setResponse({ headers: { 'set-cookie': 'plain-0001' }, body: all });
        culprit.captureMessage('a line ' + all, 'error', { ...planted, error: new Error(all) });
        const error = new Error(all); error.stack = 'Error: ' + all + '\\n    at f (https://a.example/x.js?token=query-0006:1:2)';
        culprit.captureException(Object.assign(error, { planted, cause: new TypeError(all) }), { context: { hint: planted } });
        Promise.reject(planted); setTimeout(() => { throw { ...planted } }); }`,
      "redactValues: ['email', /ticket-\\d+/], redactKeys: ['plainly']",
    );
    await eventually(async () => {
      await open?.flush();
      expect(exceptions()).toHaveLength(3);
      expect(lab.endpoint.ofType('log_event')).toHaveLength(1);
    });
    const left = lab.endpoint.requests.map(({ body, path }) => path + body).join('\n');
    for (const secret of [
      /plain-0001/,
      /ijklmnop-0002/,
      new RegExp(planted.basic.slice(6)),
      /eyJzdWIiOiIwMDA0In0/,
      /q{43}/,
      /4111 1111/,
      /pass-0005/,
      /query-0006/,
      /private\.example/,
      /ticket-0007/,
    ])
      expect(left).not.toMatch(secret);
    expect(left).toContain('[REDACTED]');
    expect(open?.console.join()).not.toMatch(/plain-0001|0002/);
  });
});

describe('a scope', () => {
  it('names the route by its template, and takes what was sent and answered', async () => {
    await run(
      `culprit.withScope((scope) => {
        scope.setRoute('/orders/:id'); scope.setRequestBody({ total: 7, password: 'p' });
        scope.setResponse({ headers: { server: 'nginx' }, body: 'out of stock' });
        culprit.captureException(new Error('inside'));
      });
      culprit.captureException(new Error('outside'), { request: { body: 'of the hint' }, verification: true });`,
    );
    const [inside, outside] = exceptions();
    expect(inside).toMatchObject({
      payload: { route: '/orders/:id' },
      context: {
        request: { body: { total: 7, password: '[REDACTED]' } },
        response: { headers: { server: 'nginx' }, body: 'out of stock' },
      },
    });
    expect(outside).toMatchObject({
      payload: { route: expect.stringMatching(/^\/page-\d+$/) },
      context: { request: { body: 'of the hint' }, verification: true, verification_type: 'setup' },
    });
    expect(outside?.context).not.toHaveProperty('response');
  });
});

describe('a message', () => {
  it('is a log event from the level on that is asked for', async () => {
    lab.endpoint.config = policy();
    await run(
      `culprit.captureMessage('too low'); culprit.captureMessage('low', 'notice');
       window.ids = [culprit.captureMessage('warned', 'warn', { attempt: 2 }), culprit.captureLog('failed', 'fatal')]`,
    );
    expect(lab.endpoint.ofType('log_event')).toMatchObject([
      { payload: { level: 'warning', message: 'warned', attributes: { attempt: 2 } } },
      { payload: { level: 'fatal', message: 'failed' } },
    ]);
    expect(await open?.page.evaluate('ids')).toEqual(
      lab.endpoint.ofType('log_event').map(({ event_id }) => event_id),
    );
  });
});

describe('a share of the traffic', () => {
  it.each(['sampleRate: 0', 'sessionSampleRate: 0'])('by %s loses context and no failure', async (init) => {
    lab.endpoint.config = policy();
    open = await lab.open(`logLevel: 'info', ${init}`);
    await decided();
    await open.page.evaluate(
      "culprit.captureLog('context', 'info'); culprit.captureLog('signal', 'error'); culprit.captureException(new Error('failure'))",
    );
    await open.flush();
    expect(messages()).toEqual(['failure']);
    expect(lab.endpoint.ofType('log_event').map(({ payload }) => payload.message)).toEqual(['signal']);
    expect((await diagnostics()).dropped.sampled).toBe(1);
  });

  it('of a page is 100 context events; the 101st is counted, an exception after it is sent', async () => {
    lab.endpoint.config = policy();
    open = await lab.open(
      "logLevel: 'info', maxBufferedEvents: 300, capture: { standaloneBreadcrumbs: true }",
    );
    await decided();
    await open.page.evaluate(`{
      for (let i = 0; i < 50; i++) culprit.captureLog('line ' + i, ['info', 'warning'][i % 2]);
      for (let i = 0; i < 51; i++) culprit.addBreadcrumb({ type: 'step', message: 'step ' + i });
      culprit.captureException(new Error('after all')); }`);
    await open.flush();
    const { dropped } = await diagnostics();
    const held = lab.endpoint
      .ofType('error_suppressed')
      .reduce((sum, { payload }) => sum + Number(payload.suppressed_count), 0);
    const context = lab.endpoint.events().length - 1 - lab.endpoint.ofType('error_suppressed').length;
    expect({ sampled: dropped.sampled, kept: context + held }).toEqual({ sampled: 1, kept: 100 });
    expect(messages()).toEqual(['after all']);
  });

  it('of an address that the host sends to itself is taken by its own transport', async () => {
    await run(
      "culprit.captureException(new Error('own way'))",
      'transport: async (batch) => { window.batch = batch; return { status: 202, body: JSON.stringify({ accepted: batch.events, rejected: 0, errors: [] }) } }',
    );
    expect(exceptions()).toEqual([]);
    expect(await diagnostics()).toMatchObject({ sent: 1, waiting: 0 });
    expect(await open?.page.evaluate('[batch.events, batch.headers.authorization, batch.body]')).toEqual([
      1,
      `Bearer ${TOKEN}`,
      expect.stringContaining('own way'),
    ]);
  });
});
