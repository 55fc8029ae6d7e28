import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/events/envelope/json.ts';
import { fixture, fixtureNames } from './event-fixtures.ts';
import { normalize, normalized, RECEIVED_MS, SENT_MS } from './normalized-fixtures.ts';

describe('the envelope', () => {
  it('of both forms becomes one', () => {
    const seed = normalized('A');
    const wire = normalized('W');
    expect(seed).toMatchObject({
      eventId: 'evt_made',
      eventType: 'backend_exception',
      occurredAtMs: SENT_MS,
      effectiveAtMs: SENT_MS,
      receivedAtMs: RECEIVED_MS,
      service: { name: 'api-server', environment: 'production', runtime: null, framework: null },
      sdk: { name: 'handmade', version: '1.0.0', language: null },
      correlation: { requestId: null, traceId: null, sessionId: null, userIdHash: null },
      schemaVersion: 'seed-1',
      context: { order: 'o-17' },
      extra: {},
      device: null,
    });
    expect(wire).toMatchObject({
      service: { runtime: 'node', framework: 'express' },
      sdk: { name: '@debugbundle/sdk-node', version: '1.6.0', language: null },
      correlation: { requestId: 'r-1', traceId: null },
      schemaVersion: '2026-03-01',
      context: {},
    });
    expect(
      [seed.payload, wire.payload].map((payload) => payload.kind === 'exception' && payload.stack),
    ).toEqual([
      'TypeError: total is undefined\n    at checkout (/app/cart.js:42:10)',
      'TypeError: total is undefined\n    at checkout (/app/cart.js:42:10)',
    ]);
  });

  it('has defaults for what is absent', () => {
    expect(normalized('LOG')).toMatchObject({
      sdk: { name: 'unknown', version: '0', language: null },
      schemaVersion: 'seed-1',
      context: {},
    });
    expect(normalized('W', { sdk_language: 'python' }).sdk.language).toBe('python');
    expect(normalized('W', { context: null, correlation: null }).context).toEqual({});
  });

  it('is trimmed and cleaned, identifiers are not redacted', () => {
    const event = normalized('A', {
      event_id: 'e\ud800',
      'service.name': ' shop\u0000 ',
      correlation: { trace_id: '4111111111111111', session_id: 'svc_mem_x' },
    });
    expect(event.eventId).toBe('e\ufffd');
    expect(event.service.name).toBe('shop\ufffd');
    expect(event.correlation).toMatchObject({ traceId: '4111111111111111', sessionId: 'svc_mem_x' });
  });

  it('reads its time to the millisecond', () => {
    expect(normalized('A', { timestamp: '2026-03-24T12:30:00.5+02:00' }).occurredAtMs).toBe(SENT_MS + 500);
  });

  it('ignores project_id, project_token and fingerprint', () => {
    const plain = JSON.stringify(normalized('A'));
    const set = {
      project_id: 'p',
      project_token: 'svc_proj_x',
      fingerprint: { a: 1 },
      'payload.fingerprint': 'x',
    };
    expect(JSON.stringify(normalized('A', set))).toBe(plain);
  });
});

describe('context and correlation', () => {
  it('merges the payload context under the envelope context', () => {
    const set = { context: { a: 1 }, 'payload.context': { a: 2, b: 3 }, 'payload.source': 'native' };
    expect(normalized('A', set).context).toEqual({ a: 1, b: 3, source: 'native' });
    expect(normalized('A', { context: { source: 'mine' }, 'payload.source': 'native' }).context).toEqual({
      source: 'mine',
    });
  });

  it('keeps the fields that belong there', () => {
    const exception = normalized('W', {
      'payload.hresult': -2147467261,
      'payload.request.url': 'https://x/cart',
      correlation: { activity_trace_id: 'at', activity_span_id: null },
    });
    expect(exception.context).toEqual({
      hresult: -2147467261,
      url: 'https://x/cart',
      activity_trace_id: 'at',
    });
    const request = normalized('REQ', {
      'payload.controller': 'Orders',
      'payload.action': null,
      'payload.attributes': { a: 1 },
      'payload.url': 'https://x/orders/7',
    });
    expect(request.context).toEqual({
      controller: 'Orders',
      attributes: { a: 1 },
      url: 'https://x/orders/7',
    });
    expect([exception.extra, request.extra]).toEqual([{}, {}]);
  });

  it('fills empty correlation ids from the context, then from the payload', () => {
    const set = {
      correlation: { request_id: 'r', trace_id: '', session_id: null },
      context: { request_id: 'no', trace_id: 't-context', session_id: 42 },
      'payload.trace_id': 't-payload',
      'payload.request_id': 'r-payload',
    };
    expect(normalized('A', set).correlation).toEqual({
      requestId: 'r',
      traceId: 't-context',
      sessionId: '42',
      userIdHash: null,
    });
    expect(normalized('A', { 'payload.trace_id': 't', 'payload.request_id': 'r' }).correlation).toMatchObject(
      {
        requestId: 'r',
        traceId: 't',
      },
    );
  });

  it('takes the user from user_id_hash, else from the hashed ids of the context', () => {
    const one = `usr_${'1'.repeat(32)}`;
    const two = `usr_${'2'.repeat(32)}`;
    const user = (set: Record<string, JsonValue>) => normalized('A', set).correlation.userIdHash;
    expect(user({ correlation: { user_id_hash: 'mine' }, context: { user_id: one } })).toBe('mine');
    expect(user({ context: { user_id: one, user: { id: two } } })).toBe(one);
    expect(user({ context: { user: { id: two } } })).toBe(two);
    expect(user({ 'payload.context': { user_id: two } })).toBe(two);
  });

  it('hides a raw user id that should have been hashed before', () => {
    const event = normalized('A', { context: { user_id: 'alice', user: { id: 7, plan: 'x' } } });
    expect(event.correlation.userIdHash).toBeNull();
    expect(event.context).toEqual({ user_id: '[REDACTED]', user: { id: '[REDACTED]', plan: 'x' } });
  });

  it('bounds the merged context as one map', () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`a${i}`, i]));
    const more = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`b${i}`, i]));
    const { context } = normalized('A', { context: many, 'payload.context': more });
    expect(Object.keys(context)).toHaveLength(201);
    expect(context['[Truncated]']).toBe('[Truncated]');
  });
});

describe('keys the contract does not name', () => {
  it('are kept under the same nesting', () => {
    const event = normalized('W', {
      'payload.foo': { bar: 1 },
      'payload.request.verb': 'GET',
      'payload.runtime.flavour': 'x',
      'payload.causes': [{ name: 'A' }, { name: 'B', code: 7 }],
      'payload.probe_data': { items: [{ label: 'a', timestamp: '2026-03-24T10:30:00Z', unit: 's' }] },
      'payload.stack': [{ file: 'a.js', native: true }],
      'payload.error': { code: 5 },
    });
    expect(event.extra).toEqual({
      foo: { bar: 1 },
      request: { verb: 'GET' },
      runtime: { flavour: 'x' },
      causes: { '1': { code: 7 } },
      probe_data: { items: { '0': { unit: 's' } } },
      stack: { '0': { native: true } },
      error: { code: 5 },
    });
  });

  it('are bounded, redacted and safe', () => {
    const text = JSON.stringify(fixture('A')).replace(
      '"payload":{',
      '"payload":{"__proto__":{"password":"x"},"a":"\\u0000",',
    );
    const { extra } = normalize(JSON.parse(text));
    expect(JSON.stringify(extra)).toBe('{"__proto__":{"password":"[REDACTED]"},"a":"\ufffd"}');
  });
});

describe('text', () => {
  // T022
  it('is cut to its bound, the mark included', () => {
    const event = normalized('A', {
      'payload.message': 'x'.repeat(20_000),
      'payload.error_class': 'N'.repeat(600),
    });
    if (event.payload.kind !== 'exception') throw new Error('unexpected kind');
    expect(event.payload.message).toHaveLength(16_384);
    expect(event.payload.message.endsWith('[Truncated]')).toBe(true);
    expect(event.payload.name).toHaveLength(512);
    const path = normalized('REQ', { 'payload.path': `/${'a'.repeat(5_000)}` });
    expect(path.payload.kind === 'request' && path.payload.request.path).toHaveLength(4_096);
  });

  it('is never cut inside a character', () => {
    const event = normalized('LOG', { 'payload.message': '\u{1f600}'.repeat(9_000) });
    expect(event.payload.kind === 'log' && event.payload.message).toMatch(/^\u{1f600}{8186}\[Truncated\]$/u);
  });

  it('loses secrets before it is cut', () => {
    const message = `${'x'.repeat(16_360)} Bearer ${'s3cr3t'.repeat(30)}`;
    const event = normalized('LOG', { 'payload.message': message });
    expect(event.payload.kind === 'log' && event.payload.message).not.toContain('s3c');
    const address = `${'x'.repeat(16_320)} https://user:${'p'.repeat(100)}@host/`;
    const straddling = normalized('LOG', { 'payload.message': address });
    expect(straddling.payload.kind === 'log' && straddling.payload.message).toContain('https://[REDACTED]');
    const endless = normalized('LOG', {
      'payload.message': `-----BEGIN PRIVATE KEY-----${'k'.repeat(100_000)}`,
    });
    expect(endless.payload).toMatchObject({ message: '[REDACTED][Truncated]' });
  });

  it('is redacted by value and by key everywhere', () => {
    const secret = 'svc_proj_0123456789';
    const event = normalized('W', {
      context: { a: secret },
      'payload.message': secret,
      'payload.stack': `Error: ${secret}`,
      'payload.request': {
        path: `/${secret}`,
        body: secret,
        headers: { a: secret },
        query: { password: secret },
      },
      'payload.response': { body: [secret] },
      'payload.runtime': { hostname: secret, version: secret },
      'payload.causes': [{ name: secret, message: secret, stack: [secret] }],
      'payload.probe_data': { items: [{ label: secret, data: secret, timestamp: '2026-03-24T10:30:00Z' }] },
      'payload.device': { model: secret, user_agent: secret },
      'payload.unnamed': secret,
    });
    expect(JSON.stringify(event)).not.toContain(secret);
  });
});

it('turns every fixture into its kind', () => {
  expect(fixtureNames.map((name) => normalized(name).payload.kind)).toEqual([
    'exception',
    'exception',
    'log',
    'request',
    'breadcrumb',
    'exception',
    'probe',
    'suppressed',
    'deploy',
  ]);
});
