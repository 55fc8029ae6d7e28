import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import { topFrames } from '../../src/bundles/document/context-blocks/top-frames.ts';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import type { ParsedFrame } from '../../src/events/fingerprint/stack/parsed-stack.ts';
import type { Breadcrumb, NormalizedEvent } from '../../src/events/normalize/event.ts';
import {
  breadcrumb,
  browserEvent,
  evidenceOf,
  exception,
  frontendException,
  log,
  MOMENT_MS,
  request,
  requestEvent,
  response,
  sample,
} from './build-evidence.ts';
import { contextOf } from './context-of.ts';

function frame(file: string | null, line: number | null, inApp = true): ParsedFrame {
  return { module: 'm', function: 'f', file, line, column: null, inApp };
}

describe('top frames', () => {
  it.each([
    [frame('/srv/app/src/cart.js', 42), 'src/cart.js:42'],
    [frame('cart.py', 7), 'cart.py:7'],
    [frame('C:\\app\\Billing\\Charge.cs', 9), 'Billing/Charge.cs:9'],
    [frame('https://shop.example/app.js?v=1', 10), 'app.js:10'],
    [frame('OrderService.java', null), 'OrderService.java'],
  ])('%o', (parsed, expected) => {
    expect(topFrames([{ type: '', message: '', frames: [parsed] }])).toEqual([expected]);
  });

  it('are at most five, in-app before all others, of the outermost exception that has some', () => {
    const vendor = frame('/srv/node_modules/x.js', 1, false);
    const own = Array.from({ length: 7 }, (_, i) => frame(`/a/b${i}.js`, i));
    const chain = (frames: ParsedFrame[][]) =>
      frames.map((each) => ({ type: '', message: '', frames: each }));
    expect(topFrames(chain([[vendor, ...own]]))).toEqual([
      'a/b0.js:0',
      'a/b1.js:1',
      'a/b2.js:2',
      'a/b3.js:3',
      'a/b4.js:4',
    ]);
    expect(topFrames(chain([[vendor], [own[0] as ParsedFrame]]))).toEqual(['a/b0.js:0']);
    expect(topFrames(chain([[frame(null, 1)], [vendor]]))).toEqual(['node_modules/x.js:1']);
    expect(topFrames([])).toEqual([]);
  });
});

describe('error', () => {
  it('a logged stack makes a handled error', () => {
    const attributes = {
      error: { name: 'PayError', stack: 'PayError: refused\n    at pay (/srv/app/src/pay.js:7:1)' },
    };
    expect(contextOf(log('payment refused', { attributes })).error).toEqual({
      version: 1,
      name: 'PayError',
      message: 'refused',
      stack: 'PayError: refused\n    at pay (/srv/app/src/pay.js:7:1)',
      handled: true,
      top_frames: ['src/pay.js:7'],
    });
    expect(contextOf(log('payment refused', { attributes: { stack: 'no frames here' } })).error).toBeNull();
  });

  it('a chain of more than eight keeps its root cause', () => {
    const causes = Array.from({ length: 12 }, (_, i) => ({ name: `E${i}`, message: 'm', stack: null }));
    const items = contextOf(exception({ causes })).error_chain?.items ?? [];
    expect(items.map((item) => item.type)).toEqual(['TypeError', 'E0', 'E1', 'E2', 'E3', 'E4', 'E5', 'E11']);
  });
});

describe('request and response', () => {
  it('come from a request event', () => {
    const context = contextOf(
      requestEvent(
        { method: 'GET', path: '/orders/48213?expand=lines#x' },
        { statusCode: 502, durationMs: 12, body: 'bad gateway' },
      ),
    );
    expect(context.request).toMatchObject({
      method: 'GET',
      path: '/orders/48213',
      route_template: '/orders/{param}',
      query: { expand: 'lines' },
      request_id: null,
    });
    expect(context.response).toMatchObject({ status_code: 502, duration_ms: 12, body: 'bad gateway' });
  });

  it('a request without any content is none', () => {
    expect(contextOf(exception({ request: request({ method: null, path: null }) })).request).toBeNull();
  });

  it('a response alone is shown, but not beside the request of another event', () => {
    expect(contextOf(exception({ response: response() })).response?.status_code).toBe(500);
    const correlated = [{ event: requestEvent({}, { statusCode: 404 }), relation: 'trace' as const }];
    expect(contextOf(exception({ response: response() }), { correlated }).response?.status_code).toBe(404);
  });
});

describe('logs', () => {
  it('show the record of a log incident, with a fatal level as critical', () => {
    expect(
      contextOf(log('disk full', { level: 'fatal', attributes: { volume: '/data' } })).logs?.items,
    ).toEqual([
      {
        level: 'critical',
        message: 'disk full',
        timestamp: '2026-03-24T10:30:00.000Z',
        attributes: { volume: '/data' },
      },
    ]);
  });
});

describe('environment and runtime', () => {
  it('join runtime facts with context.environment', () => {
    const occurrence = exception(
      {
        runtime: {
          version: '21',
          platform: 'linux',
          jvm_name: 'OpenJDK',
          memory: { total_bytes: 100, free_bytes: 30, max_bytes: 500 },
          framework_extras: { goroutines: 9 },
        },
      },
      {
        context: { environment: { host: 'web-1', container_id: 'c9' } },
        service: { name: 's', environment: 'e', runtime: 'java', framework: 'spring' },
      },
    );
    const { environment, runtime } = contextOf(occurrence);
    expect(environment).toEqual({ version: 1, os: 'linux', host: 'web-1', container_id: 'c9' });
    expect(runtime).toMatchObject({
      name: 'java',
      runtime_version: '21',
      framework: 'spring',
      memory: { rss: null, heap_total: 100, heap_used: 70, external: null, peak: null },
      framework_extras: { goroutines: 9, jvm_name: 'OpenJDK' },
    });
  });

  it('a service that names its runtime is enough for the runtime block', () => {
    const service = { name: 's', environment: 'e', runtime: 'php', framework: null };
    expect(contextOf(exception({}, { service })).runtime).toMatchObject({
      name: 'php',
      runtime_version: null,
    });
    expect(contextOf(exception()).runtime).toBeNull();
  });
});

describe('git and dependencies', () => {
  it('read what context says, in the forms libraries send', () => {
    const dependencies = (value: JsonObject[string]) =>
      contextOf(exception({}, { context: { dependencies: value } })).dependencies?.items;
    expect(dependencies([{ name: 'db', status: 'ok', notes: 'fine' }, { status: 'ok' }, 'x'])).toEqual([
      { name: 'db', status: 'ok', notes: 'fine' },
    ]);
    expect(dependencies({ items: [{ name: 'db', status: 'melting' }] })).toEqual([
      { name: 'db', status: 'unknown', notes: null },
    ]);
    expect(dependencies({ cache: 'failed' })).toEqual([{ name: 'cache', status: 'failed', notes: null }]);
    expect(dependencies('none')).toBeUndefined();
    expect(contextOf(exception({}, { context: { git: { branch: 'main', source: 'guess' } } })).git).toEqual({
      version: 1,
      commit: null,
      commit_short: null,
      branch: 'main',
      repo: null,
      dirty: null,
      source: 'unknown',
    });
  });
});

describe('frontend', () => {
  const trail = (...breadcrumbs: Breadcrumb[]) => contextOf(frontendException({ breadcrumbs })).frontend;

  it('sorts breadcrumbs of browsers into their lists', () => {
    expect(
      trail(
        breadcrumb('route_change', { route: '/cart?x=1#y' }, MOMENT_MS - 9000),
        breadcrumb('route_change', { from: '/a', to: '/b' }, MOMENT_MS - 8000),
        breadcrumb('route_change', { route: '/pay' }, MOMENT_MS - 7000),
        breadcrumb('click', { selector: '#pay', label: 'Pay' }, MOMENT_MS - 6000),
        breadcrumb('form_submit', { form: '#f', field_count: 3 }, null),
        breadcrumb('console_log', { level: 'warn', message: 'careful', source: 'app.js' }, MOMENT_MS - 5000),
        breadcrumb(
          'network_request',
          {
            method: 'get',
            url: 'https://me:pw@api.example/x?k=1',
            status_code: 404,
            duration_ms: 7,
            caller_trace: ['a'],
            response_content_length: 0,
          },
          MOMENT_MS - 4000,
        ),
      ),
    ).toEqual({
      version: 1,
      route_changes: [
        { from: 'unknown', to: '/cart', ts: '2026-03-24T10:29:51.000Z' },
        { from: '/a', to: '/b', ts: '2026-03-24T10:29:52.000Z' },
        { from: '/b', to: '/pay', ts: '2026-03-24T10:29:53.000Z' },
      ],
      clicks: [{ selector: '#pay', label: 'Pay', ts: '2026-03-24T10:29:54.000Z' }],
      form_submissions: [{ form: '#f', fields: { field_count: 3 }, ts: null }],
      console_logs: [{ level: 'warn', message: 'careful', source: 'app.js', ts: '2026-03-24T10:29:55.000Z' }],
      network_requests: [
        {
          method: 'GET',
          url: 'https://api.example/x',
          status: 404,
          ts: '2026-03-24T10:29:56.000Z',
          duration_ms: 7,
          caller_trace: ['a'],
          response_content_length: 0,
        },
      ],
      exceptions: [],
      dom_context: null,
    });
  });

  it('finds a place for every breadcrumb of a mobile library', () => {
    const lists = trail(
      breadcrumb('screen_transition', { screen: 'Cart' }),
      breadcrumb('user_action', { action: 'swipe', message: 'left' }),
      breadcrumb('network', { url: '/x', status: 500 }),
      breadcrumb('app_lifecycle', {}),
      breadcrumb('custom', { message: 'hi', level: 'debug' }),
    );
    expect(lists?.route_changes[0]?.to).toBe('Cart');
    expect(lists?.clicks[0]).toMatchObject({ selector: 'swipe', label: 'left' });
    expect(lists?.network_requests[0]?.status).toBe(500);
    expect(lists?.console_logs.map((line) => [line.level, line.message])).toEqual([
      ['info', 'app_lifecycle'],
      ['debug', 'hi'],
    ]);
  });
});

describe('resource failure', () => {
  function failedScript(fields: Partial<NormalizedEvent> = {}, breadcrumbs: Breadcrumb[] = []) {
    return frontendException(
      {
        name: 'ResourceError',
        message: 'Failed to load resource',
        stack: null,
        route: '/cart?x=1',
        breadcrumbs,
        browserEvent: browserEvent({
          kind: 'resource_error',
          target: {
            tagName: 'SCRIPT',
            sourceUrl: 'https://CDN.shop.example/pay/v3/widget.js?k=abc#top',
            attributes: {},
          },
          page: { url: 'https://shop.example/cart', referrer: null, readyState: null, visibilityState: null },
        }),
      },
      fields,
    );
  }

  it('names the resource, the pages and the attempts to recover', () => {
    const occurrence = failedScript({}, [
      breadcrumb(
        'network_request',
        { method: 'POST', url: '/api/signed-url?x=1', status_code: 403 },
        MOMENT_MS - 30_000,
      ),
      breadcrumb(
        'network_request',
        { method: 'POST', url: '/api/refresh', status_code: 200 },
        MOMENT_MS - 10,
      ),
      breadcrumb(
        'network_request',
        { method: 'GET', url: '/api/design/7', status_code: 404 },
        MOMENT_MS - 10,
      ),
      breadcrumb(
        'network_request',
        { method: 'POST', url: '/api/renew', status_code: 500 },
        MOMENT_MS - 30_001,
      ),
    ]);
    const other = failedScript({ effectiveAtMs: MOMENT_MS - 5000 });
    const correlated = [
      {
        event: requestEvent(
          { path: '/auth/refresh' },
          { statusCode: 401 },
          { effectiveAtMs: MOMENT_MS + 1000 },
        ),
        relation: 'session' as const,
      },
    ];
    const samples = [sample(occurrence), sample(other, { roles: ['first'] })];
    const document = assembleBundle(evidenceOf(occurrence, { correlated, samples }));
    expect(document.context.resource_failure).toEqual({
      version: 1,
      host: 'cdn.shop.example',
      path: '/pay/v3/widget.js',
      tag_name: 'script',
      first_party: true,
      routes: ['/cart'],
      recovery_failures: [
        { method: 'POST', path: '/auth/refresh', status: 401, occurred_at: '2026-03-24T10:30:01.000Z' },
        { method: 'POST', path: '/api/signed-url', status: 403, occurred_at: '2026-03-24T10:29:30.000Z' },
      ],
    });
    expect(document.summary.likely_cause).toBe(
      'A page resource could not be loaded; a blocker, network fault or missing file are possible.',
    );
    // A failed request of the same session is evidence here, but no request of the failure itself.
    expect(document.context.request).toBeNull();
    expect(document.signal.source_event_types).toEqual(['frontend_exception', 'request_event']);
  });

  it('is absent from every other incident', () => {
    expect(contextOf(frontendException())).not.toHaveProperty('resource_failure');
  });
});
