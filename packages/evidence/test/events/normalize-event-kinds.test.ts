import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/events/envelope/json.ts';
import { normalized, RECEIVED_MS, SENT_MS } from './normalized-fixtures.ts';

describe('log, request, breadcrumb, deploy, suppression and probe events', () => {
  it('read a log line', () => {
    expect(normalized('LOG').payload).toEqual({
      kind: 'log',
      level: 'error',
      message: 'payment failed',
      attributes: { order: 'o-17' },
      error: null,
      aboutEventId: null,
      debugIds: [],
    });
    const android = normalized(
      'LOG',
      {
        'payload.level': 'WARN',
        'payload.fields': { tag: 'mine' },
        'payload.tag': 'theirs',
        'payload.throwable': { a: 1 },
      },
      ['payload.attributes'],
    );
    expect(android.payload).toMatchObject({
      level: 'warning',
      attributes: { tag: 'mine', throwable: { a: 1 } },
    });
    expect(android.extra).toEqual({});
    expect(normalized('LOG', {}, ['payload.level', 'payload.attributes']).payload).toMatchObject({
      level: 'info',
      attributes: {},
    });
    const levels = ['verbose', 'Notice', 'critical', 'alert', 'emergency', 'fatal'];
    expect(levels.map((level) => normalized('LOG', { 'payload.level': level }).payload)).toMatchObject(
      ['debug', 'info', 'critical', 'critical', 'critical', 'fatal'].map((level) => ({ level })),
    );
  });

  it('read a request and its answer', () => {
    const event = normalized('REQ', {
      'payload.method': 'post',
      'payload.request_headers': { accept: 'x', cookie: 'y' },
      'payload.headers': { accept: 'x', cookie: 'y' },
      'payload.body': 'text',
      'payload.response_headers': null,
      'payload.response_body': { a: 1 },
      'payload.route_template': '/orders/:id',
      'payload.url': 'https://x/orders/7',
    });
    expect(event.payload).toEqual({
      kind: 'request',
      request: {
        method: 'POST',
        path: '/orders/7',
        url: 'https://x/orders/7',
        query: {},
        headers: { accept: 'x', cookie: '[REDACTED]' },
        body: 'text',
        routeTemplate: '/orders/:id',
      },
      response: { statusCode: 500, durationMs: 12.5, headers: {}, body: { a: 1 } },
      trail: { logs: [], breadcrumbs: [] },
    });
    const bare = normalized(
      'REQ',
      { 'payload.url': 'https://x/y', 'payload.status_code': null, 'payload.query': [] },
      ['payload.path', 'payload.response_status', 'payload.duration_ms'],
    );
    expect(bare.payload).toMatchObject({
      request: { path: 'https://x/y', url: null, query: {} },
      response: { statusCode: 0, durationMs: null },
    });
  });

  it('read a breadcrumb', () => {
    expect(normalized('CRUMB').payload).toEqual({
      kind: 'breadcrumb',
      breadcrumb: {
        breadcrumbType: 'click',
        route: '/cart',
        data: { selector: 'button.pay' },
        timestampMs: SENT_MS,
      },
    });
    const hand = normalized('CRUMB', { payload: { category: 'nav', message: 'went', data: { a: 1 } } });
    expect(hand.payload).toMatchObject({
      breadcrumb: { breadcrumbType: 'nav', route: null, data: { a: 1, message: 'went' } },
    });
    const taken = normalized('CRUMB', {
      payload: { type: 'nav', message: 'second', data: { message: 'first' } },
    });
    expect(taken.payload).toMatchObject({ breadcrumb: { data: { message: 'first' } } });
    expect(taken.extra).toEqual({ message: 'second' });
  });

  it('read a deployment', () => {
    expect(normalized('DEPLOY').payload).toEqual({
      kind: 'deploy',
      commitSha: '4f2a9c1',
      version: '2.4.0',
      branch: 'main',
      environment: 'production',
      deployedAtMs: SENT_MS - 60_000,
    });
    expect(
      normalized('DEPLOY', { payload: { version: '1', commit_sha: null }, 'service.environment': 'staging' })
        .payload,
    ).toEqual({
      kind: 'deploy',
      commitSha: null,
      version: '1',
      branch: null,
      environment: 'staging',
      deployedAtMs: SENT_MS,
    });
    const ahead = normalized('DEPLOY', { 'payload.deployed_at': '2030-01-01T00:00:00Z' });
    expect(ahead.payload).toMatchObject({ deployedAtMs: RECEIVED_MS });
  });

  it('read the event that a suppression names, and keep what names none', () => {
    const named = normalized('SUP', {
      'payload.sample_event_id': 'evt_7',
      'payload.event_type': 'log_event',
    });
    expect(named.payload).toMatchObject({ sampleEventId: 'evt_7', repeatedType: 'log_event' });
    expect(named.extra).toEqual({});
    const wrong = normalized('SUP', { 'payload.sample_event_id': { id: 7 }, 'payload.event_type': 'error' });
    expect(wrong.payload).toMatchObject({ sampleEventId: null, repeatedType: null });
    expect(wrong.extra).toEqual({ sample_event_id: { id: 7 }, event_type: 'error' });
  });

  it('read a suppression', () => {
    expect(normalized('SUP').payload).toEqual({
      kind: 'suppressed',
      suppressedCount: 40,
      windowSeconds: 30,
      firstSeenMs: SENT_MS,
      lastSeenMs: SENT_MS + 29_000,
      isQueuePressure: false,
      sampleEventId: null,
      repeatedType: null,
    });
    expect(normalized('SUP', { payload: { count: 5_000_000 } }).payload).toEqual({
      kind: 'suppressed',
      suppressedCount: 1_000_000,
      windowSeconds: 30,
      firstSeenMs: SENT_MS + 30_000,
      lastSeenMs: SENT_MS + 30_000,
      isQueuePressure: false,
      sampleEventId: null,
      repeatedType: null,
    });
    for (const pressure of [{ fingerprint: 'node-queue-pressure:log' }, { reason: 'queue_pressure' }]) {
      expect(normalized('SUP', { payload: { count: 1, ...pressure } }).payload).toMatchObject({
        isQueuePressure: true,
      });
    }
    const late = normalized('SUP', { payload: { count: 1, last_seen: '2026-03-24T10:00:00Z' } });
    expect(late.payload).toMatchObject({ firstSeenMs: SENT_MS - 1_800_000, lastSeenMs: SENT_MS - 1_800_000 });
  });

  it('read a probe event', () => {
    const uuid = '550e8400-e29b-41d4-a716-446655440000';
    expect(normalized('PROBE').payload).toEqual({
      kind: 'probe',
      label: 'auth.login',
      data: { active: 3 },
      activationId: null,
      labelPattern: 'auth.*',
    });
    const probe = (data: JsonValue) =>
      normalized('PROBE', { payload: { label: 'a', data, activation_id: uuid.toUpperCase() } }).payload;
    expect(probe(7)).toEqual({
      kind: 'probe',
      label: 'a',
      data: { value: 7 },
      activationId: `act_${uuid}`,
      labelPattern: 'a',
    });
    expect(probe(null)).toMatchObject({ data: { value: null } });
    expect(probe([1])).toMatchObject({ data: { value: [1] } });
    expect(probe([])).toMatchObject({ data: {} });
    const prefixed = normalized('PROBE', { 'payload.activation_id': `act_${uuid}` });
    expect(prefixed.payload).toMatchObject({ activationId: `act_${uuid}` });
  });
});
