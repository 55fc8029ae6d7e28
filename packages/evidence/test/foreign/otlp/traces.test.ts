import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../../src/events/envelope/check-event.ts';
import {
  attributes,
  bodyOf,
  eventsOf,
  exceptionEvent,
  RESOURCE,
  readBody,
  SOURCE,
  SPAN_ID,
  span,
  TRACE_ID,
  tracesOf,
} from './otlp-bodies.ts';

const STACK = `Error: no such order
    at findOrder (/app/src/orders.js:12:9)
    at async handle (/app/src/routes.js:30:3)`;
const EXCEPTION = {
  'exception.type': 'Error',
  'exception.message': 'no such order',
  'exception.stacktrace': STACK,
};
const FAILED = {
  'http.request.method': 'get',
  'url.path': '/orders/17',
  'url.query': 'full=1&page=2&page=3',
  'http.route': '/orders/:id',
  'http.response.status_code': 500,
  'user_agent.original': 'curl/8',
  'client.address': '203.0.113.9',
  'user.id': 'u-17',
  'http.request.header.x-request-id': ['r-5'],
  'http.response.header.content_type': ['text/plain'],
};

describe('a server span with an exception', () => {
  const { events, notTaken } = eventsOf(
    'traces',
    tracesOf([
      span({ values: FAILED, status: { code: 2 }, events: [exceptionEvent(EXCEPTION), { name: 'retry' }] }),
      span({
        spanId: 'aaaaaaaaaaaaaaaa',
        kind: 3,
        values: { 'http.request.method': 'GET' },
        status: { code: 2 },
      }),
    ]),
  );

  it('becomes the exception and its request, which opens nothing beside it', () => {
    expect(events.map(({ event, isContext }) => [event.event_type, isContext])).toEqual([
      ['backend_exception', false],
      ['request_event', true],
    ]);
    expect(notTaken).toBe(1);
    expect(events.map(({ event }) => checkEvent(event).ok)).toEqual([true, true]);
  });

  it('says what the resource says', () => {
    expect(events[0]?.event).toMatchObject({
      schema_version: 'otlp-1',
      sdk_name: 'opentelemetry-nodejs',
      sdk_version: '2.1.0',
      service: { name: 'shop', environment: 'staging', runtime: 'node' },
      correlation: { trace_id: TRACE_ID, request_id: 'r-5' },
      occurred_at: '2026-03-24T10:29:58.500Z',
      context: { release: '4.2.0', user: { id: 'u-17' }, trace: { trace_id: TRACE_ID, span_id: SPAN_ID } },
    });
  });

  it('has the stack, the request and its answer', () => {
    expect(events[0]?.event.payload).toEqual({
      name: 'Error',
      message: 'no such order',
      stack: STACK,
      handled: false,
      request: {
        method: 'GET',
        path: '/orders/17',
        query: { full: '1', page: ['2', '3'] },
        headers: { 'x-request-id': 'r-5', 'user-agent': 'curl/8' },
        route_template: '/orders/:id',
      },
      response: { status_code: 500, headers: { 'content-type': 'text/plain' }, duration_ms: 250.123 },
    });
    expect(events[1]?.event.payload).toMatchObject({
      method: 'GET',
      path: '/orders/17',
      response_status: 500,
      duration_ms: 250.123,
      route_template: '/orders/:id',
    });
  });

  it('keeps no address of a person', () => {
    expect(JSON.stringify(events)).not.toContain('203.0.113.9');
  });
});

describe('a request', () => {
  const statusOf = (status: unknown) => {
    const [only, ...others] = eventsOf(
      'traces',
      tracesOf([span({ values: { ...FAILED, 'http.response.status_code': status }, status: { code: 2 } })]),
    ).events;
    expect(others).toEqual([]);
    return { type: only?.event.event_type, isContext: only?.isContext, payload: only?.event.payload };
  };

  it('that failed without an exception may open an incident', () => {
    expect(statusOf(503)).toMatchObject({
      type: 'request_event',
      isContext: false,
      payload: { response_status: 503 },
    });
  });

  it('has its status as text, as some exporters write it', () => {
    expect(statusOf('503')).toMatchObject({ payload: { response_status: 503 } });
  });

  it('that failed without an answer is a line of a log, because there is no status to judge', () => {
    expect(statusOf(null)).toMatchObject({
      type: 'log_event',
      payload: { level: 'error', message: 'GET /orders/:id: failed' },
    });
  });

  it('is read by the older names as well', () => {
    const old = {
      'http.method': 'POST',
      'http.target': '/orders/17?full=1#x',
      'http.status_code': 404,
      'http.user_agent': 'curl/7',
      'net.peer.ip': '203.0.113.9',
    };
    const [only] = eventsOf(
      'traces',
      tracesOf([span({ values: old })], { 'service.name': 'shop', 'deployment.environment': 'qa' }),
    ).events;
    expect(only?.event).toMatchObject({
      service: { name: 'shop', environment: 'qa' },
      payload: {
        method: 'POST',
        path: '/orders/17',
        query: { full: '1' },
        headers: { 'user-agent': 'curl/7' },
        response_status: 404,
      },
    });
    expect(JSON.stringify(only)).not.toContain('203.0.113.9');
  });

  it('has the path of a full address, and its own method where the instrumentation knows none', () => {
    const values = {
      'http.request.method': '_OTHER',
      'http.request.method_original': 'PURGE',
      'url.full': 'https://shop.example:8443/a/b?c=d',
    };
    expect(eventsOf('traces', tracesOf([span({ values })])).events[0]?.event.payload).toMatchObject({
      method: 'PURGE',
      path: '/a/b',
      query: { c: 'd' },
      response_status: 0,
    });
  });
});

describe('an exception', () => {
  const inner = (own: object = {}) =>
    span({
      spanId: 'bbbbbbbbbbbbbbbb',
      parentSpanId: SPAN_ID,
      kind: 1,
      name: 'load order',
      values: { 'db.system.name': 'postgresql' },
      events: [exceptionEvent(EXCEPTION)],
      ...own,
    });
  const server = (own: object = {}) => span({ values: FAILED, status: { code: 2 }, ...own });

  it('of an inner span has the request of its trace, which becomes context', () => {
    const { events } = eventsOf('traces', tracesOf([inner(), server()]));
    expect(events.map(({ event, isContext }) => [event.event_type, isContext])).toEqual([
      ['backend_exception', false],
      ['request_event', true],
    ]);
    expect(events[0]?.event).toMatchObject({
      context: { attributes: { 'db.system.name': 'postgresql' }, user: { id: 'u-17' } },
      payload: { handled: true, request: { path: '/orders/17' }, response: { status_code: 500 } },
    });
  });

  it('of one service does not excuse the failed request of another', () => {
    const request = {
      resourceSpans: [
        ...(tracesOf([inner()], { 'service.name': 'worker' }).resourceSpans as []),
        ...(tracesOf([server()]).resourceSpans as []),
      ],
    };
    expect(eventsOf('traces', request).events.map(({ isContext }) => isContext)).toEqual([false, false]);
  });

  it('is not handled where it escaped its span', () => {
    const escaped = { ...EXCEPTION, 'exception.escaped': true };
    const { events } = eventsOf('traces', tracesOf([inner({ events: [exceptionEvent(escaped)] })]));
    expect(events[0]?.event.payload).toMatchObject({ handled: false });
    expect(JSON.stringify(events)).not.toContain('exception.escaped');
  });

  it('has one id however often it is exported, another for each place, and none without a trace', () => {
    const idOf = (own: object) =>
      eventsOf('traces', tracesOf([inner(own)])).events.map(({ event }) => event.event_id);
    const other = { ...EXCEPTION, 'exception.stacktrace': STACK.replace(':12:', ':13:') };
    const [id] = idOf({});
    expect(id).toMatch(/^otlp_[0-9a-f]{32}$/);
    expect(idOf({})).toEqual([id]);
    expect(idOf({ events: [exceptionEvent(EXCEPTION), exceptionEvent(other)] })[1]).not.toBe(id);
    expect(idOf({ spanId: 'cccccccccccccccc' })).not.toEqual([id]);
    expect(idOf({ traceId: '' })).toEqual([undefined]);
    expect(idOf({ traceId: '0'.repeat(32) })).toEqual([undefined]);
  });

  it('without a stack is told from others of its span by type and message', () => {
    const plain = (message: string) =>
      exceptionEvent({ 'exception.type': 'Error', 'exception.message': message });
    const { events } = eventsOf(
      'traces',
      tracesOf([inner({ events: [plain('a'), plain('b'), plain('a')] })]),
    );
    const ids = events.map(({ event }) => event.event_id);
    expect(new Set(ids).size).toBe(2);
  });

  it('has the class of its trace where the type is a code, or lacks its namespace', () => {
    const named = (type: string, stacktrace: string) =>
      eventsOf(
        'traces',
        tracesOf([
          inner({ events: [exceptionEvent({ 'exception.type': type, 'exception.stacktrace': stacktrace })] }),
        ]),
      ).events[0]?.event.payload;
    expect(named('ECONNREFUSED', 'Error: connect ECONNREFUSED\n    at load (/app/db.js:3:1)')).toMatchObject({
      name: 'Error',
      message: 'connect ECONNREFUSED',
    });
    expect(
      named('ClosedException', 'Shop.ClosedException: closed\n   at Shop.Cart.Add() in /src/Cart.cs:line 3'),
    ).toMatchObject({ name: 'Shop.ClosedException' });
    expect(named('PaymentError', 'Error: declined\n    at pay (/app/pay.js:3:1)')).toMatchObject({
      name: 'PaymentError',
    });
  });

  it('of a page or an app is one of a front end', () => {
    const page = {
      'service.name': 'web',
      'telemetry.sdk.language': 'webjs',
      'user_agent.original': 'Mozilla/5.0',
    };
    const app = {
      'service.name': 'app',
      'telemetry.sdk.language': 'java',
      'os.name': 'Android',
      'os.version': '16',
    };
    const of = (resource: object) =>
      eventsOf('traces', tracesOf([inner()], { ...resource })).events[0]?.event;
    expect(of(page)).toMatchObject({
      event_type: 'frontend_exception',
      sdk_language: 'javascript',
      service: { runtime: 'browser' },
      payload: { device: { user_agent: 'Mozilla/5.0' } },
    });
    expect(of(app)).toMatchObject({
      event_type: 'frontend_exception',
      payload: { device: { os: { name: 'Android', version: '16' } } },
    });
    for (const resource of [page, app]) expect(checkEvent(of(resource)).ok).toBe(true);
  });
});

describe('a span of another protocol', () => {
  const consumer = (own: object) =>
    span({ kind: 5, name: 'orders process', values: { 'messaging.system': 'kafka' }, ...own });

  it('that failed is a line of a log', () => {
    const { events } = eventsOf('traces', tracesOf([consumer({ status: { code: 2, message: 'poison' } })]));
    expect(events.map(({ event }) => [event.event_type, event.payload])).toEqual([
      [
        'log_event',
        { message: 'orders process: poison', level: 'error', attributes: { 'messaging.system': 'kafka' } },
      ],
    ]);
  });

  it('that failed with an exception is the exception alone, which was not handled', () => {
    const { events } = eventsOf(
      'traces',
      tracesOf([consumer({ status: { code: 2 }, events: [exceptionEvent(EXCEPTION)] })]),
    );
    expect(events.map(({ event }) => event.event_type)).toEqual(['backend_exception']);
    expect(events[0]?.event.payload).toMatchObject({ handled: false });
  });

  it('that went well becomes nothing, and so do all other spans', () => {
    const request = tracesOf([
      consumer({}),
      span({ kind: 3, status: { code: 2 }, values: { 'http.request.method': 'GET' } }),
      span({ kind: 1, status: { code: 2 } }),
      span({ kind: 2, values: { 'rpc.system': 'grpc' } }),
    ]);
    expect(eventsOf('traces', request)).toMatchObject({ events: [], notTaken: 4, overLimit: 0 });
  });
});

describe('the service', () => {
  const serviceOf = (resource: Record<string, unknown>) =>
    eventsOf('traces', tracesOf([span({ values: FAILED })], resource)).events[0]?.event.service;

  it('is that of the key where the resource names none, or only what its library made up', () => {
    expect(serviceOf({})).toEqual({ name: 'key-service', environment: 'production' });
    for (const name of ['unknown_service', 'unknown_service:node', 'unknown_service:java', '   ']) {
      expect(serviceOf({ 'service.name': name })).toMatchObject({ name: 'key-service' });
    }
  });

  it('prefers the newer name of the environment', () => {
    expect(
      serviceOf({
        'service.name': 's',
        'deployment.environment': 'old',
        'deployment.environment.name': 'new',
      }),
    ).toMatchObject({ environment: 'new' });
  });

  it('stands behind its spans as well', () => {
    const [spans] = tracesOf([span({ values: FAILED })]).resourceSpans as [Record<string, never>];
    const { resource, scopeSpans } = spans;
    const events = eventsOf('traces', { resourceSpans: [{ scopeSpans, resource }] } as never).events;
    expect(events[0]?.event.service).toMatchObject({ name: 'shop' });
  });
});

describe('a request of many spans', () => {
  it('takes the exceptions first, then failures, where there are more events than it may hold', () => {
    const well = Array.from({ length: 1_200 }, (_, index) =>
      span({ spanId: index.toString(16).padStart(16, '1'), values: { 'http.request.method': 'GET' } }),
    );
    const failure = span({ values: FAILED, status: { code: 2 }, traceId: '1'.repeat(32) });
    const { events, overLimit } = eventsOf(
      'traces',
      tracesOf([...well, failure, span({ kind: 1, events: [exceptionEvent(EXCEPTION)] })]),
    );
    expect(events.length).toBe(1_000);
    expect(overLimit).toBe(202);
    expect(events.at(-1)?.event.event_type).toBe('backend_exception');
    expect(events.at(-2)?.event.payload).toMatchObject({ response_status: 500 });
  });

  it('refuses more spans than a request may hold, whatever they are', () => {
    const request = tracesOf(Array.from({ length: 20_001 }, () => ({ kind: 1 })));
    for (const form of ['protobuf', 'json'] as const) {
      expect(readBody(bodyOf(form, 'traces', request), form, 'traces')).toMatchObject({
        ok: false,
        problem: 'payload_too_large',
      });
    }
  });
});

describe('the JSON form', () => {
  const read = (request: object) => readBody(Buffer.from(JSON.stringify(request)), 'json', 'traces');

  it('takes ids in capitals or base64, names of enumerations and numbers as numbers', () => {
    const loose = span({
      traceId: Buffer.from(TRACE_ID, 'hex').toString('base64'),
      spanId: SPAN_ID.toUpperCase(),
      kind: 'SPAN_KIND_SERVER',
      startTimeUnixNano: 1774348198250000000,
      status: { code: 'STATUS_CODE_ERROR' },
      values: { ...FAILED, 'http.response.status_code': undefined },
    });
    const reading = read(tracesOf([loose], RESOURCE));
    expect(reading).toMatchObject({
      ok: true,
      events: [
        { event: { event_type: 'log_event', context: { trace: { trace_id: TRACE_ID, span_id: SPAN_ID } } } },
      ],
    });
  });

  it('passes over what it does not know, and whatever has another type', () => {
    const request = {
      more: 1,
      resourceSpans: [
        7,
        null,
        {
          resource: 'x',
          scopeSpans: [{ spans: [5, null, 'span', [], { attributes: { a: 1 }, events: 4, kind: {} }] }],
        },
        ...(tracesOf([span({ values: FAILED, unknown: { a: [1] } })]).resourceSpans as []),
      ],
    };
    expect(read(request)).toMatchObject({ ok: true, events: [{ event: { event_type: 'request_event' } }] });
  });

  it('is refused when it is none', () => {
    for (const text of ['', '{', '[]', 'null', '"x"', '{"resourceSpans":[}']) {
      expect(readBody(Buffer.from(text), 'json', 'traces')).toMatchObject({
        ok: false,
        problem: 'invalid_payload',
      });
    }
  });
});

describe('attributes', () => {
  it('set nothing at the top of the context', () => {
    const hostile = { severity: 'low', git: 'x', capture_loss: { a: 1 }, __proto__: 1, verification: true };
    const { events } = eventsOf('traces', {
      resourceSpans: [
        {
          resource: { attributes: attributes({ ...hostile, 'service.name': 's' }) },
          scopeSpans: [{ spans: [span({ values: { ...FAILED, ...hostile } })] }],
        },
      ],
    } as never);
    expect(Object.keys(events[0]?.event.context ?? {}).sort()).toEqual([
      'attributes',
      'resource',
      'trace',
      'user',
    ]);
  });

  it('of all types are kept, 128 of a span, to a depth of 8', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 20; level += 1) deep = level % 2 === 0 ? [deep] : { deep };
    const values: Record<string, unknown> = { list: [1, 'a', true, 1.5], map: { a: { b: null } }, deep };
    for (let index = 0; index < 200; index += 1) values[`key.${index}`] = index;
    const { events } = eventsOf('traces', tracesOf([span({ values: { 'http.method': 'GET', ...values } })]));
    const context = events[0]?.event.context as { attributes: Record<string, unknown> } | undefined;
    const kept = context?.attributes ?? {};
    expect(kept).toMatchObject({ list: [1, 'a', true, 1.5], map: { a: { b: null } } });
    expect(Object.keys(kept).length).toBe(127);
    expect(JSON.stringify(kept.deep)).toBe('{"deep":[{"deep":[{"deep":[{"deep":["[Truncated]"]}]}]}]}');
  });

  it('keep numbers exact, and name those that JSON has not', () => {
    const kinds = [
      { key: 'big', value: { intValue: '9007199254740993' } },
      { key: 'least', value: { intValue: '-9223372036854775808' } },
      { key: 'small', value: { intValue: '-5' } },
      { key: 'none', value: { doubleValue: 'NaN' } },
      { key: 'bytes', value: { bytesValue: 'aGk=' } },
    ];
    const { events } = eventsOf(
      'traces',
      tracesOf([span({ attributes: [...attributes({ 'http.method': 'GET' }), ...kinds] })]),
    );
    expect(events[0]?.event.context).toMatchObject({
      attributes: {
        big: '9007199254740993',
        least: '-9223372036854775808',
        small: -5,
        none: 'NaN',
        bytes: 'aGk=',
      },
    });
  });
});

it('an event without any time happened when it came', () => {
  const { events } = eventsOf(
    'traces',
    tracesOf([span({ values: FAILED, startTimeUnixNano: '0', endTimeUnixNano: '0' })]),
  );
  expect(events[0]?.event.occurred_at).toBe(new Date(SOURCE.receivedAtMs).toISOString());
  expect(events[0]?.event.payload).not.toHaveProperty('duration_ms');
});
