import { frames, own, type Shape } from './shape.ts';

/** Services in PHP, Python, Ruby and Elixir. */
export const INTERPRETED_SHAPES: readonly Shape[] = [
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
];
