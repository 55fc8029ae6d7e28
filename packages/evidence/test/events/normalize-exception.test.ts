import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../src/events/envelope/check-event.ts';
import type { JsonValue } from '../../src/events/envelope/json.ts';
import type { ExceptionPayload, NormalizedEvent } from '../../src/events/normalize/event.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { type FixtureName, fixture } from './event-fixtures.ts';

const SENT_MS = Date.UTC(2026, 2, 24, 10, 30);

function normalized(
  name: FixtureName,
  set: Record<string, JsonValue>,
  unset: string[] = [],
): NormalizedEvent {
  const event = fixture(name, set, unset);
  const check = checkEvent(event);
  if (!check.ok) throw new Error(check.reason);
  return normalizeEvent(event, { eventId: 'evt_1', receivedAtMs: SENT_MS });
}

function exception(
  name: FixtureName,
  set: Record<string, JsonValue>,
  unset: string[] = [],
): ExceptionPayload {
  const { payload } = normalized(name, set, unset);
  if (payload.kind !== 'exception') throw new Error('unexpected kind');
  return payload;
}

describe('name, message and stack', () => {
  it('are read under each of their names', () => {
    const error = { type: 'IllegalState', message: 'm', stack_trace: ['at a.b(C.kt:1)'] };
    expect(exception('W', { payload: { error } })).toMatchObject({
      name: 'IllegalState',
      message: 'm',
      stack: 'at a.b(C.kt:1)',
    });
  });

  it('lose the leading backslash of PHP', () => {
    expect(exception('A', { 'payload.error_class': '\\App\\NotFound' }).name).toBe('App\\NotFound');
    expect(exception('A', { 'payload.error_class': '\\' }).name).toBe('Error');
    expect(exception('A', { 'payload.error_class': '  ' }).name).toBe('Error');
  });

  it.each([
    ['first line', 'TypeError: it broke\n    at f (a.js:1:1)', 'it broke'],
    [
      'last line, as in Python',
      'Traceback (most recent call last):\n  File "a.py", line 1\nTypeError: it broke',
      'it broke',
    ],
    ['no header', '    at f (a.js:1:1)', ''],
  ])('take an absent message from the header: %s', (_, stack, message) => {
    expect(exception('A', { 'payload.message': null, 'payload.stacktrace': stack }).message).toBe(message);
  });

  it('find the header by the last segment of the type, and prefer a message that is there', () => {
    const set = {
      'payload.error_class': 'acme.TypeError',
      'payload.stacktrace': 'TypeError: from the stack',
    };
    expect(exception('A', { ...set, 'payload.message': '' }).message).toBe('from the stack');
    expect(exception('A', { ...set, 'payload.message': 'given' }).message).toBe('given');
  });
});

describe('a backend exception', () => {
  it('puts the inner exception before the listed causes', () => {
    const { causes } = exception('W', {
      'payload.inner_exception': { name: 'Inner', message: 'i', stack: null },
      'payload.causes': [{ name: ' Listed ', stack: ['at x', 'at y'] }, {}],
    });
    expect(causes).toEqual([
      { name: 'Inner', message: 'i', stack: null },
      { name: 'Listed', message: '', stack: 'at x\nat y' },
      { name: '', message: '', stack: null },
    ]);
  });

  it('keeps request, response and runtime', () => {
    const payload = exception('W', {
      'payload.request': { method: 'get', url: '/only', query: [], body: { a: 1 }, route_template: '/:x' },
      'payload.response': { status_code: null, headers: { a: 'b' } },
      'payload.runtime': {
        version: '24',
        memory: { rss: 1 },
        thread_id: 4,
        framework_extras: { goroutines: 3 },
        odd: 1,
      },
    });
    expect(payload.request).toEqual({
      method: 'get',
      path: '/only',
      url: null,
      query: {},
      headers: {},
      body: { a: 1 },
      routeTemplate: '/:x',
    });
    expect(payload.response).toEqual({ statusCode: null, durationMs: null, headers: { a: 'b' }, body: null });
    expect(payload.runtime).toEqual({
      version: '24',
      memory: { rss: 1 },
      thread_id: 4,
      framework_extras: { goroutines: 3 },
    });
    expect(payload).toMatchObject({ route: null, browser: null, breadcrumbs: [], browserEvent: null });
  });

  it('reads empty blocks as absent and takes request and response from the context then', () => {
    const context = {
      request: { method: 'PUT', path: '/c', headers: { cookie: 'x' } },
      response: { status_code: 502 },
    };
    const payload = exception('W', {
      context,
      'payload.request': [],
      'payload.response': null,
      'payload.runtime': [],
    });
    expect(payload).toMatchObject({
      request: { method: 'PUT', path: '/c', headers: { cookie: '[REDACTED]' } },
      response: { statusCode: 502 },
      runtime: null,
    });
    expect(exception('W', { context: { request: 'GET /x' }, 'payload.request': {} }).request).toBeNull();
  });

  it('keeps the newest 500 probe items', () => {
    const items = Array.from({ length: 501 }, (_, i) => ({
      label: `p${i}`,
      data: i === 500 ? 5 : {},
      occurred_at: '2026-03-24T10:29:00Z',
      activation_id: i === 500 ? '550E8400-e29b-41d4-a716-446655440000' : null,
    }));
    const { probeData } = exception('W', { 'payload.probe_data': { version: 1, items } });
    expect(probeData).toHaveLength(500);
    expect(probeData[0]?.label).toBe('p1');
    expect(probeData[499]).toEqual({
      label: 'p500',
      data: { value: 5 },
      timestampMs: SENT_MS - 60_000,
      activationId: 'act_550e8400-e29b-41d4-a716-446655440000',
    });
  });
});

describe('a frontend exception', () => {
  it('keeps its browser parts', () => {
    const payload = exception('FE', {
      'payload.handled': null,
      'payload.breadcrumbs': [
        { breadcrumb_type: 'click', route: '/', data: { selector: 'a' }, ts: '2026-03-24T10:29:59Z' },
        { data: [], occurred_at: '2026-03-24T10:29:58Z' },
        { breadcrumb_type: 'x', data: null, ts: 1_774_348_200_000 },
        { breadcrumb_type: 'x', ts: 1_774_348_200 },
        { breadcrumb_type: 'x', ts: 'soon' },
        { breadcrumb_type: 'x', ts: -5 },
      ],
      'payload.rejection_reason': { kind: 'object', preview: '{}' },
      'payload.dom_context': { mode: 'lightweight', html_excerpt: '<p>' },
    });
    expect(payload.handled).toBe(false);
    expect(payload.route).toBe('/cart');
    expect(payload.browser).toEqual({ name: 'Chrome', version: '140' });
    expect(payload.breadcrumbs[0]).toEqual({
      breadcrumbType: 'click',
      route: '/',
      data: { selector: 'a' },
      timestampMs: SENT_MS - 1_000,
    });
    expect(payload.breadcrumbs[1]).toMatchObject({
      breadcrumbType: 'custom',
      data: {},
      timestampMs: SENT_MS - 2_000,
    });
    expect(payload.breadcrumbs.slice(2).map((each) => each.timestampMs)).toEqual([
      SENT_MS,
      SENT_MS,
      null,
      null,
    ]);
    expect(payload.rejectionReason).toEqual({ kind: 'object', name: null, message: null, preview: '{}' });
    expect(payload.domContext).toEqual({ mode: 'lightweight', htmlExcerpt: '<p>' });
    expect(payload.browserEvent).toEqual({
      kind: 'resource_error',
      message: null,
      fileName: null,
      lineNumber: null,
      columnNumber: null,
      target: { tagName: 'script', sourceUrl: 'https://cdn.ads.example/x.js', attributes: {} },
      page: null,
      opaque: true,
    });
  });

  it('puts a bare url into the page of its browser event, else into the context', () => {
    const url = 'https://shop.example/cart';
    expect(exception('FE', { 'payload.url': url }).browserEvent?.page).toEqual({
      url,
      referrer: null,
      readyState: null,
      visibilityState: null,
    });
    const known = {
      kind: 'window_error',
      opaque: false,
      page: { url: 'https://other/', ready_state: 'complete' },
    };
    expect(
      exception('FE', { 'payload.url': url, 'payload.browser_event': known }).browserEvent?.page,
    ).toEqual({
      url: 'https://other/',
      referrer: null,
      readyState: 'complete',
      visibilityState: null,
    });
    expect(normalized('FE', { 'payload.url': url }, ['payload.browser_event']).context).toEqual({ url });
  });

  it('does not name backend blocks', () => {
    const logs = [{ message: 'x' }];
    const event = normalized('FE', { 'payload.request': { path: '/x' }, 'payload.logs': logs });
    expect(event.payload).toMatchObject({ request: null, trail: { logs: [] }, runtime: null });
    expect(event.extra).toEqual({ request: { path: '/x' }, logs });
  });
});

describe('the device', () => {
  it('is the one of the payload, else the one of the envelope', () => {
    const set = { device: { model: 'envelope' }, 'payload.device': { model: 'payload' } };
    expect(normalized('FE', set).device?.extra).toEqual({ model: 'payload' });
    expect(normalized('FE', { ...set, 'payload.device': [] }).device?.extra).toEqual({ model: 'envelope' });
    expect(normalized('FE', { device: {} }).device).toBeNull();
  });

  it('maps flat mobile keys into structured ones', () => {
    const device = {
      os_name: 'Android',
      os_version: '15',
      screen_width: 1080,
      screen_height: 2400,
      locale: 'de-DE',
      app_version: '3.1',
      rooted: false,
      odd: { password: 'x' },
    };
    expect(normalized('A', { device }).device).toEqual({
      userAgent: null,
      browser: null,
      os: { name: 'Android', version: '15' },
      deviceType: 'unknown',
      screen: { width: 1080, height: 2400 },
      viewport: null,
      devicePixelRatio: null,
      touchCapable: null,
      language: 'de-DE',
      connectionType: null,
      colorSchemePreference: null,
      extra: { app_version: '3.1', rooted: false, odd: { password: '[REDACTED]' } },
    });
  });

  it('prefers structured keys and keeps what has no place', () => {
    const device = {
      os: { name: 'iOS', kernel: 'x' },
      os_name: 'no',
      screen: { width: 1, height: 2 },
      screen_width: 9,
      screen_height: 9,
      viewport: { width: 3 },
      language: 'en',
      locale: 'en-GB',
      device_type: 'toaster',
      device_pixel_ratio: 2.5,
      touch_capable: true,
      connection_type: '4g',
      color_scheme_preference: 'dark',
    };
    expect(normalized('FE', { 'payload.device': device, 'payload.user_agent': 'UA' }).device).toEqual({
      userAgent: 'UA',
      browser: { name: 'Chrome', version: '140' },
      os: { name: 'iOS', version: null },
      deviceType: 'unknown',
      screen: { width: 1, height: 2 },
      viewport: null,
      devicePixelRatio: 2.5,
      touchCapable: true,
      language: 'en',
      connectionType: '4g',
      colorSchemePreference: 'dark',
      extra: { locale: 'en-GB', os: { kernel: 'x' } },
    });
  });

  it('comes into being for a user agent alone', () => {
    expect(normalized('FE', { 'payload.user_agent': 'UA' }).device).toMatchObject({
      userAgent: 'UA',
      extra: {},
    });
    expect(
      normalized('FE', { 'payload.user_agent': 'UA', 'payload.device': { user_agent: 'own' } }).device,
    ).toMatchObject({
      userAgent: 'own',
    });
  });
});
