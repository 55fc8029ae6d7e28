import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/events/envelope/json.ts';
import { FAMILIES, familyEvent } from './families.ts';
import { at, mapped, mappedEvent, normalizedEvent, RECEIVED_AT } from './map-event.ts';

describe('an event of each family of libraries', () => {
  it.each(FAMILIES)('$family', ({ event, becomes, name, runtime, frame, framework }) => {
    const found = mappedEvent(event);
    expect(found.event_type).toBe(becomes);
    expect(at(found, 'payload.name')).toBe(name);
    expect(at(found, 'service.runtime')).toBe(runtime);
    expect(at(found, 'service.framework')).toBe(framework);
    const [newest] = at(found, 'payload.exceptions.0.frames') as JsonObject[];
    expect([newest?.file ?? newest?.package]).toEqual([frame]);
    expect(found.event_id).toBe(event.event_id);
    expect(found.schema_version).toBe('sentry-7');
  });

  it('never lets anything of a user but the id through', () => {
    for (const { event } of FAMILIES) {
      const text = JSON.stringify(
        mappedEvent({
          ...event,
          user: { id: 'u', email: 'kim@example.com', ip_address: '203.0.113.9', name: 'Kim' },
        }),
      );
      expect(text).not.toMatch(/kim@example|203\.0\.113\.9|Kim/);
      expect(text).toContain('"user":{"id":"u"}');
    }
  });
});

describe('the envelope of an event', () => {
  const simple = { exception: { values: [{ type: 'A', value: 'b' }] } };

  it.each<[JsonValue, string]>([
    [1_764_374_400.123, '2025-11-29T00:00:00.123Z'],
    ['1764374400', '2025-11-29T00:00:00.000Z'],
    ['2025-11-29T00:00:00.123456789Z', '2025-11-29T00:00:00.123Z'],
    ['2025-11-29T00:00:00', '2025-11-29T00:00:00.000Z'],
    ['2025-11-29T01:00:00+01:00', '2025-11-29T00:00:00.000Z'],
    [1_764_374_400_123, '2025-11-29T00:00:00.123Z'],
    ['yesterday', '2025-11-29T00:00:02.000Z'],
    [null, '2025-11-29T00:00:02.000Z'],
  ])('reads the time %s', (timestamp, expected) => {
    expect(mappedEvent({ ...simple, timestamp }).occurred_at).toBe(expected);
  });

  it('moves all times by the skew of the clock, and says so', () => {
    const twoHours = 7_200_000;
    const event = mappedEvent(
      {
        ...simple,
        timestamp: RECEIVED_AT / 1_000 - 7_200,
        breadcrumbs: [{ timestamp: RECEIVED_AT / 1_000 - 7_201, message: 'x' }],
      },
      { clockSkewMs: twoHours },
    );
    expect(event.occurred_at).toBe(new Date(RECEIVED_AT).toISOString());
    expect(at(event, 'payload.breadcrumbs.0.ts')).toBe(RECEIVED_AT - 1_000);
    expect(at(event, 'context.clock_skew_ms')).toBe(twoHours);
    expect(mappedEvent(simple, { clockSkewMs: twoHours }).occurred_at).toBe(
      new Date(RECEIVED_AT).toISOString(),
    );
  });

  it.each<[JsonObject, string]>([
    [{ tags: { service: 'cart' } }, 'cart'],
    [{ tags: [['service.name', 'cart']] }, 'cart'],
    [{ contexts: { otel: { resource: { 'service.name': 'cart' } } } }, 'cart'],
    [{ contexts: { otel: { resource: { 'service.name': 'node', 'service.namespace': 'sentry' } } } }, 'shop'],
    [{ tags: { service: '  ' } }, 'shop'],
    [{}, 'shop'],
  ])('names the service of %j', (more, expected) => {
    expect(at(mappedEvent({ ...simple, ...more }), 'service.name')).toBe(expected);
  });

  it('takes library and trace of the envelope where the event lacks them, then the name in the request', () => {
    const trace = { trace_id: 'f'.repeat(32) };
    const event = mappedEvent(simple, { trace, sdk: { name: 'sentry.cocoa', version: '8' } });
    expect([event.sdk_name, event.sdk_version, at(event, 'correlation.trace_id')]).toEqual([
      'sentry.cocoa',
      '8',
      'f'.repeat(32),
    ]);
    const bare = mappedEvent(simple, { clientName: 'raven-js/3.1.2' });
    expect([bare.sdk_name, bare.sdk_version, bare.event_id]).toEqual(['raven-js', '3.1.2', undefined]);
  });

  it('takes the id of the envelope before its own, without dashes', () => {
    const event = { ...simple, event_id: 'AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA' };
    expect(mapped('event', event).eventId).toBe('a'.repeat(32));
    expect(mapped('event', event, { eventId: 'b'.repeat(32) }).eventId).toBe('b'.repeat(32));
    expect(mapped('event', { ...simple, event_id: 'zz' }).eventId).toBeNull();
  });
});

describe('the exceptions of an event', () => {
  const entry = { type: 'A', value: 'b' };

  it.each<[string, JsonValue, string, string, number]>([
    ['an object with values', { values: [entry] }, 'A', 'b', 1],
    ['a list', [entry], 'A', 'b', 1],
    ['one object', entry, 'A', 'b', 1],
    ['nulls among them', { values: [null, entry, null] }, 'A', 'b', 1],
    ['no type', { values: [{ value: 'b' }] }, 'Error', 'b', 1],
    ['a value that is an object', { values: [{ type: 'A', value: { code: 7 } }] }, 'A', '{"code":7}', 1],
    ['no value', { values: [{ type: 'A', value: null }] }, 'A', '', 1],
    ['200 entries', { values: Array.from({ length: 200 }, () => ({ ...entry })) }, 'A', 'b', 20],
  ])('F-29 %s', (_title, exception, name, message, count) => {
    const event = mappedEvent({ exception });
    expect(event.event_type).toBe('backend_exception');
    expect(at(event, 'payload.name')).toBe(name);
    expect(at(event, 'payload.message')).toBe(message);
    expect(at(event, 'payload.exceptions')).toHaveLength(count);
  });

  // F-28
  it('are unhandled when any entry is', () => {
    const chain = (handled: boolean | null) => ({
      values: [
        { ...entry, mechanism: { type: 'x', handled } },
        { type: 'B', value: 'c', mechanism: null },
      ],
    });
    expect(at(mappedEvent({ exception: chain(false) }), 'payload.handled')).toBe(false);
    expect(at(mappedEvent({ exception: chain(true) }), 'payload.handled')).toBe(true);
    expect(at(mappedEvent({ exception: chain(null) }), 'payload.handled')).toBe(true);
  });

  it('are outermost first, with the main one by its number', () => {
    const exception = {
      values: [
        { type: 'Main', value: 'm', mechanism: { exception_id: 0 } },
        { type: 'Cause', value: 'c', mechanism: { exception_id: 1, parent_id: 0 } },
      ],
    };
    expect(at(mappedEvent({ exception }), 'payload.name')).toBe('Main');
    const list = [{ type: 'Inner' }, { type: 'Outer' }];
    const types = (at(mappedEvent({ exception: list }), 'payload.exceptions') as JsonObject[]).map(
      ({ type }) => type,
    );
    expect(types).toEqual(['Outer', 'Inner']);
  });

  it('leave frames to every entry of a chain of long stacks, the newest ones', () => {
    const frames = Array.from({ length: 400 }, (_, index) => ({ function: `f${index}`, filename: 'a.py' }));
    const exception = {
      values: [
        { ...entry, stacktrace: { frames } },
        { ...entry, stacktrace: { frames } },
      ],
    };
    const sent = at(mappedEvent({ exception }), 'payload.exceptions') as JsonObject[];
    expect(sent.map((each) => (each.frames as JsonValue[]).length)).toEqual([220, 30]);
    expect(at(sent, '1.frames.0.function')).toBe('f399');
  });

  it('are a crash where only a thread crashed, and a message where none did', () => {
    const stacktrace = { frames: [{ function: 'total', package: '/app/shop' }] };
    const crashed = mappedEvent({ platform: 'native', threads: { values: [{ crashed: true, stacktrace }] } });
    expect([crashed.event_type, at(crashed, 'payload.name'), at(crashed, 'payload.handled')]).toEqual([
      'backend_exception',
      'Crash',
      false,
    ]);
    const idle = mappedEvent({ message: 'm', threads: [{ current: true, stacktrace }] });
    expect(idle.event_type).toBe('log_event');
    expect(at(idle, 'context.sentry.capture_stack')).toBe('at total ()');
  });

  it('drop flags that say nothing, and keep those that do', () => {
    const flags = (platform: string, ...sent: (boolean | null)[]) => {
      const frames = sent.map((in_app, index) => ({ function: `f${index}`, filename: 'a', in_app }));
      const event = mappedEvent({ platform, exception: { values: [{ ...entry, stacktrace: { frames } }] } });
      return (at(event, 'payload.exceptions.0.frames') as JsonObject[]).map((frame) => frame.in_app);
    };
    expect(flags('ruby', false, false)).toEqual([undefined, undefined]);
    expect(flags('ruby', true, false)).toEqual([false, true]);
    expect(flags('javascript', true, true)).toEqual([undefined, undefined]);
    expect(flags('python', true, true)).toEqual([true, true]);
  });

  it('keep the variables of the newest own frames, without secrets in their values', () => {
    const event = mappedEvent(familyEvent('python 1 flask'));
    const [own, foreign] = at(event, 'payload.exceptions.0.frames') as JsonObject[];
    expect(own?.vars).toEqual({
      count: '2',
      password: "'hunter2'",
      account: '{"name":"\'kim\'","api_key":"[REDACTED]"}',
    });
    expect(foreign?.vars).toBeUndefined();
    const { payload } = normalizedEvent(familyEvent('python 1 flask'));
    expect(JSON.stringify(payload)).not.toContain('hunter2');
  });

  it('are devices where they happened with people', () => {
    const type = (more: JsonObject) => mappedEvent({ exception: entry, ...more }).event_type;
    expect(type({ platform: 'javascript' })).toBe('frontend_exception');
    expect(type({ platform: 'javascript', contexts: { runtime: { name: 'cloudflare' } } })).toBe(
      'backend_exception',
    );
    expect(
      type({ platform: 'javascript', contexts: { runtime: { name: 'Dart' }, browser: { name: 'Chrome' } } }),
    ).toBe('frontend_exception');
    expect(type({ platform: 'java', contexts: { os: { name: 'Android' } } })).toBe('frontend_exception');
    expect(type({ platform: 'csharp', contexts: { device: { model: 'PC' } } })).toBe('frontend_exception');
    expect(type({ platform: 'csharp', contexts: { device: { arch: 'X64' } } })).toBe('backend_exception');
    expect(type({ platform: 'other', sdk: { name: 'sentry.dart.flutter' } })).toBe('frontend_exception');
    expect(type({ platform: 'python', contexts: { device: { model: 'x' } } })).toBe('backend_exception');
  });
});

describe('a captured message', () => {
  it.each<[string, JsonObject, string]>([
    ['text', { message: 'low' }, 'low'],
    ['an object', { message: { formatted: 'low 3', message: 'low %s' } }, 'low 3'],
    ['logentry', { logentry: { message: 'low %s of %d: %s', params: ['sku', 3] } }, 'low sku of 3: %s'],
    ['braces', { logentry: { message: 'low {} and {sku}, {0}', params: ['x'] } }, 'low x and {sku}, x'],
    [
      'names',
      { logentry: { message: '%(sku)s is {left}, 100%%', params: { sku: 'a', left: 2 } } },
      'a is 2, 100%',
    ],
    ['no parameters', { logentry: { message: '100% of {x}' } }, '100% of {x}'],
    [
      'a synthetic exception',
      { exception: { values: [{ value: 'low', mechanism: { synthetic: true, handled: true } }] } },
      'low',
    ],
    ['nothing', {}, '(no message)'],
  ])('from %s', (_title, event, message) => {
    const found = mappedEvent({ ...event, level: 'warning' });
    expect(found.event_type).toBe('log_event');
    expect(at(found, 'payload.message')).toBe(message);
    expect(at(found, 'payload.captured')).toBe(true);
    expect(at(found, 'payload.level')).toBe('warning');
  });

  it.each<[JsonValue, string]>([
    ['log', 'info'],
    ['warning', 'warning'],
    [40, 'error'],
    [50, 'fatal'],
    ['sad', 'info'],
    [null, 'info'],
  ])('has for the level %s the level %s', (level, expected) => {
    expect(at(mappedEvent({ message: 'm', level }), 'payload.level')).toBe(expected);
  });

  it('has the file of its place, of which Go writes the whole path alone', () => {
    const frames = [{ function: 'main', module: 'main', abs_path: '/src/main.go', lineno: 3 }];
    const found = mappedEvent({ platform: 'go', message: 'x', threads: [{ stacktrace: { frames } }] });
    expect(at(found, 'context.sentry.capture_stack')).toBe('at main (/src/main.go:3)');
  });
});

describe('what surrounds an event', () => {
  it('never says what only Culprit may say', () => {
    const forged = {
      severity: 'critical',
      verification: true,
      fatal: true,
      git: { commit: 'x' },
      capture_loss: { other: 5 },
    };
    const event = mappedEvent({
      exception: { type: 'A', value: 'b' },
      tags: forged,
      extra: forged,
      contexts: { ...forged, severity: { type: 'critical' } },
      ...forged,
    });
    const context = event.context as JsonObject;
    expect(Object.keys(context).sort()).toEqual(['contexts', 'extra', 'sentry', 'tags']);
    expect(at(context, 'sentry.other.severity')).toBe('critical');
  });

  it('keeps a fingerprint as evidence, unless it is the default', () => {
    const of = (fingerprint: JsonValue) =>
      at(mappedEvent({ message: 'm', fingerprint }), 'context.sentry.fingerprint');
    expect(of(['{{ default }}'])).toBeUndefined();
    expect(of(['a', 5])).toEqual(['a', '5']);
    expect(of(Array.from({ length: 30 }, () => 'x'.repeat(500)))).toHaveLength(10);
  });

  it('is fatal when the program died of it', () => {
    const fatal = (level: string, handled: boolean) =>
      at(mappedEvent({ level, exception: { type: 'A', mechanism: { handled } } }), 'context.fatal');
    expect([fatal('fatal', false), fatal('fatal', true), fatal('error', false)]).toEqual([
      true,
      undefined,
      undefined,
    ]);
  });

  it('has the request with its query, headers and body, but no cookies', () => {
    const event = mappedEvent(familyEvent('node 9'));
    expect(at(event, 'payload.request')).toEqual({
      method: 'POST',
      path: '/orders/7',
      query: { coupon: 'x' },
      headers: { host: 'shop.example.com', 'user-agent': 'curl/8', authorization: 'Bearer abc' },
      body: { count: 2, password: 'hunter2' },
      route_template: '/orders/:id',
    });
  });

  it.each<[JsonObject, JsonObject]>([
    [
      { url: 'http://h:8080/x?a=1#f', headers: [['Accept', '*/*']] },
      { path: '/x', query: { a: '1' }, headers: { Accept: '*/*', host: 'h:8080' } },
    ],
    [
      {
        url: '/x',
        query_string: [
          ['a', '1'],
          ['b', '2'],
          ['b', '3'],
        ],
      },
      { path: '/x', query: { a: '1', b: ['2', '3'] } },
    ],
    [{ url: '/x?a=1&a=2&b=&a=3' }, { path: '/x', query: { a: ['1', '2', '3'], b: '' } }],
    [
      { url: 'http://h', query_string: { a: '1' }, data: 'a=1' },
      { path: '/', query: { a: '1' }, headers: { host: 'h' }, body: 'a=1' },
    ],
    [{ url: '/x', headers: { Baggage: 'sentry-public_key=x', 'sentry-trace': 'y' } }, { path: '/x' }],
  ])('reads the request %j', (request, expected) => {
    expect(at(mappedEvent({ exception: { type: 'A' }, request }), 'payload.request')).toEqual(expected);
  });

  it('has the route only where the name of the transaction is one', () => {
    const route = (transaction: string, source?: string) =>
      at(
        mappedEvent({
          exception: { type: 'A' },
          request: { url: '/x' },
          transaction,
          ...(source === undefined ? {} : { transaction_info: { source } }),
        }),
        'payload.request.route_template',
      );
    expect(route('GET /orders/:id')).toBe('/orders/:id');
    expect(route('/orders/<int:id>')).toBe('/orders/<int:id>');
    expect(route('/orders', 'route')).toBe('/orders');
    expect(route('/orders/7')).toBeUndefined();
    expect(route('shop.views.order')).toBeUndefined();
  });

  it('has the trail of a service as lines and breadcrumbs, of a page as breadcrumbs', () => {
    const service = mappedEvent(familyEvent('node 9'));
    expect(at(service, 'payload.logs')).toEqual([
      { level: 'warn', message: 'stock is low', ts: 1_764_374_399_123, logger: 'console' },
    ]);
    expect(at(service, 'payload.breadcrumbs.0')).toMatchObject({
      breadcrumb_type: 'network_request',
      data: { url: 'http://stock/items', method: 'GET', status_code: 200 },
    });
    const page = at(mappedEvent(familyEvent('page 7')), 'payload.breadcrumbs') as JsonObject[];
    expect(page.map(({ breadcrumb_type: type, data }) => [type, data])).toEqual([
      ['route_change', { route: '/cart', from: '/' }],
      ['click', { selector: 'button#buy' }],
      ['network_request', { url: '/api/cart', method: 'POST', status_code: 503 }],
      ['console_log', { level: 'info', message: 'cart', source: 'console' }],
    ]);
    const app = at(mappedEvent(familyEvent('android')), 'payload.breadcrumbs') as JsonObject[];
    expect(app.map(({ data }) => data)).toEqual([
      { screen: 'Cart', state: 'created' },
      { url: 'https://api', method: 'GET', status_code: 500, duration_ms: 250 },
    ]);
  });

  it('keeps what an entry of the trail says in whatever form', () => {
    const crumbs = [
      { category: 'navigation', type: 'navigation', data: { screen: 'Cart', state: 'created' } },
      { category: 'navigation', message: 'to the cart' },
      { category: 'ui.click', data: { 'view.tag': 'pay', 'view.class': 'Button' } },
      { category: 'ui.click', message: '', data: { 'view.class': 'Button' } },
      { category: 'graphql', type: 'http', message: 'query Cart' },
      { category: 'http', type: 'http', data: { status_code: 502 } },
    ];
    const exception = { values: [{ type: 'A', value: 'b' }] };
    const found = mappedEvent({ exception, breadcrumbs: { values: crumbs } });
    expect(at(found, 'payload.breadcrumbs')).toEqual([
      { breadcrumb_type: 'navigation', data: { screen: 'Cart', state: 'created' } },
      { breadcrumb_type: 'navigation', data: { message: 'to the cart' } },
      { breadcrumb_type: 'click', data: { selector: 'pay' } },
      { breadcrumb_type: 'ui.click', data: { 'view.class': 'Button', message: '' } },
      { breadcrumb_type: 'graphql', data: { message: 'query Cart' } },
      { breadcrumb_type: 'network_request', data: { status_code: 502 } },
    ]);
  });

  it('has page, browser and device', () => {
    const page = normalizedEvent(familyEvent('page 11'));
    expect(page.device?.browser?.name).toBe('Chrome');
    expect(at(mappedEvent(familyEvent('page 11')), 'payload.route')).toBe('/cart');
    const app = normalizedEvent(familyEvent('android'));
    expect(app.device?.os).toEqual({ name: 'Android', version: '14' });
    expect(app.device?.extra).toMatchObject({
      model: 'Pixel 8',
      manufacturer: 'Google',
      app_version: '2.1',
      build_number: '41',
    });
  });

  it('names what was left out', () => {
    const event = mappedEvent(familyEvent('cocoa'), { droppedItems: ['attachment', 'replay_event'] });
    expect(at(event, 'context.sentry.dropped')).toEqual(['attachment', 'replay_event', '1 debug images']);
  });
});
