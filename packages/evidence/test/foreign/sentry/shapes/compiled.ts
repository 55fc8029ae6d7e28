import { frames, own, type Shape } from './shape.ts';

const goFrame = own('Load', 'shop.go', { module: 'github.com/acme/shop', abs_path: '/src/shop.go' });

/** Services in Go, Java, .NET and Rust. */
export const COMPILED_SHAPES: readonly Shape[] = [
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
];
