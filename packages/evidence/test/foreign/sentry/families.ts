import type { JsonObject } from '../../../src/events/envelope/json.ts';

/**
 * One event of each family of libraries, written by hand after section 16 of docs/contract/foreign-protocols.md and the
 * documentation of their makers. No recorded body is among them.
 */
export interface FamilyEvent {
  family: string;
  event: JsonObject;
  becomes: 'backend_exception' | 'frontend_exception';
  /** What the event must be called, the runtime it says, and its newest own frame. */
  name: string;
  runtime: string;
  frame: string;
  framework?: string;
}

const AT = 1_764_374_400.123;
const ISO = '2025-11-29T00:00:00.123456Z';

const frame = (name: string, file: string, line: number, more: JsonObject = {}): JsonObject => ({
  function: name,
  filename: file,
  lineno: line,
  in_app: true,
  ...more,
});

const chain = (...values: JsonObject[]): JsonObject => ({ values });

/** The same Express application under three majors of the library. */
function node(major: 7 | 9 | 11): JsonObject {
  const handled = { type: major === 11 ? 'auto.http.express' : 'generic', handled: false };
  const onCause = major === 11 ? { type: 'chained', handled: true } : handled;
  return {
    event_id: '0123456789abcdef0123456789abcdef',
    platform: 'node',
    timestamp: AT,
    environment: 'production',
    release: 'shop@1.4.0',
    server_name: 'web-1',
    sdk: { name: 'sentry.javascript.node', version: `${major}.1.0` },
    contexts: {
      runtime: { name: 'node', version: 'v20.1.0' },
      trace: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) },
      os: { name: 'Linux', version: '6.1' },
      device: { arch: 'x64' },
      app: { app_memory: 90_000_000 },
      culture: { locale: 'en-US', timezone: 'UTC' },
    },
    user: { id: 'u-1', email: 'kim@example.com', ip_address: '203.0.113.9' },
    transaction: 'POST /orders/:id',
    request: {
      method: 'POST',
      url: 'http://shop.example.com/orders/7?coupon=x',
      query_string: 'coupon=x',
      headers: { host: 'shop.example.com', 'user-agent': 'curl/8', authorization: 'Bearer abc' },
      cookies: { session: 'abc' },
      data: '{"count":2,"password":"hunter2"}',
    },
    exception: chain(
      {
        type: 'Error',
        value: 'connect ECONNREFUSED 10.0.0.7:5432',
        mechanism: { ...onCause, exception_id: 1, parent_id: 0, source: 'cause' },
        stacktrace: {
          frames: [
            frame('process.processTicksAndRejections', 'node:internal/process/task_queues', 95, {
              in_app: false,
            }),
            frame('saveOrder', '/app/src/orders.js', 21, { colno: 9, module: 'orders' }),
          ],
        },
      },
      {
        type: 'OrderError',
        value: 'order could not be saved',
        mechanism: { ...(major === 11 ? handled : { type: 'generic', handled: true }), exception_id: 0 },
        stacktrace: {
          frames: [
            frame('Layer.handle', '/app/node_modules/express/lib/router/layer.js', 95, { in_app: false }),
            frame(major === 7 ? '?' : '<anonymous>', '/app/src/web.js', 40, {
              colno: 3,
              context_line: "  throw new OrderError('order could not be saved');",
              pre_context: ['  try {'],
              post_context: ['  }'],
            }),
          ],
        },
      },
    ),
    breadcrumbs: [
      { timestamp: AT - 1, category: 'console', level: 'warn', message: 'stock is low' },
      {
        timestamp: AT - 0.5,
        type: 'http',
        category: 'http',
        data: { url: 'http://stock/items', 'http.method': 'GET', status_code: 200 },
      },
    ],
  };
}

/** The same page under two majors. */
function page(major: 7 | 11): JsonObject {
  return {
    event_id: 'fedcba9876543210fedcba9876543210',
    platform: 'javascript',
    timestamp: AT,
    environment: 'production',
    sdk: { name: 'sentry.javascript.browser', version: `${major}.0.1` },
    request: {
      url: 'https://shop.example.com/cart?id=4#top',
      headers: {
        'User-Agent':
          'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      },
    },
    contexts: { trace: { trace_id: 'c'.repeat(32), span_id: 'd'.repeat(16) } },
    exception: chain({
      type: 'TypeError',
      value: "Cannot read properties of undefined (reading 'total')",
      mechanism: { type: major === 11 ? 'auto.browser.global_handlers.onerror' : 'onerror', handled: false },
      stacktrace: {
        frames: [
          frame('HTMLButtonElement.onclick', 'https://shop.example.com/static/cart.js', 80, { colno: 5 }),
          frame(
            major === 7 ? 'Object.?' : 'Object.<anonymous>',
            'https://shop.example.com/static/cart.js',
            12,
            {
              colno: 20,
            },
          ),
        ],
      },
    }),
    breadcrumbs: [
      { timestamp: AT - 3, category: 'navigation', data: { from: '/', to: '/cart' } },
      { timestamp: AT - 2, category: 'ui.click', message: 'button#buy' },
      {
        timestamp: AT - 1,
        category: 'fetch',
        type: 'http',
        data: { method: 'POST', url: '/api/cart', status_code: 503 },
      },
      { timestamp: AT, category: 'console', level: 'log', message: 'cart', data: { logger: 'console' } },
    ],
  };
}

function python(major: 1 | 2, framework: 'plain' | 'django' | 'flask'): JsonObject {
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

const ruby: JsonObject = {
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

const go: JsonObject = {
  event_id: '9f0e0d0c0b0a09080706050403020100',
  platform: 'go',
  level: 'fatal',
  timestamp: '2025-11-29T00:00:00.123456789Z',
  environment: 'production',
  server_name: 'web-1',
  release: 'v1',
  sdk: { name: 'sentry.go', version: '0.11.0', integrations: [], packages: [] },
  contexts: {
    device: { arch: 'amd64', num_cpu: 2 },
    os: { name: 'linux' },
    runtime: { name: 'go', version: 'go1.19' },
  },
  user: {},
  request: { url: 'http://localhost/orders', method: 'GET', headers: { Accept: '*/*' } },
  exception: [
    { type: '*errors.errorString', value: 'no rows' },
    {
      type: '*fmt.wrapError',
      value: 'load order: no rows',
      stacktrace: {
        frames: [
          frame('HandlerFunc.ServeHTTP', 'server.go', 2109, {
            module: 'net/http',
            abs_path: '/usr/lib/go/src/net/http/server.go',
            in_app: false,
          }),
          frame('(*Shop).Order', 'shop.go', 33, {
            module: 'github.com/acme/shop',
            abs_path: '/src/shop/shop.go',
            context_line: '\tpanic(err)',
          }),
        ],
      },
    },
  ],
};

const php: JsonObject = {
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

const java: JsonObject = {
  event_id: 'ab0e0d0c0b0a09080706050403020100',
  platform: 'java',
  timestamp: '2025-11-29T00:00:00.123Z',
  level: 'error',
  logger: 'com.shop.Orders',
  server_name: 'web-1',
  environment: 'production',
  sdk: { name: 'sentry.java.spring-boot.jakarta', version: '7.1.0' },
  contexts: { runtime: { name: 'Eclipse Adoptium', version: '17.0.9' }, trace: { trace_id: 'e'.repeat(32) } },
  transaction: 'POST /orders/{id}',
  request: { method: 'POST', url: 'http://localhost/orders/7', headers: { host: 'localhost' } },
  exception: chain(
    {
      type: 'SQLException',
      module: 'java.sql',
      value: 'no rows',
      thread_id: 40,
      mechanism: { exception_id: 1, parent_id: 0, type: 'chained' },
      stacktrace: {
        frames: [frame('load', 'Repository.java', 12, { module: 'com.shop.Repository' })],
      },
    },
    {
      type: 'OrderException',
      module: 'com.shop',
      value: 'no stock',
      mechanism: { exception_id: 0, type: 'Spring6ExceptionResolver', handled: false },
      stacktrace: {
        frames: [
          frame('run', 'Thread.java', 840, { module: 'java.lang.Thread', in_app: false, native: false }),
          frame('order', 'Orders.java', 33, { module: 'com.shop.Orders' }),
        ],
      },
    },
  ),
  threads: chain({ id: 40, name: 'http-1', crashed: false, current: true, stacktrace: { frames: [] } }),
  breadcrumbs: [
    {
      timestamp: '2025-11-29T00:00:00.000Z',
      type: 'default',
      category: 'com.shop',
      level: 'info',
      message: 'm',
    },
  ],
};

const dotnet: JsonObject = {
  event_id: 'ac0e0d0c0b0a09080706050403020100',
  platform: 'csharp',
  timestamp: '2025-11-29T00:00:00.1234567+00:00',
  level: 'error',
  environment: 'production',
  sdk: { name: 'sentry.dotnet.aspnetcore', version: '4.1.0' },
  contexts: {
    runtime: { name: '.NET', version: '8.0.1' },
    os: { name: 'Linux', version: '6.1' },
    device: { arch: 'X64' },
  },
  request: { method: 'GET', url: 'http://localhost/orders' },
  exception: chain({
    type: 'System.InvalidOperationException',
    value: 'no stock',
    module: 'Shop, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null',
    mechanism: { type: 'AppDomain.UnhandledException', handled: false },
    stacktrace: {
      frames: [
        frame('Task Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke(HttpContext context)', '', 0, {
          filename: null,
          in_app: false,
          package: 'Microsoft.AspNetCore.Routing, Version=8.0.0.0',
        }),
        frame('async Task<int> OrderAsync(int count)', '/src/Shop/Orders.cs', 33, {
          module: 'Shop.Orders',
          package: 'Shop, Version=1.0.0.0',
        }),
      ],
    },
  }),
};

const android: JsonObject = {
  event_id: 'ad0e0d0c0b0a09080706050403020100',
  platform: 'java',
  timestamp: '2025-11-29T00:00:00.123Z',
  level: 'fatal',
  environment: 'production',
  release: 'com.shop.app@2.1+41',
  dist: '41',
  sdk: { name: 'sentry.java.android', version: '7.1.0' },
  user: { id: 'install-1' },
  contexts: {
    os: { name: 'Android', version: '14' },
    device: {
      manufacturer: 'Google',
      brand: 'google',
      model: 'Pixel 8',
      arch: 'arm64-v8a',
      timezone: 'Europe/Berlin',
    },
    app: { app_identifier: 'com.shop.app', app_version: '2.1', app_build: '41' },
  },
  exception: chain({
    type: 'IllegalStateException',
    module: 'java.lang',
    value: 'no cart',
    thread_id: 1,
    mechanism: { type: 'UncaughtExceptionHandler', handled: false },
    stacktrace: {
      frames: [
        frame('main', 'ActivityThread.java', 7_000, { module: 'android.app.ActivityThread', in_app: false }),
        frame('onCreate', 'CartActivity.kt', 31, { module: 'com.shop.app.CartActivity' }),
      ],
    },
  }),
  threads: chain(
    {
      id: 1,
      name: 'main',
      crashed: true,
      current: true,
      main: true,
      stacktrace: { frames: [frame('x', 'X.java', 1)] },
    },
    { id: 2, name: 'pool', crashed: false, stacktrace: { frames: [frame('y', 'Y.java', 1)] } },
  ),
  breadcrumbs: [
    {
      timestamp: '2025-11-29T00:00:00.000Z',
      type: 'navigation',
      category: 'ui.lifecycle',
      data: { screen: 'Cart', state: 'created' },
    },
    {
      timestamp: '2025-11-29T00:00:00.000Z',
      type: 'http',
      category: 'http',
      data: {
        url: 'https://api',
        method: 'GET',
        status_code: 500,
        start_timestamp: 1_000,
        end_timestamp: 1_250,
      },
    },
  ],
};

const cocoa: JsonObject = {
  event_id: 'ae0e0d0c0b0a09080706050403020100',
  platform: 'cocoa',
  timestamp: AT,
  level: 'fatal',
  environment: 'production',
  release: 'com.shop.app@2.1+41',
  sdk: { name: 'sentry.cocoa', version: '8.20.0' },
  contexts: {
    os: { name: 'iOS', version: '17.1' },
    device: { model: 'iPhone14,2', arch: 'arm64', family: 'iOS' },
    app: { app_version: '2.1', app_build: '41' },
  },
  debug_meta: {
    images: [{ type: 'macho', code_file: '/var/Shop.app/Shop', debug_id: 'x', image_addr: '0x1000' }],
  },
  exception: chain({
    type: 'EXC_BREAKPOINT',
    value: 'Unexpectedly found nil',
    thread_id: 0,
    mechanism: { type: 'mach', handled: false, meta: { signal: { number: 5, name: 'SIGTRAP' } } },
    stacktrace: {
      frames: [
        frame('UIApplicationMain', '', 0, {
          filename: null,
          lineno: null,
          package: '/System/UIKitCore',
          in_app: false,
          instruction_addr: '0x2000',
        }),
        frame('CartViewController.total()', 'Cart.swift', 12, {
          package: '/private/var/containers/Shop.app/Shop',
          instruction_addr: '0x1010',
          image_addr: '0x1000',
        }),
      ],
    },
  }),
  threads: chain({ id: 0, crashed: true, current: true }),
};

const reactNative: JsonObject = {
  event_id: 'af0e0d0c0b0a09080706050403020100',
  platform: 'javascript',
  timestamp: AT,
  level: 'fatal',
  environment: 'production',
  release: 'com.shop.app@2.1+41',
  sdk: { name: 'sentry.javascript.react-native', version: '5.15.0' },
  contexts: {
    os: { name: 'Android', version: '14' },
    device: { model: 'Pixel 8', manufacturer: 'Google' },
    react_native_context: { js_engine: 'hermes', react_native_version: '0.73.0' },
  },
  exception: chain({
    type: 'TypeError',
    value: 'undefined is not a function',
    mechanism: { type: 'onerror', handled: false },
    stacktrace: {
      frames: [
        frame(
          'callFunctionReturnFlushedQueue',
          'app:///node_modules/react-native/Libraries/MessageQueue.js',
          1,
          { in_app: false },
        ),
        frame('Cart', 'app:///index.android.bundle', 1, { colno: 1_200 }),
      ],
    },
  }),
};

const flutter: JsonObject = {
  event_id: 'b00e0d0c0b0a09080706050403020100',
  platform: 'dart',
  timestamp: '2025-11-29T00:00:00.123456Z',
  level: 'fatal',
  environment: 'production',
  release: 'com.shop.app@2.1+41',
  sdk: { name: 'sentry.dart.flutter', version: '7.14.0' },
  contexts: {
    os: { name: 'iOS', version: '17.1' },
    device: { model: 'iPhone14,2' },
    runtime: { name: 'Dart', version: '3.2' },
  },
  exception: chain({
    type: 'StateError',
    value: 'Bad state: no cart',
    mechanism: { type: 'FlutterError', handled: false },
    stacktrace: {
      frames: [
        frame('StatefulElement.build', 'framework.dart', 5_000, {
          abs_path: 'package:flutter/src/widgets/framework.dart',
          package: 'flutter',
          in_app: false,
        }),
        frame('Cart.total', 'cart.dart', 12, {
          abs_path: 'package:shop/cart.dart',
          package: 'shop',
          colno: 5,
        }),
      ],
    },
  }),
};

const rust: JsonObject = {
  event_id: 'b10e0d0c0b0a09080706050403020100',
  platform: 'native',
  timestamp: AT,
  level: 'fatal',
  environment: 'production',
  release: 'shop@0.1.0',
  sdk: { name: 'sentry.rust', version: '0.34.0', integrations: ['panic'] },
  contexts: {
    runtime: { type: 'runtime', name: 'rustc', version: '1.79' },
    os: { type: 'os', name: 'Linux' },
    device: { type: 'device', arch: 'x86_64' },
  },
  exception: chain({
    type: 'panic',
    value: 'called `Option::unwrap()` on a `None` value',
    mechanism: { type: 'panic', handled: false },
    stacktrace: {
      frames: [
        frame('std::rt::lang_start', 'rt.rs', 166, {
          abs_path: '/rustc/abc/library/std/src/rt.rs',
          in_app: false,
          instruction_addr: '0x1',
        }),
        frame('shop::cart::total', 'cart.rs', 12, {
          abs_path: '/app/src/cart.rs',
          package: 'shop',
          instruction_addr: '0x2',
        }),
      ],
    },
  }),
};

const elixir: JsonObject = {
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

const perl: JsonObject = {
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

const unity: JsonObject = {
  event_id: 'b40e0d0c0b0a09080706050403020100',
  platform: 'csharp',
  timestamp: '2025-11-29T00:00:00.123Z',
  level: 'error',
  environment: 'production',
  sdk: { name: 'sentry.dotnet.unity', version: '2.0.0' },
  contexts: {
    os: { name: 'Windows', version: '11' },
    device: { model: 'System Product Name', arch: 'x64' },
    app: { app_version: '2.1' },
    unity: { editor_version: '2022.3' },
  },
  exception: chain({
    type: 'NullReferenceException',
    value: 'Object reference not set to an instance of an object',
    mechanism: { type: 'Unity.LogException', handled: false },
    stacktrace: {
      frames: [frame('Shop.Cart:Total ()', 'Assets/Cart.cs', 12, { module: 'Shop.Cart' })],
    },
  }),
};

const native: JsonObject = {
  event_id: 'b50e0d0c0b0a09080706050403020100',
  platform: 'native',
  timestamp: '2025-11-29T00:00:00.123Z',
  level: 'fatal',
  environment: 'production',
  sdk: { name: 'sentry.native', version: '0.7.0' },
  contexts: { os: { name: 'Linux', version: '6.1' } },
  debug_meta: { images: [{ type: 'elf', code_file: '/app/shop', image_addr: '0x1000' }] },
  exception: chain({
    type: 'SIGSEGV',
    value: 'Segfault',
    mechanism: { type: 'signalhandler', synthetic: true, handled: false, meta: { signal: { number: 11 } } },
    stacktrace: {
      frames: [
        {
          function: '__libc_start_main',
          package: '/lib/libc.so.6',
          instruction_addr: '0x3000',
          in_app: false,
        },
        {
          function: 'cart_total',
          package: '/app/shop',
          instruction_addr: '0x1010',
          symbol_addr: '0x1000',
          in_app: true,
        },
      ],
    },
  }),
};

const raven: JsonObject = {
  event_id: 'b60e0d0c0b0a09080706050403020100',
  platform: 'python',
  timestamp: '2025-11-29T00:00:00',
  level: 40,
  logger: 'shop',
  server_name: 'web-1',
  project: '1795883071811',
  culprit: 'shop.views in order',
  time_spent: null,
  repos: {},
  tags: {},
  modules: { raven: '6.10.0' },
  message: 'OrderError: no stock',
  exception: chain({
    type: 'OrderError',
    value: 'no stock',
    module: 'shop.errors',
    stacktrace: {
      frames: [
        frame('order', 'shop/views.py', 31, {
          abs_path: '/srv/shop/views.py',
          module: 'shop.views',
          vars: { count: '2' },
        }),
      ],
    },
  }),
};

export const FAMILIES: readonly FamilyEvent[] = [
  ...([7, 9, 11] as const).map(
    (major): FamilyEvent => ({
      family: `node ${major}`,
      event: node(major),
      becomes: 'backend_exception',
      name: 'OrderError',
      runtime: 'node',
      frame: '/app/src/web.js',
      ...(major === 11 ? { framework: 'express' } : {}),
    }),
  ),
  ...([7, 11] as const).map(
    (major): FamilyEvent => ({
      family: `page ${major}`,
      event: page(major),
      becomes: 'frontend_exception',
      name: 'TypeError',
      runtime: 'browser',
      frame: 'https://shop.example.com/static/cart.js',
    }),
  ),
  ...(
    [
      [1, 'plain'],
      [1, 'django'],
      [1, 'flask'],
      [2, 'plain'],
      [2, 'django'],
      [2, 'flask'],
    ] as const
  ).map(
    ([major, framework]): FamilyEvent => ({
      family: `python ${major} ${framework}`,
      event: python(major, framework),
      becomes: 'backend_exception',
      name: 'OrderError',
      runtime: 'python',
      frame: 'shop/views.py',
      ...(framework === 'plain' ? {} : { framework }),
    }),
  ),
  {
    family: 'ruby',
    event: ruby,
    becomes: 'backend_exception',
    name: 'Shop::OrderError',
    runtime: 'ruby',
    frame: 'order.rb',
    framework: 'rack',
  },
  {
    family: 'go',
    event: go,
    becomes: 'backend_exception',
    name: '*fmt.wrapError',
    runtime: 'go',
    frame: 'shop.go',
  },
  {
    family: 'php',
    event: php,
    becomes: 'backend_exception',
    name: 'App\\OrderException',
    runtime: 'php',
    frame: '/src/Cart.php',
  },
  {
    family: 'laravel',
    event: { ...php, sdk: { name: 'sentry.php.laravel', version: '4.2.0' } },
    becomes: 'backend_exception',
    name: 'App\\OrderException',
    runtime: 'php',
    frame: '/src/Cart.php',
    framework: 'laravel',
  },
  {
    family: 'java spring',
    event: java,
    becomes: 'backend_exception',
    name: 'com.shop.OrderException',
    runtime: 'jvm',
    frame: 'Orders.java',
    framework: 'spring',
  },
  {
    family: 'java logback',
    event: { ...java, sdk: { name: 'sentry.java.logback', version: '7.1.0' }, request: {}, contexts: {} },
    becomes: 'backend_exception',
    name: 'com.shop.OrderException',
    runtime: 'jvm',
    frame: 'Orders.java',
  },
  {
    family: '.net',
    event: dotnet,
    becomes: 'backend_exception',
    name: 'System.InvalidOperationException',
    runtime: 'dotnet',
    frame: '/src/Shop/Orders.cs',
    framework: 'aspnetcore',
  },
  {
    family: 'android',
    event: android,
    becomes: 'frontend_exception',
    name: 'java.lang.IllegalStateException',
    runtime: 'jvm',
    frame: 'CartActivity.kt',
  },
  {
    family: 'cocoa',
    event: cocoa,
    becomes: 'frontend_exception',
    name: 'EXC_BREAKPOINT',
    runtime: 'swift',
    frame: 'Cart.swift',
  },
  {
    family: 'react native',
    event: reactNative,
    becomes: 'frontend_exception',
    name: 'TypeError',
    runtime: 'react-native',
    frame: 'app:///index.android.bundle',
    framework: 'react-native',
  },
  {
    family: 'flutter',
    event: flutter,
    becomes: 'frontend_exception',
    name: 'StateError',
    runtime: 'dart',
    frame: 'cart.dart',
    framework: 'flutter',
  },
  {
    family: 'rust',
    event: rust,
    becomes: 'backend_exception',
    name: 'panic',
    runtime: 'rust',
    frame: 'cart.rs',
  },
  {
    family: 'elixir',
    event: elixir,
    becomes: 'backend_exception',
    name: 'ArithmeticError',
    runtime: 'elixir',
    frame: 'lib/shop/cart.ex',
  },
  {
    family: 'perl',
    event: perl,
    becomes: 'backend_exception',
    name: 'Shop::Error',
    runtime: 'perl',
    frame: '/app/lib/Shop/Cart.pm',
  },
  {
    family: 'unity',
    event: unity,
    becomes: 'frontend_exception',
    name: 'NullReferenceException',
    runtime: 'dotnet',
    frame: 'Assets/Cart.cs',
    framework: 'unity',
  },
  {
    family: 'native',
    event: native,
    becomes: 'backend_exception',
    name: 'SIGSEGV',
    runtime: 'native',
    frame: '/app/shop',
  },
  {
    family: 'raven',
    event: raven,
    becomes: 'backend_exception',
    name: 'OrderError',
    runtime: 'python',
    frame: 'shop/views.py',
  },
];

/** A copy that a test may change. */
export function familyEvent(family: string): JsonObject {
  const found = FAMILIES.find((each) => each.family === family);
  if (found === undefined) throw new RangeError(`no family ${family}`);
  return structuredClone(found.event);
}
