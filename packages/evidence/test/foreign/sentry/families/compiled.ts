import type { JsonObject } from '../../../../src/events/envelope/json.ts';
import { AT, chain, frame } from './parts.ts';

/** Events of services in Go, Java, .NET and Rust. */

export const go: JsonObject = {
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

export const java: JsonObject = {
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

export const dotnet: JsonObject = {
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

export const rust: JsonObject = {
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
