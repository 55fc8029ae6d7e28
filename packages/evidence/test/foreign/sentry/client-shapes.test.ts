import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/events/envelope/json.ts';
import { at, keyOf, mapped, normalizedEvent } from './map-event.ts';

/**
 * Shapes in which libraries and scripts send the same thing, each written by hand after their sources and reports of
 * their users. What each becomes was written down before it was run.
 */
interface Shape {
  client: string;
  event: JsonObject;
  type: string;
  /** Values at paths of the event that results. */
  says: Readonly<Record<string, JsonValue | undefined>>;
  /** Function of the newest frame of its fingerprint. */
  frame?: string;
}

const frames = (...all: JsonObject[]): JsonObject => ({ frames: all });
const own = (name: string, file: string, more: JsonObject = {}): JsonObject => ({
  function: name,
  filename: file,
  lineno: 7,
  in_app: true,
  ...more,
});

const goFrame = own('Load', 'shop.go', { module: 'github.com/acme/shop', abs_path: '/src/shop.go' });

const SHAPES: readonly Shape[] = [
  {
    client: 'Go 0.25 to 0.35, which number a chain from the innermost',
    event: {
      platform: 'go',
      sdk: { name: 'sentry.go', version: '0.31.1' },
      exception: [
        {
          type: '*errors.errorString',
          value: 'no rows',
          mechanism: { exception_id: 0, is_exception_group: true },
        },
        {
          type: '*fmt.wrapError',
          value: 'load: no rows',
          mechanism: { exception_id: 1, parent_id: 0, is_exception_group: true },
        },
        {
          type: '*main.OrderError',
          value: 'order: load: no rows',
          stacktrace: frames(goFrame),
          mechanism: { exception_id: 2, parent_id: 1, is_exception_group: true },
        },
      ],
    },
    type: 'backend_exception',
    says: {
      'payload.name': '*main.OrderError',
      'payload.message': 'order: load: no rows',
      'payload.exceptions.1.message': 'load: no rows',
      'payload.exceptions.2.message': 'no rows',
      'payload.exceptions.0.mechanism.is_group': undefined,
    },
    frame: 'Load',
  },
  {
    client: 'Go 0.36, whose joined errors are a group',
    event: {
      platform: 'go',
      exception: [
        {
          type: '*errors.errorString',
          value: 'b',
          mechanism: { type: 'chained', source: 'errors[1]', exception_id: 2, parent_id: 0 },
        },
        {
          type: '*errors.errorString',
          value: 'a',
          mechanism: { type: 'chained', source: 'errors[0]', exception_id: 1, parent_id: 0 },
        },
        {
          type: '*errors.joinError',
          value: 'a\nb',
          stacktrace: frames(goFrame),
          mechanism: { type: 'generic', exception_id: 0, is_exception_group: true },
        },
      ],
    },
    type: 'backend_exception',
    says: { 'payload.name': '*errors.joinError', 'payload.exceptions.0.mechanism.is_group': true },
    frame: 'Load',
  },
  {
    client: 'a page of raven-js 1, whose frames stand beside the exception',
    event: {
      platform: 'javascript',
      logger: 'javascript',
      culprit: 'https://shop.example/app.js',
      message: 'x is not defined',
      'sentry.interfaces.Http': { url: 'https://shop.example/cart' },
      exception: { type: 'ReferenceError', value: 'x is not defined' },
      stacktrace: frames(own('total', 'https://shop.example/app.js', { colno: 3 })),
      project: '2',
    },
    type: 'frontend_exception',
    says: { 'payload.name': 'ReferenceError', 'payload.route': '/cart' },
    frame: 'total',
  },
  {
    client: 'protocol 4, with the long names of interfaces',
    event: {
      platform: 'python',
      level: 40,
      'sentry.interfaces.Exception': { values: [{ type: 'KeyError', value: "'sku'", module: 'builtins' }] },
      'sentry.interfaces.Stacktrace': frames(own('find', 'shop/stock.py')),
      'sentry.interfaces.User': { id: 'u-4' },
    },
    type: 'backend_exception',
    says: { 'payload.name': 'KeyError', 'payload.level': 'error', 'context.user.id': 'u-4' },
    frame: 'find',
  },
  {
    client: 'a message with a stack of raven-python',
    event: {
      platform: 'python',
      message: 'cart is empty',
      stacktrace: frames(own('total', 'cart.py')),
      level: 30,
    },
    type: 'log_event',
    says: {
      'payload.message': 'cart is empty',
      'payload.level': 'warning',
      'context.sentry.capture_stack': 'at total (cart.py:7)',
    },
  },
  {
    client: 'native, whose crash is in the dump beside it',
    event: {
      platform: 'native',
      level: 'fatal',
      sdk: { name: 'sentry.native', version: '0.7.0' },
      contexts: { os: { name: 'Windows' } },
    },
    type: 'backend_exception',
    says: { 'payload.name': 'Crash', 'payload.handled': false, 'context.fatal': true },
  },
  {
    client: 'an Android crash of the NDK, with addresses alone',
    event: {
      platform: 'native',
      level: 'fatal',
      exception: {
        values: [
          {
            type: 'SIGSEGV',
            value: 'Segfault',
            mechanism: { type: 'signalhandler', synthetic: true, handled: false },
            stacktrace: frames({ instruction_addr: '0x708ebbf9' }),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: { 'payload.name': 'SIGSEGV', 'payload.message': 'Segfault', 'payload.handled': false },
  },
  {
    client: 'a worker of Cloudflare',
    event: {
      platform: 'javascript',
      sdk: { name: 'sentry.javascript.cloudflare', version: '9.1.0' },
      contexts: { runtime: { name: 'cloudflare' }, cloud_resource: { 'cloud.provider': 'cloudflare' } },
      request: { method: 'GET', url: 'https://api.example/v1/cart', headers: { host: 'api.example' } },
      exception: { values: [{ type: 'Error', value: 'x', stacktrace: frames(own('fetch', 'index.js')) }] },
    },
    type: 'backend_exception',
    says: { 'service.runtime': 'cloudflare', 'payload.request.path': '/v1/cart' },
    frame: 'fetch',
  },
  {
    client: 'the edge of Vercel',
    event: {
      platform: 'javascript',
      sdk: { name: 'sentry.javascript.vercel-edge' },
      contexts: { runtime: { name: 'vercel-edge' } },
      exception: { values: [{ type: 'Error', value: 'x' }] },
    },
    type: 'backend_exception',
    says: { 'service.runtime': 'vercel-edge' },
  },
  {
    client: 'Deno',
    event: {
      platform: 'javascript',
      sdk: { name: 'sentry.javascript.deno' },
      contexts: { runtime: { name: 'deno', version: '2.1.0', target: 'x86_64-unknown-linux-gnu' } },
      exception: {
        values: [{ type: 'TypeError', value: 'x', stacktrace: frames(own('main', 'app:///main.ts')) }],
      },
    },
    type: 'backend_exception',
    says: { 'service.runtime': 'deno' },
    frame: 'main',
  },
  {
    client: 'Bun',
    event: {
      platform: 'node',
      sdk: { name: 'sentry.javascript.bun' },
      contexts: { runtime: { name: 'bun', version: '1.2.0' } },
      exception: { values: [{ type: 'TypeError', value: 'x' }] },
    },
    type: 'backend_exception',
    says: { 'service.runtime': 'bun' },
  },
  {
    client: 'the main process of Electron',
    event: {
      platform: 'node',
      sdk: { name: 'sentry.javascript.electron', version: '5.0.0' },
      tags: { 'event.process': 'browser', 'event.environment': 'javascript' },
      contexts: {
        runtime: { name: 'Electron', version: '30.0.0' },
        os: { name: 'macOS', version: '14.1' },
        app: { app_name: 'shop', app_version: '2.0.0' },
      },
      exception: {
        values: [{ type: 'Error', value: 'x', stacktrace: frames(own('open', 'app:///main.js')) }],
      },
    },
    type: 'frontend_exception',
    says: {
      'service.framework': 'electron',
      'payload.device.app_version': '2.0.0',
      'payload.device.os_name': 'macOS',
    },
    frame: 'open',
  },
  {
    client: 'React Native with Hermes',
    event: {
      platform: 'javascript',
      sdk: { name: 'sentry.javascript.react-native' },
      contexts: {
        os: { name: 'iOS', version: '17' },
        runtime: { name: 'hermes', version: 'for RN 0.74' },
        device: { model: 'iPhone15,2' },
      },
      exception: {
        values: [
          {
            type: 'Error',
            value: 'x',
            stacktrace: frames(own('total', 'app:///main.jsbundle', { colno: 99 })),
          },
        ],
      },
    },
    type: 'frontend_exception',
    says: { 'service.runtime': 'react-native', 'payload.device.model': 'iPhone15,2' },
    frame: 'total',
  },
  {
    client: 'Godot, with frames of its scripts',
    event: {
      platform: 'native',
      level: 'error',
      sdk: { name: 'sentry.native.godot', version: '1.0.0' },
      exception: {
        values: [
          {
            type: 'Division by zero',
            value: 'Division by zero error in operator',
            mechanism: { type: 'generic', handled: true },
            stacktrace: frames(
              own('_ready', 'res://player.gd', { platform: 'gdscript', context_line: '\tvar x = 1 / zero' }),
            ),
          },
        ],
      },
    },
    type: 'frontend_exception',
    says: {
      'service.framework': 'godot',
      'payload.name': 'Division by zero',
      'payload.exceptions.0.frames.0.native': undefined,
    },
    frame: '_ready',
  },
  {
    client: 'an ANR of Android, whose thread is in the exception',
    event: {
      platform: 'java',
      level: 'fatal',
      sdk: { name: 'sentry.java.android', version: '8.0.0' },
      contexts: { os: { name: 'Android', version: '15' }, device: { model: 'Pixel 9' } },
      exception: {
        values: [
          {
            type: 'ApplicationNotResponding',
            module: 'io.sentry.android.core',
            value: 'ANR',
            mechanism: { type: 'AppExitInfo', handled: false },
            thread_id: 1,
            stacktrace: frames(own('wait', 'Cart.kt', { module: 'com.shop.Cart' })),
          },
        ],
      },
      threads: {
        values: [
          {
            id: 1,
            name: 'main',
            crashed: true,
            main: true,
            stacktrace: frames(own('wait', 'Cart.kt', { module: 'com.shop.Cart' })),
          },
        ],
      },
    },
    type: 'frontend_exception',
    says: { 'payload.name': 'io.sentry.android.core.ApplicationNotResponding', 'payload.handled': false },
    frame: 'wait',
  },
  {
    client: 'Java, whose exception without a trace has that of its thread',
    event: {
      platform: 'java',
      exception: {
        values: [{ type: 'IllegalStateException', module: 'java.lang', value: 'x', thread_id: 12 }],
      },
      threads: {
        values: [
          { id: 3, name: 'gc', current: false, stacktrace: frames(own('gc', 'Gc.java')) },
          {
            id: 12,
            name: 'main',
            crashed: true,
            stacktrace: frames(own('order', 'Orders.java', { module: 'com.shop.Orders' })),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: {
      'payload.name': 'java.lang.IllegalStateException',
      'payload.exceptions.0.frames.0.function': 'order',
    },
    frame: 'order',
  },
  {
    client: 'Elixir, whose message is an object',
    event: {
      platform: 'elixir',
      level: 'error',
      message: { formatted: 'cart of 7 is empty', message: 'cart of %s is empty', params: [7] },
    },
    type: 'log_event',
    says: { 'payload.message': 'cart of 7 is empty', 'payload.level': 'error', 'payload.captured': true },
  },
  {
    client: 'Python logging, whose parameters are a map',
    event: {
      platform: 'python',
      logger: 'shop',
      level: 'warning',
      logentry: { message: 'user %(id)s has %(n)d carts', params: { id: 'u', n: 3 } },
    },
    type: 'log_event',
    says: { 'payload.message': 'user u has 3 carts' },
  },
  {
    client: 'a script that sends logentry as text',
    event: { level: 'error', logentry: 'disk is full' },
    type: 'log_event',
    says: { 'payload.message': 'disk is full' },
  },
  {
    client: 'PHP, whose headers are lists of values',
    event: {
      platform: 'php',
      sdk: { name: 'sentry.php.laravel' },
      request: {
        method: 'POST',
        url: 'http://shop.example/cart',
        headers: { Host: ['shop.example'], 'X-Request-Id': ['req-5'] },
        data: { n: 1 },
      },
      exception: {
        values: [
          {
            type: 'ErrorException',
            value: 'x',
            stacktrace: frames(own('App\\Cart::total', '/app/Cart.php')),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: {
      'correlation.request_id': 'req-5',
      'payload.request.headers.Host': 'shop.example',
      'service.framework': 'laravel',
    },
    frame: 'total',
  },
  {
    client: 'WordPress',
    event: {
      platform: 'php',
      sdk: { name: 'sentry.php.wp-sentry-integration', version: '8.1.0' },
      tags: { wordpress: '6.5', language: 'de-DE' },
      exception: {
        values: [
          {
            type: 'Error',
            value: 'x',
            stacktrace: frames(own('Shop\\Plugin::render', '/wp-content/plugins/shop/shop.php')),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: { 'context.tags.wordpress': '6.5', 'payload.name': 'Error', 'service.runtime': 'php' },
    frame: 'render',
  },
  {
    client: 'Symfony with a null in every optional place',
    event: {
      platform: 'php',
      level: null,
      logger: null,
      release: null,
      server_name: null,
      user: null,
      tags: null,
      extra: [],
      modules: [],
      request: null,
      breadcrumbs: null,
      contexts: null,
      exception: {
        values: [
          {
            type: 'LogicException',
            value: null,
            mechanism: null,
            stacktrace: { frames: [null, own('run', '/src/Kernel.php')] },
          },
        ],
      },
    },
    type: 'backend_exception',
    says: { 'payload.name': 'LogicException', 'payload.message': '' },
    frame: 'run',
  },
  {
    client: 'exceptions whose frames are null',
    event: {
      platform: 'python',
      exception: { values: [{ type: 'ValueError', value: 'x', stacktrace: { frames: null } }] },
    },
    type: 'backend_exception',
    says: { 'payload.name': 'ValueError' },
  },
  {
    client: 'a language without a library of the makers (Crystal)',
    event: {
      platform: 'crystal',
      level: 'error',
      exception: [{ type: 'IndexError', value: 'x', stacktrace: frames(own('total', 'src/cart.cr')) }],
    },
    type: 'backend_exception',
    says: { 'service.runtime': 'crystal' },
    frame: 'total',
  },
  {
    client: 'an id and a fingerprint that are numbers, times as text',
    event: {
      platform: 'python',
      timestamp: '1764374400.5',
      user: { id: 42 },
      fingerprint: [1, 'a'],
      tags: [
        ['n', 5],
        ['flag', true],
      ],
      exception: { values: [{ type: 'E', value: 5 }] },
    },
    type: 'backend_exception',
    says: {
      occurred_at: '2025-11-29T00:00:00.500Z',
      'context.user.id': '42',
      'context.sentry.fingerprint.0': '1',
      'context.tags.n': '5',
      'payload.message': '5',
    },
  },
  {
    client: '.NET MAUI, with an aggregate of two',
    event: {
      platform: 'csharp',
      sdk: { name: 'sentry.dotnet.maui' },
      contexts: { os: { name: 'Windows' }, device: { family: 'Desktop' } },
      exception: {
        values: [
          {
            type: 'System.IO.IOException',
            value: 'b',
            mechanism: { type: 'chained', source: 'InnerExceptions[1]', exception_id: 2, parent_id: 0 },
          },
          {
            type: 'System.TimeoutException',
            value: 'a',
            mechanism: { type: 'chained', source: 'InnerExceptions[0]', exception_id: 1, parent_id: 0 },
          },
          {
            type: 'System.AggregateException',
            value: 'One or more errors occurred. (a) (b)',
            mechanism: {
              type: 'UnobservedTaskException',
              handled: false,
              exception_id: 0,
              is_exception_group: true,
            },
            stacktrace: frames(own('void Shop.Cart.Total()', 'Cart.cs', { module: 'Shop.Cart' })),
          },
        ],
      },
    },
    type: 'frontend_exception',
    says: {
      'payload.name': 'System.AggregateException',
      'payload.handled': false,
      'service.framework': 'maui',
    },
    frame: 'Total',
  },
  {
    client: 'Cocoa, whose error is an NSError without frames beside a current thread',
    event: {
      platform: 'cocoa',
      level: 'error',
      sdk: { name: 'sentry.cocoa', version: '8.40.0' },
      contexts: {
        os: { name: 'iOS', version: '18.1' },
        device: { model: 'iPhone16,1', family: 'iOS' },
        app: { app_version: '3.1' },
      },
      exception: {
        values: [
          {
            type: 'NSURLErrorDomain',
            value: 'Code: -1009',
            mechanism: { type: 'NSError', meta: { ns_error: { domain: 'NSURLErrorDomain', code: -1009 } } },
          },
        ],
      },
      threads: {
        values: [
          {
            id: 0,
            current: true,
            crashed: false,
            stacktrace: frames(own('CartView.load()', 'CartView.swift', { package: 'Shop' })),
          },
        ],
      },
      debug_meta: { images: [{ type: 'macho', debug_id: 'x' }] },
    },
    type: 'frontend_exception',
    says: {
      'payload.name': 'NSURLErrorDomain',
      'payload.message': 'Code: -1009',
      'context.sentry.dropped.0': '1 debug images',
    },
    frame: 'CartView.load()',
  },
  {
    client: 'a page whose promise was rejected with an object',
    event: {
      platform: 'javascript',
      exception: {
        values: [
          {
            type: 'UnhandledRejection',
            value: 'Object captured as promise rejection with keys: code, reason',
            mechanism: { type: 'onunhandledrejection', handled: false, synthetic: true },
          },
        ],
      },
      extra: { __serialized__: { code: 4, reason: 'x' } },
    },
    type: 'frontend_exception',
    says: {
      'payload.name': 'UnhandledRejection',
      'payload.handled': false,
      'context.extra.__serialized__.code': 4,
    },
  },
  {
    client: 'Ruby with Sidekiq, a message that is empty beside the exception',
    event: {
      platform: 'ruby',
      message: '',
      sdk: { name: 'sentry.ruby.sidekiq', version: '5.20.0' },
      transaction: 'Sidekiq/MailJob',
      contexts: { sidekiq: { class: 'MailJob', jid: 'j' }, runtime: { name: 'ruby', version: '3.3.0' } },
      exception: {
        values: [
          { type: 'Errno::ECONNREFUSED', value: 'Connection refused', module: 'Errno' },
          {
            type: 'MailError',
            value: 'could not send (MailError)',
            module: '',
            stacktrace: frames(own('perform', 'app/jobs/mail_job.rb')),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: {
      'payload.name': 'MailError',
      'service.framework': 'sidekiq',
      'context.contexts.sidekiq.class': 'MailJob',
    },
    frame: 'perform',
  },
  {
    client: 'Cocoa without symbols, whose places are offsets in the binary',
    event: {
      platform: 'cocoa',
      level: 'fatal',
      sdk: { name: 'sentry.cocoa', version: '8.36.0' },
      contexts: { os: { name: 'iOS', version: '17.4' }, device: { model: 'iPhone15,2' } },
      exception: {
        values: [
          {
            type: 'EXC_BAD_ACCESS',
            value: 'Attempted to dereference null pointer.',
            mechanism: { type: 'mach', handled: false },
            stacktrace: frames(
              { function: 'main', in_app: true, package: '/var/Shop.app/Shop', image_addr: '0x10034c000' },
              {
                in_app: true,
                package: '/var/Shop.app/Shop',
                instruction_addr: '0x1003662c4',
                image_addr: '0x10034c000',
              },
            ),
          },
        ],
      },
    },
    type: 'frontend_exception',
    says: { 'payload.exceptions.0.frames.0.function': '+0x1a2c4', 'context.fatal': true },
    frame: '+0x1a2c4',
  },
  {
    client: 'Cocoa, whose call was answered with an error',
    event: {
      platform: 'cocoa',
      sdk: { name: 'sentry.cocoa' },
      contexts: { os: { name: 'iOS' }, response: { status_code: 503, body_size: 12 } },
      request: { url: 'https://api.shop.example/cart', method: 'GET' },
      exception: {
        values: [
          {
            type: 'HTTPClientError',
            value: 'HTTP Client Error with status code: 503',
            mechanism: { type: 'HTTPClientError' },
            stacktrace: frames(own('loadCart', 'Cart.swift')),
          },
        ],
      },
    },
    type: 'frontend_exception',
    says: {
      'payload.route': undefined,
      'payload.url': undefined,
      'payload.breadcrumbs.0.data': { url: 'https://api.shop.example/cart', method: 'GET', status_code: 503 },
    },
    frame: 'loadCart',
  },
  {
    client: 'Android after R8, with its screens',
    event: {
      platform: 'java',
      sdk: { name: 'sentry.java.android', version: '7.14.0' },
      contexts: { os: { name: 'Android', version: '14' }, device: { model: 'Pixel 8', brand: 'google' } },
      exception: {
        values: [
          {
            type: 'NullPointerException',
            module: 'java.lang',
            value: 'x',
            stacktrace: frames(own('a', 'SourceFile', { module: 'a.b.c' })),
          },
          {
            type: 'RuntimeException',
            module: 'java.lang',
            value: 'Unable to start activity',
            mechanism: { type: 'UncaughtExceptionHandler', handled: false },
            stacktrace: frames({
              module: 'android.app.ActivityThread',
              function: 'performLaunchActivity',
              filename: 'ActivityThread.java',
              in_app: false,
            }),
          },
        ],
      },
      breadcrumbs: [{ type: 'navigation', category: 'ui.lifecycle', data: { screen: 'MainActivity' } }],
    },
    type: 'frontend_exception',
    says: {
      'payload.name': 'java.lang.RuntimeException',
      'payload.handled': false,
      'payload.breadcrumbs.0.breadcrumb_type': 'ui.lifecycle',
      'payload.device.manufacturer': 'google',
    },
    frame: 'a',
  },
  {
    client: 'ASP.NET Core with signatures, whose class stands before the name',
    event: {
      platform: 'csharp',
      sdk: { name: 'sentry.dotnet.aspnetcore', version: '4.9.0' },
      contexts: { os: { name: 'Linux' }, runtime: { name: '.NET', version: '8.0.4' } },
      exception: {
        values: [
          {
            type: 'System.InvalidOperationException',
            value: 'Sequence contains no elements',
            stacktrace: frames(
              own(
                'async Task<IActionResult> OrdersController.Post(int id)',
                '/src/Controllers/OrdersController.cs',
                {
                  module: 'Shop.Controllers.OrdersController',
                  package: 'Shop, Version=1.0.0.0, Culture=neutral',
                },
              ),
            ),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: {
      'payload.exceptions.0.frames.0.function': 'Post',
      'payload.exceptions.0.frames.0.module': 'Shop.Controllers.OrdersController',
      'service.framework': 'aspnetcore',
    },
    frame: 'Post',
  },
  {
    client: 'PowerShell, whose scripts have no classes',
    event: {
      platform: 'csharp',
      sdk: { name: 'sentry.dotnet.powershell', version: '0.1.0' },
      exception: {
        values: [
          {
            type: 'System.Management.Automation.RuntimeException',
            value: 'Attempted to divide by zero.',
            stacktrace: frames(own('Get-Total', 'Checkout.ps1', { abs_path: 'C:\\jobs\\Checkout.ps1' })),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: { 'payload.exceptions.0.frames.0.lang': 'powershell' },
    frame: 'Get-Total',
  },
  {
    client: 'Rails 7 under Ruby 3.3, whose messages name their class again',
    event: {
      platform: 'ruby',
      sdk: { name: 'sentry.ruby.rails', version: '5.22.0' },
      exception: {
        values: [
          {
            type: 'NameError',
            value: 'undefined local variable `totl` (NameError)\n\n    totl\n    ^^^^',
            stacktrace: frames(own('OrdersController#show', 'app/controllers/orders_controller.rb')),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: {
      'payload.message': 'undefined local variable `totl`\n\n    totl\n    ^^^^',
      'payload.logs': undefined,
    },
    frame: 'OrdersController#show',
  },
  {
    client: 'the logger of Python, whose line stands beside the exception',
    event: {
      platform: 'python',
      level: 'error',
      logger: 'shop.orders',
      logentry: { message: 'order %s failed', params: ['7'] },
      exception: {
        values: [
          {
            type: 'OrderError',
            value: 'no stock',
            mechanism: { type: 'logging', handled: true },
            stacktrace: frames(own('order', 'shop/views.py')),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: {
      'payload.message': 'no stock',
      'payload.logs.0.message': 'order 7 failed',
      'payload.logs.0.logger': 'shop.orders',
      'payload.logs.0.level': 'error',
    },
    frame: 'order',
  },
  {
    client: 'raven-php, whose message is that of its exception',
    event: {
      platform: 'php',
      message: 'RuntimeException: no stock',
      exception: { values: [{ type: 'RuntimeException', value: 'no stock' }] },
    },
    type: 'backend_exception',
    says: { 'payload.message': 'no stock', 'payload.logs': undefined },
  },
  {
    client: 'Java 8, whose pool failed to close beside the error',
    event: {
      platform: 'java',
      exception: {
        values: [
          {
            type: 'IOException',
            module: 'java.io',
            value: 'close failed',
            mechanism: { type: 'suppressed', exception_id: 1, parent_id: 0 },
            stacktrace: frames(own('close', 'Pool.java', { module: 'com.shop.Pool' })),
          },
          {
            type: 'OrderException',
            module: 'com.shop',
            value: 'no stock',
            mechanism: { type: 'generic', exception_id: 0 },
            stacktrace: frames(own('total', 'Cart.java', { module: 'com.shop.Cart' })),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: {
      'payload.exceptions.1': undefined,
      'payload.exceptions.0.type': 'com.shop.OrderException',
      'context.sentry.beside': ['IOException: close failed'],
    },
    frame: 'total',
  },
  {
    client: 'React, which names the component that caught an error as its cause',
    event: {
      platform: 'javascript',
      sdk: { name: 'sentry.javascript.nextjs', version: '8.30.0' },
      request: { url: 'https://shop.example/orders/7' },
      exception: {
        values: [
          {
            type: 'React ErrorBoundary TypeError',
            value: 'x is undefined',
            mechanism: { type: 'chained', source: 'cause', exception_id: 1, parent_id: 0 },
            stacktrace: frames(own('Boundary', 'https://shop.example/app.js')),
          },
          {
            type: 'TypeError',
            value: 'x is undefined',
            mechanism: { type: 'generic', handled: false, exception_id: 0 },
            stacktrace: frames(own('Cart', 'https://shop.example/app.js')),
          },
        ],
      },
    },
    type: 'frontend_exception',
    says: {
      'payload.name': 'TypeError',
      'payload.exceptions.1': undefined,
      'payload.route': '/orders/7',
      'payload.handled': false,
    },
    frame: 'Cart',
  },
  {
    client: 'a Go service with a message and the stack of its thread',
    event: {
      platform: 'go',
      level: 'warning',
      message: 'stock is low',
      contexts: {
        os: { name: 'linux' },
        device: { arch: 'amd64' },
        runtime: { name: 'go', version: 'go1.22' },
      },
      threads: [{ id: '0', current: true, stacktrace: frames(goFrame) }],
      modules: { 'github.com/acme/shop': '(devel)' },
    },
    type: 'log_event',
    says: {
      'payload.device': undefined,
      'context.sentry.capture_stack': 'at Load (shop.go:7)',
      'context.modules': { 'github.com/acme/shop': '(devel)' },
    },
  },
  {
    client: 'Go before 0.25, whose panics are told by their level alone, of a program without modules',
    event: {
      platform: 'go',
      level: 'fatal',
      sdk: { name: 'sentry.go', version: '0.11.0' },
      modules: { '': '' },
      exception: [
        { type: 'runtime.plainError', value: 'assignment to entry in nil map', stacktrace: frames(goFrame) },
      ],
    },
    type: 'backend_exception',
    says: { 'payload.handled': false, 'context.fatal': true, 'context.modules': undefined },
    frame: 'Load',
  },
  {
    client: "Debian's Ruby, whose name holds its version",
    event: {
      platform: 'ruby',
      sdk: { name: 'sentry.ruby', version: '5.3.0' },
      contexts: { runtime: { name: 'ruby3.1', version: 'ruby 3.1.2p20' } },
      modules: { csv: '3.2.2', rack: '2.2.22' },
      exception: { values: [{ type: 'KeyError', value: 'no rows', module: '' }] },
    },
    type: 'backend_exception',
    says: {
      'service.runtime': 'ruby',
      'payload.runtime.name': 'ruby',
      'context.modules': { csv: '3.2.2', rack: '2.2.22' },
    },
  },
  {
    client: 'the panic of a Rust program',
    event: {
      platform: 'native',
      level: 'fatal',
      sdk: { name: 'sentry.rust', version: '0.34.0' },
      contexts: { rust: { name: 'rustc', version: '1.80.0' }, os: { name: 'Linux' } },
      exception: {
        values: [
          {
            type: 'panic',
            value: 'index out of bounds: the len is 3 but the index is 7',
            mechanism: { type: 'panic', handled: false },
            stacktrace: frames(own('shop::cart::Cart::total', 'cart.rs', { abs_path: '/app/src/cart.rs' }), {
              function: 'core::panicking::panic_bounds_check',
              filename: 'panicking.rs',
              in_app: false,
            }),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: { 'service.runtime': 'rust', 'context.fatal': true, 'payload.device': undefined },
    frame: 'shop::cart::Cart::total',
  },
  {
    client: 'Phoenix, with its arguments',
    event: {
      platform: 'elixir',
      sdk: { name: 'sentry-elixir', version: '10.6.1' },
      request: { url: 'http://shop/orders/7', method: 'GET', cookies: {}, env: { REMOTE_ADDR: '10.0.0.1' } },
      exception: [
        {
          type: 'FunctionClauseError',
          value: 'no function clause matching in Shop.Cart.total/1',
          mechanism: { type: 'generic', handled: true },
          stacktrace: frames(
            own('Shop.Cart.total/1', 'lib/shop/cart.ex', { module: 'Shop.Cart', vars: { arg0: 'nil' } }),
          ),
        },
      ],
    },
    type: 'backend_exception',
    says: { 'payload.request.path': '/orders/7', 'payload.exceptions.0.frames.0.vars': { arg0: 'nil' } },
    frame: 'Shop.Cart.total/1',
  },
  {
    client: 'Flutter, with what its framework says',
    event: {
      platform: 'dart',
      level: 'fatal',
      sdk: { name: 'sentry.dart.flutter', version: '8.8.0' },
      contexts: {
        os: { name: 'Android', version: '14' },
        device: { model: 'SM-S911B' },
        flutter_error_details: { library: 'widgets library', context: 'thrown while building Cart' },
      },
      exception: {
        values: [
          {
            type: 'StateError',
            value: 'Bad state: No element',
            mechanism: { type: 'FlutterError', handled: false },
            stacktrace: frames(
              own('Cart.total', 'cart.dart', { abs_path: 'package:shop/cart.dart', package: 'shop' }),
              {
                function: 'List.first',
                filename: 'list.dart',
                abs_path: 'dart:core/list.dart',
                in_app: false,
              },
            ),
          },
        ],
      },
    },
    type: 'frontend_exception',
    says: {
      'service.framework': 'flutter',
      'context.contexts.flutter_error_details.context': 'thrown while building Cart',
      'context.fatal': true,
    },
    frame: 'Cart.total',
  },
  {
    client: 'the hook of a shell script',
    event: {
      platform: 'other',
      sdk: { name: 'sentry-cli', version: '2.31.0' },
      level: 'error',
      exception: {
        values: [
          {
            type: 'BashError',
            value: 'command pg_dump shop exited with status 1',
            stacktrace: frames(
              { function: 'main', filename: 'backup.sh', lineno: 3, context_line: 'dump', in_app: null },
              { function: 'dump', filename: 'backup.sh', lineno: 12, context_line: '  pg_dump shop' },
            ),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: {
      'payload.exceptions.0.frames.0.context_line': '  pg_dump shop',
      'payload.exceptions.0.frames.0.in_app': undefined,
    },
    frame: 'dump',
  },
  {
    client: 'Lua, whose chunks are marked as files',
    event: {
      platform: 'lua',
      exception: {
        values: [{ type: 'Error', value: 'nil', stacktrace: frames(own('total', '@shop/cart.lua')) }],
      },
    },
    type: 'backend_exception',
    says: { 'payload.exceptions.0.frames.0.file': 'shop/cart.lua' },
    frame: 'total',
  },
  {
    client: 'Laravel with what its logger and its database said',
    event: {
      platform: 'php',
      sdk: { name: 'sentry.php.laravel', version: '4.8.0' },
      transaction: '/orders/{id}',
      transaction_info: { source: 'route' },
      tags: [],
      extra: [],
      user: { id: 9, ip_address: '203.0.113.9' },
      request: {
        url: 'http://shop.test/orders/7',
        method: 'GET',
        headers: { host: ['shop.test'] },
        data: [],
      },
      breadcrumbs: {
        values: [
          { category: 'db.sql.query', message: 'select 1', data: { connectionName: 'mysql', bindings: [7] } },
          { category: 'log.warning', level: 'warning', message: 'stock low', data: [] },
          {
            type: 'log',
            category: 'query',
            message: 'select $1',
            data: { 'db.params': ['entered'], rows: 1 },
          },
        ],
      },
      exception: {
        values: [
          {
            type: 'Illuminate\\Database\\QueryException',
            value: 'SQLSTATE[42S02]',
            mechanism: { type: 'generic', handled: false },
            stacktrace: frames(
              own(
                'App\\Http\\Controllers\\OrderController::show',
                '/app/Http/Controllers/OrderController.php',
                { vars: [] },
              ),
            ),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: {
      'payload.request.route_template': '/orders/{id}',
      'payload.breadcrumbs.0.data.bindings': '[REDACTED]',
      'payload.breadcrumbs.1.data.message': 'stock low',
      'payload.logs.0.attributes': { 'db.params': '[REDACTED]', rows: 1 },
      'payload.exceptions.0.frames.0.module': 'App\\Http\\Controllers\\OrderController',
      'context.user.id': '9',
    },
    frame: 'show',
  },
  {
    client: 'a script with nothing but a message',
    event: { message: 'backup failed', level: 'error' },
    type: 'log_event',
    says: { 'payload.message': 'backup failed', 'service.name': 'shop', 'service.environment': 'production' },
  },
];

it('places of a binary without symbols are the same in every run, and two of them are two', () => {
  const crash = (offset: number, base: number) => ({
    platform: 'cocoa',
    exception: {
      values: [
        {
          type: 'EXC_BAD_ACCESS',
          value: 'x',
          stacktrace: frames({
            in_app: true,
            package: 'Shop',
            instruction_addr: `0x${(base + offset).toString(16)}`,
            image_addr: `0x${base.toString(16)}`,
          }),
        },
      ],
    },
  });
  const key = keyOf(crash(0x1a2c4, 0x100000000));
  expect(keyOf(crash(0x1a2c4, 0x10034c000))).toBe(key);
  expect(keyOf(crash(0x1b000, 0x100000000))).not.toBe(key);
});

it.each(SHAPES)('$client', ({ event, type, says, frame }) => {
  const [found] = mapped('event', event).events;
  expect(found?.event_type).toBe(type);
  for (const [path, value] of Object.entries(says)) expect(at(found, path), path).toEqual(value);
  if (frame === undefined) return;
  const normalized = normalizedEvent(event);
  expect(JSON.stringify(normalized)).toContain(`"${frame}"`);
});
