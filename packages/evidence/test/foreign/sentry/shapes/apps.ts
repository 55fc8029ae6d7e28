import { frames, own, type Shape } from './shape.ts';

/** Apps of telephones, games, and programs without symbols. */
export const APP_SHAPES: readonly Shape[] = [
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
];
