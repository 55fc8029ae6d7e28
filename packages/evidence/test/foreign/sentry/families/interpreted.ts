import type { JsonObject } from '../../../../src/events/envelope/json.ts';
import { AT, chain, frame, ISO } from './parts.ts';

/** Events of services in Python, Ruby, PHP, Elixir and Perl. */

export function python(major: 1 | 2, framework: 'plain' | 'django' | 'flask'): JsonObject {
  const request: JsonObject =
    framework === 'plain'
      ? {}
      : {
          transaction: framework === 'django' ? '/orders/{id}' : 'orders',
          transaction_info: { source: framework === 'django' ? 'route' : 'component' },
          request: {
            url: 'http://localhost/orders/7',
            query_string: 'coupon=x',
            method: 'POST',
            headers: { Authorization: '[Filtered]', 'X-Request-Id': 'req-9' },
            env: { REMOTE_ADDR: '203.0.113.9' },
            cookies: { sessionid: 'abc' },
            data: { count: '2', password: 'hunter2' },
          },
        };
  return {
    event_id: '00112233445566778899aabbccddeeff',
    platform: 'python',
    level: 'error',
    timestamp: ISO,
    environment: 'production',
    server_name: 'web-1',
    modules: { django: '4.2', 'sentry-sdk': `${major}.9.10` },
    extra: { 'sys.argv': ['app.py'] },
    sdk: {
      name: framework === 'plain' ? 'sentry.python' : `sentry.python.${framework}`,
      version: `${major}.9.10`,
    },
    contexts: { runtime: { name: 'CPython', version: '3.11.2', build: '3.11.2 (main)' } },
    exception: chain(
      {
        module: null,
        type: 'KeyError',
        value: "'sku'",
        mechanism: null,
        stacktrace: {
          frames: [
            frame('find', 'shop/stock.py', 8, {
              abs_path: '/srv/shop/stock.py',
              module: 'shop.stock',
              context_line: '    return items[sku]',
              pre_context: ['def find(sku):', '    items = {}'],
              post_context: [],
              vars: { sku: "'sku'", items: {} },
            }),
          ],
        },
      },
      {
        module: 'shop.errors',
        type: 'OrderError',
        value: 'no stock',
        mechanism: framework === 'plain' ? null : { type: framework, handled: false },
        stacktrace: {
          frames: [
            frame('get_response', 'django/core/handlers/base.py', 197, {
              abs_path: '/usr/lib/python3/dist-packages/django/core/handlers/base.py',
              module: 'django.core.handlers.base',
              in_app: false,
            }),
            frame('order', 'shop/views.py', 31, {
              abs_path: '/srv/shop/views.py',
              module: 'shop.views',
              context_line: "        raise OrderError('no stock') from error",
              vars: {
                count: '2',
                password: "'hunter2'",
                account: { name: "'kim'", api_key: "'k-123456789'" },
              },
            }),
          ],
        },
      },
    ),
    breadcrumbs: chain(
      {
        timestamp: '2025-11-29T00:00:00.100000Z',
        type: 'log',
        category: 'shop',
        level: 'warning',
        message: 'low',
        data: {},
      },
      {
        timestamp: ISO,
        type: 'http',
        category: 'httplib',
        data: { url: 'http://stock', method: 'GET', status_code: 404 },
      },
    ),
    ...request,
  };
}

export const ruby: JsonObject = {
  event_id: '0f0e0d0c0b0a09080706050403020100',
  platform: 'ruby',
  level: 'error',
  timestamp: '2025-11-29T00:00:00Z',
  environment: 'production',
  server_name: 'web-1',
  modules: { rack: '2.2.6' },
  sdk: { name: 'sentry.ruby.rack', version: '5.3.0' },
  contexts: {
    os: { name: 'Linux', kernel_version: '6.1' },
    runtime: { name: 'ruby', version: 'ruby 3.1.2p20' },
  },
  request: {
    url: 'http://localhost/orders',
    method: 'GET',
    query_string: 'coupon=x',
    headers: { Authorization: 'Basic abc', 'X-Request-Id': 'r' },
    cookies: { a: 'b' },
    env: { REMOTE_ADDR: '203.0.113.9', SERVER_NAME: 'x' },
  },
  exception: chain({
    type: 'Shop::OrderError',
    value: 'no stock',
    module: 'Shop',
    thread_id: 8,
    mechanism: null,
    stacktrace: {
      frames: [
        frame('call', 'rack/builder.rb', 20, {
          abs_path: '/usr/share/rubygems/rack/builder.rb',
          in_app: false,
        }),
        frame('block in order', 'order.rb', 12, { abs_path: '/srv/shop/order.rb', in_app: false }),
      ],
    },
  }),
  breadcrumbs: chain({
    timestamp: 1_764_374_399,
    category: 'shop',
    level: null,
    message: 'low',
    type: null,
    data: {},
  }),
};

export const php: JsonObject = {
  event_id: 'aa0e0d0c0b0a09080706050403020100',
  platform: 'php',
  timestamp: AT,
  level: 'error',
  sdk: { name: 'sentry.php', version: '4.5.0' },
  server_name: 'web-1',
  environment: 'production',
  contexts: { os: { name: 'Linux', version: '6.1' }, runtime: { name: 'php', version: '8.2.1' } },
  exception: chain({
    type: 'App\\OrderException',
    value: 'no stock',
    mechanism: { type: 'generic', handled: false, data: { code: 0 } },
    stacktrace: {
      frames: [
        frame('{closure}', '/vendor/slim/slim/Slim/App.php', 5, {
          abs_path: '/app/vendor/slim/slim/Slim/App.php',
          in_app: false,
        }),
        frame('App\\Cart::total', '/src/Cart.php', 12, { abs_path: '/app/src/Cart.php' }),
      ],
    },
  }),
};

export const elixir: JsonObject = {
  event_id: 'b20e0d0c0b0a09080706050403020100',
  platform: 'elixir',
  timestamp: '2025-11-29T00:00:00.123456',
  level: 'error',
  environment: 'prod',
  server_name: 'web-1',
  culprit: 'Shop.Cart.total/1',
  sdk: { name: 'sentry-elixir', version: '10.4.0' },
  contexts: { os: { name: 'unix', version: '6.1' }, runtime: { name: 'elixir', version: 'Elixir 1.15.7' } },
  exception: [
    {
      type: 'ArithmeticError',
      value: 'bad argument in arithmetic expression',
      module: 'nil',
      mechanism: { type: 'logger', handled: false },
      stacktrace: {
        frames: [
          frame('Plug.Cowboy.Handler.init/2', 'lib/plug/cowboy/handler.ex', 11, {
            module: 'Plug.Cowboy.Handler',
            in_app: false,
          }),
          frame('Shop.Cart.total/1', 'lib/shop/cart.ex', 12, { module: 'Shop.Cart' }),
        ],
      },
    },
  ],
};

export const perl: JsonObject = {
  event_id: 'b30e0d0c0b0a09080706050403020100',
  platform: 'perl',
  timestamp: '2025-11-29T00:00:00',
  level: 'error',
  logger: 'root',
  server_name: 'web-1',
  sdk: { name: 'sentry-perl', version: '1.0' },
  exception: chain({
    type: 'Shop::Error',
    value: 'no stock at /app/lib/Shop/Cart.pm line 12.',
    stacktrace: {
      frames: [
        frame('main::run', '/app/bin/shop.pl', 5, { module: 'main', in_app: false }),
        frame('Shop::Cart::total', '/app/lib/Shop/Cart.pm', 12, { module: 'Shop::Cart' }),
      ],
    },
  }),
};
