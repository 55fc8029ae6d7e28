import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../src/events/normalize/event.ts';
import {
  breadcrumb,
  browserEvent,
  exception,
  frontendException,
  MOMENT_MS,
  requestEvent,
} from './build-evidence.ts';
import { ofRequest, reproductionOf } from './reproduction-of.ts';

describe('feasibility rules', () => {
  // R1
  it('a resource error of an old script is opaque even with a request in its trail', () => {
    const occurrence = frontendException({
      browserEvent: browserEvent({
        kind: 'resource_error',
        target: { tagName: 'SCRIPT', sourceUrl: 'https://cdn.example.net/a.js', attributes: {} },
      }),
      breadcrumbs: [breadcrumb('network_request', { method: 'GET', url: '/api/cart', status_code: 500 })],
    });
    expect(reproductionOf(occurrence).reason).toBe('opaque_browser_event');
  });

  it.each([
    ['a method outside the list', { method: 'TRACE' }],
    ['no method', { method: null }],
    ['no path', { path: null }],
    ['a relative path', { path: 'api/checkout' }],
    ['a line end in the path', { path: '/a\r\nX-Evil: 1' }],
    ['a terminal command in the path', { path: '/a\u009b31m' }],
    ['a line end in a header value', { headers: { 'x-a': 'b\r\nx-evil: 1' } }],
    ['a line end in a member of a header list', { headers: { 'x-a': ['b', 'c\nd'] } }],
    ['a control character in a header name', { headers: { 'x-\u0007a': 'b' } }],
  ] as [string, Partial<HttpRequest>][])('R2: %s is refused', (_what, fields) => {
    expect(ofRequest({ headers: { host: 'a.example' }, ...fields }).reason).toBe('invalid_request_line');
  });

  // R3
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'get'])('%s replays', (method) => {
    const reproduction = ofRequest({ method, headers: { host: 'a.example' } });
    expect(reproduction).toMatchObject({
      possible: true,
      confidence: 0.9,
      reason: 'request_context_available',
    });
    expect(reproduction.artifacts?.curl).toContain(`-X ${method.toUpperCase()} `);
  });

  it.each([
    ['an absolute path', { path: 'http://shop.example:8080/api' }, 'http://shop.example:8080/api'],
    [
      'an absolute url beside the path',
      { url: 'https://shop.example/api/checkout?x=1' },
      'https://shop.example/api/checkout',
    ],
    ['user-info in the address', { path: 'https://me:pw@shop.example/api' }, 'https://shop.example/api'],
    ['an address without a path', { path: 'https://shop.example' }, 'https://shop.example/'],
    [
      'forwarded headers',
      { headers: { 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Proto': 'http', host: 'inner' } },
      'http://shop.example/api/checkout',
    ],
    [
      'a chain of proxies',
      { headers: { 'x-forwarded-host': 'shop.example, inner' } },
      'https://shop.example/api/checkout',
    ],
    [
      'a host and a scheme nobody knows',
      { headers: { host: 'shop.example', 'x-forwarded-proto': 'gopher' } },
      '/api/checkout',
    ],
    ['an IPv6 host', { headers: { host: '[2001:db8::1]:4800' } }, 'https://[2001:db8::1]:4800/api/checkout'],
    ['a server on this machine', { headers: { host: '[::1]:4800' } }, 'http://[::1]:4800/api/checkout'],
    ['one by its name', { headers: { host: 'localhost:3000' } }, 'http://localhost:3000/api/checkout'],
    [
      'a host that only begins so',
      { headers: { host: 'localhost.test' } },
      'https://localhost.test/api/checkout',
    ],
    [
      'a page of the same host',
      { headers: { host: 'shop.test', origin: 'http://Shop.test' } },
      'http://shop.test/api/checkout',
    ],
    [
      'a page of the same host that was left',
      { headers: { host: 'localhost:3000', referer: 'https://localhost:3000/cart?x=1' } },
      'https://localhost:3000/api/checkout',
    ],
    [
      'a page of another host',
      { headers: { host: 'api.test', origin: 'http://shop.test' } },
      'https://api.test/api/checkout',
    ],
    ['a host with a quote', { headers: { host: "a'; rm -rf ~; '" } }, '/api/checkout'],
    ['no host', {}, '/api/checkout'],
  ] as [string, Partial<HttpRequest>, string][])('reads the origin of %s', (_what, fields, url) => {
    const reproduction = ofRequest(fields);
    expect(reproduction.artifacts?.json_spec.url).toBe(url);
    const isKnown = url.startsWith('http');
    expect(reproduction.reason).toBe(
      isKnown ? 'request_context_available' : 'request_context_without_origin',
    );
    expect(reproduction.confidence).toBe(isKnown ? 0.9 : 0.65);
  });

  // R3b
  it.each([
    ['a length', { 'content-length': '111' }],
    ['chunks', { 'transfer-encoding': 'gzip, chunked' }],
    ['a binary type', { 'content-type': 'application/octet-stream' }, 'bytes'],
  ] as [string, Record<string, string>, string?][])(
    'a body known from %s and not repeated weakens the claim',
    (_what, headers, body) => {
      const fields = { headers: { host: 'shop.test', ...headers }, body: body ?? null };
      expect(ofRequest(fields)).toMatchObject({
        possible: true,
        reason: 'request_context_without_body',
        confidence: 0.7,
      });
      expect(ofRequest({ ...fields, headers: { ...fields.headers, host: 'not a host' } })).toMatchObject({
        reason: 'request_context_without_origin',
        confidence: 0.45,
      });
      expect(ofRequest({ ...fields, method: 'GET' })).toMatchObject({
        reason: 'request_context_available',
        confidence: 0.9,
      });
    },
  );

  it('an announced length of zero is no missing body', () => {
    expect(ofRequest({ headers: { host: 'shop.test', 'content-length': '0' } })).toMatchObject({
      reason: 'request_context_available',
      confidence: 0.9,
    });
  });

  // R4
  it('without an origin the caller sets the base address', () => {
    const artifacts = ofRequest({ method: 'GET', query: { step: 'payment' } }).artifacts;
    expect(artifacts?.curl).toBe(`curl -X GET "\${BASE_URL}"'/api/checkout?step=payment'`);
    expect(artifacts?.httpie).toBe(`http --ignore-stdin GET "\${BASE_URL}"'/api/checkout?step=payment'`);
  });

  // R4
  it('the correlated request of the same trace serves a failure without its own', () => {
    const correlated = requestEvent({ method: 'GET', path: '/api/cart' });
    const reproduction = reproductionOf(exception(), {
      correlated: [{ event: correlated, relation: 'trace' }],
    });
    expect(reproduction).toMatchObject({ possible: true, reason: 'request_context_without_origin' });
    expect(reproduction.artifacts?.json_spec.url).toBe('/api/cart');
  });

  // R5
  it('the failing request nearest before a browser error is replayed', () => {
    const occurrence = frontendException({
      stack: null,
      browserEvent: browserEvent({
        opaque: false,
        page: {
          url: 'https://shop.example/cart?x=1',
          referrer: null,
          readyState: null,
          visibilityState: null,
        },
      }),
      breadcrumbs: [
        breadcrumb('network_request', { method: 'GET', url: '/api/old', status_code: 500 }, MOMENT_MS - 9000),
        breadcrumb(
          'network_request',
          { method: 'post', url: '/api/pay?token=s3cret', status_code: 502, request_body: '{"a":1}' },
          MOMENT_MS - 500,
        ),
        breadcrumb('network_request', { method: 'GET', url: '/api/fine', status_code: 200 }, MOMENT_MS - 100),
        breadcrumb(
          'network_request',
          { method: 'GET', url: '/api/later', status_code: 500 },
          MOMENT_MS + 100,
        ),
      ],
    });
    const reproduction = reproductionOf(occurrence);
    expect(reproduction).toMatchObject({
      possible: true,
      confidence: 0.5,
      reason: 'frontend_network_request',
    });
    expect(reproduction.artifacts?.curl).toBe(
      `curl -X POST 'https://shop.example/api/pay' -H 'content-type: application/json' --data-raw '{"a":1}'`,
    );
  });

  // R5
  it('a request without an answer counts as failing, a successful one does not', () => {
    const trail = (statusCode: number) =>
      frontendException({
        breadcrumbs: [breadcrumb('network_request', { method: 'GET', url: '/x', status_code: statusCode })],
      });
    expect(reproductionOf(trail(0)).reason).toBe('frontend_network_request');
    expect(reproductionOf(trail(204)).reason).toBe('no_request_context');
  });

  // R5
  it('a trail of requests that no command can send is refused by its line', () => {
    const occurrence = frontendException({
      breadcrumbs: [breadcrumb('network_request', { method: 'CONNECT', url: '/x', status_code: 500 })],
    });
    expect(reproductionOf(occurrence).reason).toBe('invalid_request_line');
  });

  // R7
  it('a browser error without a failing request has no request context', () => {
    expect(reproductionOf(frontendException()).reason).toBe('no_request_context');
  });
});
