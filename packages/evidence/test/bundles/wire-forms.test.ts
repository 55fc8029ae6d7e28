import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import type { BundleEvidence } from '../../src/bundles/evidence/bundle-evidence.ts';
import { redactHeaders, redactTrace } from '../../src/bundles/evidence/redact-evidence.ts';
import type { JsonObject, JsonValue } from '../../src/events/envelope/json.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { wireForm } from '../events/wire-forms.ts';
import { evidenceOf, exception, request, requestEvent } from './build-evidence.ts';

function bundleOf(raw: JsonObject, fields: Partial<BundleEvidence> = {}): DebugBundle {
  const event = normalizeEvent(raw, { eventId: 'evt_1', receivedAtMs: Date.UTC(2026, 2, 24, 10, 30) });
  return assembleBundle(evidenceOf(event, fields));
}

describe('an exception outside of any request', () => {
  it.each([
    ['node-server', 'background_job'],
    ['php-server', 'command_line'],
  ] as const)('has neither request nor response: %s %s', (kind, name) => {
    const bundle = bundleOf(wireForm(kind, name));
    const without = bundleOf(wireForm(kind, name, { request: null, response: null }));
    expect(bundle.context).toMatchObject({ request: null, response: null });
    expect(bundle.summary).toEqual(without.summary);
    expect(bundle.summary.description).not.toContain('while handling');
    expect(bundle.reproduction).toMatchObject({ possible: false, reason: 'no_request_context' });
  });

  it('keeps what a library knows beside the placeholders', () => {
    const placed = { method: 'unknown', path: '/orders', query: {}, headers: {}, body: null };
    const { context, summary } = bundleOf(wireForm('node-server', 'background_job', { request: placed }));
    expect(context.request).toMatchObject({ method: null, path: '/orders' });
    expect(summary.description).toContain(' while handling /orders;');
    const root = { ...placed, method: 'GET', path: '/' };
    const answered = { response: { status_code: 500 }, request: root };
    expect(bundleOf(wireForm('node-server', 'background_job', answered)).context).toMatchObject({
      request: { method: 'GET', path: '/' },
      response: { status_code: 500 },
    });
  });

  it('takes the request that another event of its trace brings', () => {
    const atMs = Date.UTC(2026, 2, 24, 10, 29, 59);
    const placeholder = requestEvent(
      { method: 'UNKNOWN', path: '/' },
      { statusCode: 0 },
      { effectiveAtMs: atMs },
    );
    const real = requestEvent({ path: '/report' }, { statusCode: 500 }, { effectiveAtMs: atMs - 1_000 });
    const correlated = [placeholder, real].map((event) => ({ event, relation: 'trace' as const }));
    const { context } = bundleOf(wireForm('node-server', 'background_job'), { correlated });
    expect(context.request).toMatchObject({ path: '/report' });
  });
});

describe('an error passed to a logger', () => {
  it('fills the error block and the chain', () => {
    const bundle = bundleOf(wireForm('node-server', 'error_passed_to_logger'));
    expect(bundle.context.error).toMatchObject({
      name: 'PaymentError',
      message: 'card declined',
      handled: true,
      top_frames: ['payments/charge.js:42', 'src/checkout.js:18', 'http/routes.js:77'],
    });
    expect(bundle.context.error?.stack).toContain('at charge (/app/src/payments/charge.js:42:11)');
    expect(bundle.summary.first_application_frame).toEqual({
      file: '/app/src/payments/charge.js',
      line: 42,
      function: 'charge',
    });
    expect(bundle.signal.signal_type).toBe('exception');
  });

  it('keeps its stack beside a large argument', () => {
    const form = wireForm('node-server', 'error_passed_to_logger');
    const { attributes } = form.payload as { attributes: JsonObject };
    const large = { arg_0: { rows: Array.from({ length: 190 }, () => 'x'.repeat(1_000)) } };
    const noisy = wireForm('node-server', 'error_passed_to_logger', {
      attributes: { ...attributes, ...large },
    });
    expect(bundleOf(noisy).context.error).toEqual(bundleOf(form).context.error);
  });

  it('shows causes that came in the context', () => {
    const { context } = bundleOf(wireForm('node-server', 'causes_in_context'));
    expect(context.error_chain?.items).toMatchObject([
      { type: 'CheckoutError' },
      {
        type: 'PaymentError',
        message: 'card declined',
        top_frames: expect.arrayContaining(['src/checkout.js:18']),
      },
      { type: 'SocketError', top_frames: ['net/dial.js:3'] },
    ]);
  });
});

describe('addresses in headers and traces', () => {
  it('lose their query in the header and in every form of the request', () => {
    const bundle = bundleOf(wireForm('node-server', 'get_with_empty_body'));
    expect(JSON.stringify(bundle)).not.toContain('SECRET');
    const headers = {
      origin: 'https://shop.example/',
      referer: 'https://shop.example/reset',
      'x-original-url': '/orders',
    };
    expect(bundle.context.request?.headers).toMatchObject(headers);
    expect(bundle.context.response?.headers).toEqual({
      Location: '/login',
      link: '<https://shop.example/orders>; rel="next"',
    });
    const { curl, httpie, json_spec } = bundle.reproduction.artifacts ?? {};
    expect(json_spec?.headers).toMatchObject(headers);
    for (const [name, value] of Object.entries(headers)) {
      expect(curl).toContain(`'${name}: ${value}'`);
      expect(httpie).toContain(`'${name}:${value}'`);
    }
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['Referer', 'https://a.example/x?code=1', 'https://a.example/x'],
    ['REFERRER', '/cart?coupon=1', '/cart'],
    ['Location', ['/a?b=1', 'https://u:p@h.example/a?b:12:3'], ['/a', 'https://h.example/a']],
    ['Content-Location', 'a?b', 'a'],
    ['X-Forwarded-Uri', '/a?b#c', '/a'],
    ['X-Rewrite-URL', '/a#c?b', '/a'],
    ['HX-Current-URL', 'https://a.example/?q=1', 'https://a.example/'],
    ['Refresh', '5; url=/login?ticket=1', '5; url=/login'],
    ['Access-Control-Allow-Origin', 'https://a.example?x=1', 'https://a.example'],
    [':path', '/a?b=1', '/a'],
    ['x-callback', 'see https://a.example/cb?token=1:10:5 then', 'see https://a.example/cb then'],
    ['x-question', 'why? because', 'why? because'],
    ['x-number', 7, 7],
  ])('%s: %j', (name, value, expected) => {
    expect({ ...redactHeaders({ [name]: value }) }).toEqual({ [name]: expected });
  });

  it('lose it in a context of the application, too', () => {
    const context = { request_headers: { referer: '/reset?code=SECRET' }, note: 'ready?' };
    const bundle = bundleOf({ ...wireForm('node-server', 'background_job'), context });
    expect(bundle.context.custom?.context).toEqual({
      request_headers: { referer: '/reset' },
      note: 'ready?',
    });
  });

  it.each<[JsonValue, JsonValue]>([
    ['at f (https://a.example/x.js?v=1:10:5)', 'at f (https://a.example/x.js:10:5)'],
    ['f@/x.js?key=1:10:5', 'f@/x.js:10:5'],
    [
      ['at g (x.js?a=b)', 'at Cart.#pay (x.js:1:2)'],
      ['at g (x.js)', 'at Cart.#pay (x.js:1:2)'],
    ],
    [[{ function: 'f', file: '/x.js?key=1', line: 3 }], [{ function: 'f', file: '/x.js', line: 3 }]],
    [null, null],
  ])('of a trace: %j', (trace, expected) => {
    expect(JSON.parse(JSON.stringify(redactTrace(trace)))).toEqual(expected);
  });
});

describe('the document as published clients read it', () => {
  const { context, reproduction } = bundleOf(wireForm('browser-page', 'page_trail'));

  it('has a system of the device, an origin of each route change and an empty message', () => {
    expect(context.device?.os).toEqual({ name: null, version: null });
    expect(context.frontend?.route_changes.map(({ from, to }) => [from, to])).toEqual([
      ['unknown', '/cart'],
      ['/cart', '/pay'],
    ]);
    expect(context.error?.message).toBe('');
  });

  it('has no query value of a request or its trace', () => {
    expect(JSON.stringify(context.frontend)).not.toContain('SECRET');
    expect(context.frontend?.network_requests).toMatchObject([
      {
        caller_trace: [
          'at fetchPay (https://shop.example/assets/pay.js:10:5)',
          'submit@/assets/checkout.js:4:11',
        ],
        response_headers: { location: 'https://shop.example/retry' },
      },
    ]);
    expect(JSON.stringify(reproduction)).not.toContain('SECRET');
  });
});

describe('a request that has no body by its method', () => {
  it.each(['GET', 'HEAD'])('%s is replayed without one', (method) => {
    const { artifacts, confidence } = assembleBundle(
      evidenceOf(exception({ request: request({ method, body: { page: 1 } }) })),
    ).reproduction;
    expect(artifacts?.curl).not.toContain('--data');
    expect(artifacts?.httpie).toMatch(/^http --ignore-stdin /);
    expect(artifacts?.json_spec.body).toBeNull();
    expect(confidence).toBe(
      assembleBundle(evidenceOf(exception({ request: request({ method, body: null }) }))).reproduction
        .confidence,
    );
  });

  it('other methods keep theirs', () => {
    const event = exception({ request: request({ method: 'DELETE', body: { all: true } }) });
    expect(assembleBundle(evidenceOf(event)).reproduction.artifacts?.curl).toContain('--data-raw');
  });

  it('a GET of a library that writes an empty body has none', () => {
    const { artifacts } = bundleOf(wireForm('node-server', 'get_with_empty_body')).reproduction;
    expect(artifacts?.curl).toMatch(/^curl -X GET /);
    expect(artifacts?.curl).not.toContain('--data');
  });
});
