import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../../src/events/envelope/check-event.ts';
import { readAnyStack } from '../../../src/events/fingerprint/stack/read-stack.ts';
import { languageOf } from '../../../src/events/fingerprint/stack/stack-language.ts';
import { normalizeEvent } from '../../../src/events/normalize/normalize-event.ts';
import { eventsOf, exceptionEvent, SOURCE, span, tracesOf } from './otlp-bodies.ts';

/** What the exporter of a language sends for one failed request, written after its semantic conventions. */
interface Exported {
  resource: Record<string, unknown>;
  request: Record<string, unknown>;
  exception: Record<string, unknown>;
  /** Type and newest own frame of each exception of the chain. */
  chain: string[];
  path: string;
  name: string;
  runtime: string;
}

const EXPORTED: Record<string, Exported> = {
  Python: {
    resource: {
      'telemetry.sdk.language': 'python',
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.version': '1.37.0',
      'telemetry.auto.version': '0.58b0',
      'service.name': 'shop',
      'process.runtime.name': 'cpython',
      'process.runtime.version': '3.12.4',
    },
    request: {
      'http.method': 'POST',
      'http.server_name': '127.0.0.1',
      'http.scheme': 'http',
      'http.host': 'shop.example',
      'http.target': '/checkout?step=2',
      'net.peer.ip': '203.0.113.9',
      'http.user_agent': 'curl/8',
      'http.flavor': '1.1',
      'http.route': '/checkout',
      'http.status_code': 500,
    },
    exception: {
      'exception.type': 'shop.errors.PaymentError',
      'exception.message': 'card declined',
      'exception.escaped': 'False',
      'exception.stacktrace': `Traceback (most recent call last):
  File "/app/shop/gateway.py", line 9, in post
    raise TimeoutError("timed out")
TimeoutError: timed out

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/usr/local/lib/python3.12/site-packages/flask/app.py", line 880, in full_dispatch_request
    rv = self.dispatch_request()
         ^^^^^^^^^^^^^^^^^^^^^^^
  File "/app/shop/views.py", line 41, in checkout
    charge(order)
  File "/app/shop/payments.py", line 17, in charge
    raise PaymentError("card declined") from exc
shop.errors.PaymentError: card declined
`,
    },
    chain: ['shop.errors.PaymentError charge:17', 'TimeoutError post:9'],
    path: '/checkout',
    name: 'shop.errors.PaymentError',
    runtime: 'python',
  },
  'Java agent': {
    resource: {
      'telemetry.sdk.language': 'java',
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.version': '1.55.0',
      'telemetry.distro.name': 'opentelemetry-java-instrumentation',
      'service.name': 'orders',
      'service.instance.id': '1c1f5a1e-9a51-4b0e-8a35-000000000001',
      'process.runtime.name': 'OpenJDK Runtime Environment',
      'process.runtime.version': '21.0.4+7-LTS',
      'process.pid': 1,
      'host.name': 'orders-0',
      'process.command_args': ['/opt/java/bin/java', '-jar', 'app.jar'],
    },
    request: {
      'http.request.method': 'POST',
      'url.path': '/orders',
      'url.scheme': 'http',
      'http.route': '/orders',
      'http.response.status_code': 500,
      'server.address': 'orders',
      'client.address': '203.0.113.9',
      'network.peer.address': '203.0.113.9',
      'user_agent.original': 'curl/8',
      'thread.name': 'http-nio-8080-exec-1',
    },
    exception: {
      'exception.type': 'java.lang.IllegalStateException',
      'exception.message': 'order 17 has no lines',
      'exception.stacktrace': `java.lang.IllegalStateException: order 17 has no lines
\tat com.acme.shop.OrderService.place(OrderService.java:88)
\tat com.acme.shop.OrderController.create(OrderController.java:41)
\tat java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)
\tat org.springframework.web.method.support.InvocableHandlerMethod.doInvoke(InvocableHandlerMethod.java:255)
Caused by: java.sql.SQLTimeoutException: statement timed out
\tat com.acme.shop.OrderRepository.lines(OrderRepository.java:23)
\tat com.acme.shop.OrderService.place(OrderService.java:85)
\t... 62 more
`,
    },
    chain: ['java.lang.IllegalStateException place:88', 'java.sql.SQLTimeoutException lines:23'],
    path: '/orders',
    name: 'java.lang.IllegalStateException',
    runtime: 'jvm',
  },
  '.NET': {
    resource: {
      'telemetry.sdk.language': 'dotnet',
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.version': '1.13.1',
      'service.name': 'Shop.Api',
      'deployment.environment': 'production',
    },
    request: {
      'server.address': 'localhost',
      'server.port': 5000,
      'http.request.method': 'POST',
      'url.scheme': 'https',
      'url.path': '/orders/17/close',
      'url.query': 'force=true',
      'network.protocol.version': '2',
      'user_agent.original': 'curl/8',
      'http.route': '/orders/{id}/close',
      'http.response.status_code': 500,
      'error.type': 'System.InvalidOperationException',
    },
    exception: {
      'exception.type': 'InvalidOperationException',
      'exception.message': 'The order is closed.',
      'exception.stacktrace': `System.InvalidOperationException: The order is closed.
 ---> Microsoft.Data.SqlClient.SqlException (0x80131904): Timeout expired.
   at Shop.Data.OrderStore.LoadAsync(Int32 id) in /src/Shop/Data/OrderStore.cs:line 33
   --- End of inner exception stack trace ---
   at Shop.Orders.OrderService.CloseAsync(Int32 id) in /src/Shop/Orders/OrderService.cs:line 71
   at Microsoft.AspNetCore.Http.RequestDelegateFactory.<ExecuteTaskResult>g__ExecuteAwaited|148_0(Task task, HttpContext httpContext)`,
    },
    chain: [
      'System.InvalidOperationException CloseAsync:71',
      'Microsoft.Data.SqlClient.SqlException LoadAsync:33',
    ],
    path: '/orders/17/close',
    name: 'System.InvalidOperationException',
    runtime: 'dotnet',
  },
  Go: {
    resource: {
      'telemetry.sdk.language': 'go',
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.version': '1.38.0',
      'service.name': 'stock',
      'process.runtime.name': 'go',
      'process.runtime.version': 'go1.25.1',
    },
    request: {
      'http.request.method': 'GET',
      'url.scheme': 'http',
      'server.address': 'stock',
      'network.peer.address': '203.0.113.9',
      'url.path': '/stock/9',
      'http.route': '/stock/{id}',
      'http.response.status_code': 500,
    },
    exception: {
      'exception.type': '*fmt.wrapError',
      'exception.message': 'load stock: connection refused',
      'exception.stacktrace': `goroutine 34 [running]:
go.opentelemetry.io/otel/sdk/trace.recordStackTrace()
\t/go/pkg/mod/go.opentelemetry.io/otel/sdk@v1.38.0/trace/span.go:479 +0x65
go.opentelemetry.io/otel/sdk/trace.(*recordingSpan).RecordError(0xc0001a2000, {0x9f2d80, 0xc00009c5a0}, {0xc0000b3c28, 0x1, 0x1})
\t/go/pkg/mod/go.opentelemetry.io/otel/sdk@v1.38.0/trace/span.go:436 +0x3b5
main.loadStock({0xa0f0c8, 0xc0001b4030}, 0x11)
\t/src/stock/stock.go:57 +0x1f2
main.handleStock({0xa0e6a8, 0xc0001c40e0}, 0xc0001d6000)
\t/src/stock/main.go:31 +0xd1
net/http.HandlerFunc.ServeHTTP(0xc0000b2000?, {0xa0e6a8?, 0xc0001c40e0?}, 0x0?)
\t/usr/local/go/src/net/http/server.go:2171 +0x29
`,
    },
    chain: [' loadStock:57'],
    path: '/stock/9',
    name: '*fmt.wrapError',
    runtime: 'go',
  },
  Ruby: {
    resource: {
      'telemetry.sdk.language': 'ruby',
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.version': '1.9.0',
      'service.name': 'shop-rails',
      'process.runtime.name': 'ruby',
      'process.runtime.version': '3.4.1',
      'process.pid': 7,
      'process.command': 'bin/rails',
    },
    request: {
      'http.method': 'POST',
      'http.host': 'shop.example',
      'http.scheme': 'http',
      'http.target': '/checkout',
      'http.user_agent': 'curl/8',
      'code.namespace': 'CheckoutController',
      'code.function': 'create',
      'http.route': '/checkout',
      'http.status_code': 500,
    },
    exception: {
      'exception.type': 'Shop::PaymentError',
      'exception.message': 'card declined',
      'exception.stacktrace': `/app/lib/shop/payments.rb:17:in 'Shop::Payments#charge': card declined (Shop::PaymentError)
\tfrom /app/app/controllers/checkout_controller.rb:41:in 'CheckoutController#create'
\tfrom /usr/local/bundle/gems/opentelemetry-api-1.4.0/lib/opentelemetry/trace/tracer.rb:37:in 'OpenTelemetry::Trace::Tracer#in_span'
/app/lib/shop/gateway.rb:9:in 'Shop::Gateway#post': timed out (Net::ReadTimeout)
\tfrom /app/lib/shop/payments.rb:15:in 'Shop::Payments#charge'
`,
    },
    chain: ['Shop::PaymentError charge:17', 'Net::ReadTimeout post:9'],
    path: '/checkout',
    name: 'Shop::PaymentError',
    runtime: 'ruby',
  },
  PHP: {
    resource: {
      'telemetry.sdk.language': 'php',
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.version': '1.7.1',
      'service.name': 'shop-laravel',
      'process.runtime.name': 'fpm-fcgi',
      'process.runtime.version': '8.4.1',
      'process.pid': 12,
      'host.name': 'php-0',
      'host.arch': 'x86_64',
    },
    request: {
      'url.full': 'http://shop.example/orders?draft=1',
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'http.route': 'orders',
      'url.path': '/orders',
      'http.response.status_code': 500,
      'code.function.name': 'App\\Http\\Controllers\\OrderController::store',
    },
    exception: {
      'exception.type': 'App\\Exceptions\\PaymentFailed',
      'exception.message': 'card declined',
      'exception.stacktrace': `App.Exceptions.PaymentFailed: card declined
 at App.Services.Checkout.charge(Checkout.php:41)
 at Illuminate.Routing.Controller.callAction(ControllerDispatcher.php:46)
 at {main}(index.php:20)
Caused by: RuntimeException: gateway timed out
 at App.Services.Gateway.post(Gateway.php:12)
 ... 3 more`,
    },
    chain: ['App.Exceptions.PaymentFailed charge:41', 'RuntimeException post:12'],
    path: '/orders',
    name: 'App\\Exceptions\\PaymentFailed',
    runtime: 'php',
  },
  Rust: {
    resource: {
      'telemetry.sdk.language': 'rust',
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.version': '0.31.0',
      'service.name': 'indexer',
    },
    request: { 'http.request.method': 'GET', 'url.path': '/index', 'http.response.status_code': 500 },
    exception: {
      'exception.message': 'index is locked',
      'exception.stacktrace': `   0: indexer::store::lock
             at /src/indexer/src/store.rs:17:9
   1: indexer::main
             at /src/indexer/src/main.rs:5:5`,
    },
    chain: [' lock:17'],
    path: '/index',
    name: 'Error',
    runtime: 'rust',
  },
  Elixir: {
    resource: {
      'telemetry.sdk.language': 'erlang',
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.version': '1.5.0',
      'service.name': 'unknown_service:erl',
      'process.runtime.name': 'BEAM',
      'process.runtime.version': '15.1',
    },
    request: {
      'http.request.method': 'GET',
      'url.path': '/orders/17',
      'http.route': '/orders/:id',
      'http.response.status_code': 500,
    },
    exception: {
      'exception.type': 'Elixir.RuntimeError',
      'exception.message': 'no such order',
      'exception.stacktrace': `    (shop 0.1.0) lib/shop/orders.ex:17: Shop.Orders.fetch!/1
    (shop 0.1.0) lib/shop_web/controllers/order_controller.ex:9: ShopWeb.OrderController.show/2
    (phoenix 1.7.11) lib/phoenix/endpoint/cowboy2_adapter.ex:153: Phoenix.Endpoint.Cowboy2Adapter.exec/1`,
    },
    chain: [' fetch!:17'],
    path: '/orders/17',
    name: 'Elixir.RuntimeError',
    runtime: 'elixir',
  },
};

describe.each(Object.entries(EXPORTED))('what %s exports of a failed request', (_language, exported) => {
  const { resource, request, exception } = exported;
  const { events } = eventsOf(
    'traces',
    tracesOf([span({ values: request, status: { code: 2 }, events: [exceptionEvent(exception)] })], resource),
  );
  const [failure, around] = events;

  it('is an exception with its chain, and a request that belongs to it', () => {
    expect(events.map(({ event, isContext }) => [event.event_type, isContext])).toEqual([
      ['backend_exception', false],
      ['request_event', true],
    ]);
    expect(events.map(({ event }) => checkEvent(event))).toMatchObject([{ ok: true }, { ok: true }]);
    expect(around?.event.payload).toMatchObject({ path: exported.path, response_status: 500 });
    expect(JSON.stringify(events)).not.toContain('203.0.113.9');
  });

  it('is read by the reader of the language', () => {
    if (failure === undefined) throw new Error('no event');
    const event = normalizeEvent(failure.event, { receivedAtMs: SOURCE.receivedAtMs, eventId: 'evt_1' });
    if (event.payload.kind !== 'exception') throw new Error('no exception');
    expect(event.service.runtime).toBe(exported.runtime);
    expect(event.payload).toMatchObject({
      name: exported.name,
      handled: false,
      request: { path: exported.path },
    });
    const chain = readAnyStack(event.payload.stack, languageOf(event))?.chain ?? [];
    expect(
      chain.map(({ type, frames }) => {
        const own = frames.find(({ inApp }) => inApp);
        return `${type} ${own?.function}:${own?.line}`;
      }),
    ).toEqual(exported.chain);
  });
});
