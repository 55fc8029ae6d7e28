import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/events/envelope/json.ts';
import { at, mapped, mappedEvent } from './map-event.ts';
import { FEEDBACK, LOGS, REPORT, SPANS, TRANSACTION, USER_REPORT } from './other-items.ts';

describe('a transaction', () => {
  // F-42
  it('is a request and always context; its child spans are counted', () => {
    const item = mapped('transaction', TRANSACTION);
    expect(item).toMatchObject({ isContext: true, notTaken: 2, eventId: TRANSACTION.event_id });
    expect(item.events[0]).toMatchObject({
      event_type: 'request_event',
      correlation: { trace_id: 'a'.repeat(32) },
      payload: {
        method: 'POST',
        path: '/orders/7',
        route_template: '/orders/:id',
        response_status: 500,
        duration_ms: 250,
      },
    });
    expect(mapped('event', TRANSACTION).events[0]?.event_type).toBe('request_event');
  });

  const trace = (more: JsonObject, status?: string): JsonObject => ({
    trace: { op: 'http.server', ...(status === undefined ? {} : { status }), ...more },
  });

  it.each<[string, JsonObject, number]>([
    ['the response', { contexts: { ...trace({}), response: { status_code: 404 } } }, 404],
    ['data of the trace', { contexts: trace({ data: { 'http.response.status_code': 201 } }) }, 201],
    ['older data of the trace', { contexts: trace({ data: { 'http.status_code': '302' } }) }, 302],
    ['a tag', { contexts: trace({}), tags: { 'http.status_code': '500' } }, 500],
    ['a tag in a list', { contexts: trace({}), tags: [['http.status_code', '418']] }, 418],
    ['a word', { contexts: trace({}, 'deadline_exceeded') }, 504],
    ['another word', { contexts: trace({}, 'sad') }, 0],
    ['nothing', { contexts: trace({}) }, 0],
  ])('has its status from %s', (_title, event, status) => {
    const found = mappedEvent({ transaction: 'GET /x/y', ...event }, {}, 'transaction');
    expect(at(found, 'payload.response_status')).toBe(status);
    expect(at(found, 'payload.path')).toBe('/x/y');
  });

  it.each<[JsonValue]>([['pageload'], ['queue.process'], [null]])('of the kind %s is not taken', (op) => {
    const item = mapped('transaction', {
      contexts: { trace: { op } },
      request: { url: 'https://shop' },
      spans: [],
    });
    expect(item.events).toEqual([]);
  });
});

// F-43
describe('a container of spans', () => {
  it('holds a request for each segment of HTTP, with an id that repeats count once by', () => {
    const item = mapped('span', SPANS);
    expect(item).toMatchObject({ isContext: true, notTaken: 2 });
    expect(item.events).toHaveLength(1);
    expect(item.events[0]).toMatchObject({
      event_type: 'request_event',
      sdk_name: 'sentry.javascript.node',
      service: { name: 'shop', environment: 'staging', runtime: 'node' },
      context: { release: 'shop@2', user: { id: 'u-1' } },
      payload: {
        method: 'POST',
        path: '/orders/7',
        query: { coupon: 'x' },
        headers: { 'user-agent': 'curl/8' },
        route_template: '/orders/:id',
        response_status: 503,
        duration_ms: 250,
      },
    });
    expect(item.events[0]?.event_id).toMatch(/^span_[0-9a-f]{32}$/);
    expect(mapped('span', SPANS).events[0]?.event_id).toBe(item.events[0]?.event_id);
    expect(JSON.stringify(item)).not.toContain('kim@example.com');
  });
});

describe('a container of logs', () => {
  it('holds a line for each entry; a repeated one counts nothing, equal lines of one container count each', () => {
    const { events } = mapped('log', LOGS);
    expect(events[0]).toMatchObject({
      event_type: 'log_event',
      service: { environment: 'staging', runtime: 'python' },
      correlation: { trace_id: 'a'.repeat(32) },
      context: { release: 'shop@2', user: { id: 'u-1' }, environment: { host: 'web-1' } },
      payload: {
        message: 'stock is low: 3',
        level: 'warn',
        logger: 'shop.stock',
        attributes: { sku: 's-9', 'server.address': 'web-1', 'logger.name': 'shop.stock' },
      },
    });
    expect(at(events[0], 'payload.captured')).toBeUndefined();
    expect(JSON.stringify(events)).not.toMatch(/kim@example|message\.template/);
    const ids = events.map((event) => event.event_id);
    expect(new Set(ids).size).toBe(3);
    expect(mapped('log', LOGS).events.map((event) => event.event_id)).toEqual(ids);
    expect(mapped('log', LOGS, { keyId: 'tok_2' }).events[0]?.event_id).not.toBe(ids[0]);
  });

  it.each<[JsonObject, string]>([
    [{ level: 'trace' }, 'trace'],
    [{ level: 'warn' }, 'warn'],
    [{ level: 'fatal' }, 'fatal'],
    [{ level: 'odd', severity_number: 17 }, 'error'],
    [{ severity_number: 5 }, 'debug'],
    [{ severity_number: 9 }, 'info'],
    [{ severity_number: 13 }, 'warning'],
    [{ severity_number: 24 }, 'fatal'],
    [{}, 'info'],
  ])('reads the level of %j', (line, level) => {
    expect(at(mapped('log', { items: [{ body: 'x', ...line }] }).events[0], 'payload.level')).toBe(level);
  });
});

describe('a client report', () => {
  it('is a loss by reason, of the service that the library sent from last', () => {
    const lastService = { name: 'cart', environment: 'staging' };
    expect(mapped('client_report', REPORT, { lastService }).events).toMatchObject([
      {
        event_type: 'error_suppressed',
        service: { name: 'cart', environment: 'staging' },
        context: { capture_loss: { sampled: 3, filtered: 3, rejected: 1, other: 5 } },
        payload: { suppressed_count: 12, reason: 'queue_pressure' },
      },
    ]);
    expect(at(mapped('client_report', REPORT).events[0], 'service')).toMatchObject({
      name: 'shop',
      environment: 'production',
    });
  });

  it('says nothing about categories that are no errors', () => {
    const discarded_events = [{ reason: 'ratelimit_backoff', category: 'session', quantity: 9 }, null, 5];
    expect(mapped('client_report', { discarded_events }).events).toEqual([]);
    expect(mapped('client_report', { discarded_events: 'x' }).events).toEqual([]);
  });

  it('cuts quantities that are no counts', () => {
    const entry = { reason: 'sample_rate', category: 'error' };
    const report = {
      discarded_events: [
        { ...entry, quantity: 1e15 },
        { ...entry, quantity: -4 },
      ],
    };
    expect(at(mapped('client_report', report).events[0], 'context.capture_loss.sampled')).toBe(1_000_000_000);
  });
});

describe('what a user said', () => {
  it('is context of the event that it is about, with nothing of the user but the id', () => {
    const item = mapped('feedback', FEEDBACK);
    expect(item).toMatchObject({ isContext: true, isPolicyExempt: true, eventId: FEEDBACK.event_id });
    expect(item.events[0]).toMatchObject({
      event_type: 'log_event',
      context: { user: { id: 'kim@example.com' } },
      payload: {
        level: 'warning',
        logger: 'user.feedback',
        message: 'the cart is empty',
        about_event_id: '0123456789abcdef0123456789abcdef',
      },
    });
    expect(JSON.stringify(item)).not.toContain('Kim');
    expect(mapped('event', FEEDBACK).isPolicyExempt).toBe(true);
  });

  it('has an id of its own in the older form, whose envelope has that of the event', () => {
    const item = mapped('user_report', USER_REPORT, { eventId: String(USER_REPORT.event_id) });
    expect(item.events[0]?.event_id).toMatch(/^feedback_[0-9a-f]{32}$/);
    expect(at(item.events[0], 'payload.about_event_id')).toBe(USER_REPORT.event_id);
    expect(at(item.events[0], 'payload.message')).toBe('it broke');
  });
});

it('takes nothing of other kinds, and calls what is no object invalid', () => {
  for (const type of [
    'session',
    'sessions',
    'attachment',
    'profile',
    'replay_event',
    'statsd',
    'x',
    '__proto__',
  ]) {
    expect(mapped(type, { a: 1 }).events).toEqual([]);
  }
  for (const payload of [null, 5, 'x', [], undefined]) expect(mapped('event', payload).isInvalid).toBe(true);
});
