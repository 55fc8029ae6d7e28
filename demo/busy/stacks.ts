import type { Failure } from './failures.ts';
import type { BusyService } from './services.ts';

/** The sent form of a stack: its text, or frames as objects with source lines. */
type SentStack = { stack: string } | { stack: string; exceptions: readonly object[] };

interface Call {
  name: string;
  file: string;
  line: number;
}

/** The source of the main failure, around the line that fails. */
const MAIN_SOURCE = [
  'export function shippingZone(order: Order): Zone {',
  '  // Guests have an address of their own.',
  '  const address = order.customer?.address ?? order.guestAddress;',
  '  const method = order.shippingMethod;',
  "  if (method === 'pickup') return PICKUP;",
  '  const zone = ZONES.get(address.country);',
  '  if (zone === undefined) throw new UnknownZoneError(address.country);',
  '  return zone;',
  '}',
] as const;
const MAIN_LINE = 6;
const CALLER_SOURCE = [
  'export async function checkout(request: CheckoutRequest): Promise<Receipt> {',
  '  const order = await openOrder(request.cartId);',
  '  const zone = shippingZone(order);',
  '  const price = await priceOf(order, zone);',
  '  return await capture(order, price);',
] as const;

/** The outer calls of each language, innermost first. */
const OUTER: Readonly<Record<BusyService['language'], readonly Call[]>> = {
  javascript: [
    { name: 'checkout', file: '/srv/app/src/checkout/checkout.ts', line: 31 },
    { name: 'preHandlerCallback', file: '/srv/app/node_modules/fastify/lib/handleRequest.js', line: 137 },
    { name: 'process.processTicksAndRejections', file: 'node:internal/process/task_queues', line: 105 },
  ],
  browser: [
    { name: 'renderWithHooks', file: 'https://shop.example/assets/vendor-5b1c0a.js', line: 14 },
    { name: 'performWork', file: 'https://shop.example/assets/vendor-5b1c0a.js', line: 22 },
  ],
  python: [
    { name: 'handle', file: '/srv/app/app/http/handle.py', line: 58 },
    {
      name: 'run_endpoint_function',
      file: '/usr/lib/python3.13/site-packages/fastapi/routing.py',
      line: 301,
    },
  ],
  java: [
    { name: 'com.shop.payments.http.PaymentController.post', file: 'PaymentController.java', line: 88 },
    {
      name: 'org.springframework.web.servlet.FrameworkServlet.service',
      file: 'FrameworkServlet.java',
      line: 885,
    },
    { name: 'java.base/java.lang.Thread.run', file: 'Thread.java', line: 1583 },
  ],
  go: [
    { name: 'shop/inventory/http.(*Server).handle', file: '/src/http/server.go', line: 140 },
    { name: 'net/http.HandlerFunc.ServeHTTP', file: '/usr/local/go/src/net/http/server.go', line: 2294 },
  ],
  php: [
    { name: 'App\\Queue\\Worker->handle', file: '/srv/app/src/Queue/Worker.php', line: 64 },
    {
      name: 'Symfony\\Component\\Messenger\\Worker->run',
      file: '/srv/app/vendor/symfony/messenger/Worker.php',
      line: 155,
    },
  ],
};

const ROOTS: Readonly<Record<BusyService['language'], string>> = {
  javascript: '/srv/app/',
  browser: 'https://shop.example/assets/',
  python: '/srv/app/',
  java: '',
  go: '/src/',
  php: '/srv/app/',
};

export function stackOf(failure: Failure, { language }: BusyService, message: string): SentStack {
  const line = 20 + ((failure.function.length * 7) % 160);
  const own = { name: failure.function, file: ROOTS[language] + failure.file, line };
  const outer = OUTER[language];
  const deep = Array.from({ length: Math.max(1, (failure.frames ?? 1) - outer.length) }, (_, at) => ({
    ...own,
    line: line + (at % 3),
  }));
  const calls = [...deep, ...outer];
  const stack = textOf(language, `${failure.type}: ${message}`, calls);
  return failure.story === 'main' ? { stack, exceptions: [withSource(failure, message, calls)] } : { stack };
}

function textOf(language: BusyService['language'], head: string, calls: readonly Call[]): string {
  const at = calls.map(({ name, file, line }) => `    at ${name} (${file}:${line}:${9 + (line % 30)})`);
  switch (language) {
    case 'javascript':
    case 'browser':
      return [head, ...at].join('\n');
    case 'java':
      return [head, ...calls.map(({ name, file, line }) => `\tat ${name}(${file}:${line})`)].join('\n');
    case 'python':
      return [
        'Traceback (most recent call last):',
        ...calls.toReversed().map(({ name, file, line }) => `  File "${file}", line ${line}, in ${name}`),
        head,
      ].join('\n');
    case 'go':
      return [
        'goroutine 41 [running]:',
        ...calls.map(({ name, file, line }) => `${name}(0xc0001a4000)\n\t${file}:${line} +0x1d4`),
      ].join('\n');
    case 'php':
      return [
        head,
        ...calls.map(({ name, file, line }, place) => `#${place} ${file}(${line}): ${name}()`),
        `#${calls.length} {main}`,
      ].join('\n');
  }
}

function withSource(failure: Failure, message: string, calls: readonly Call[]): object {
  const sources = [sourceAround(MAIN_SOURCE, MAIN_LINE), sourceAround(CALLER_SOURCE, 3)];
  return {
    type: failure.type,
    message,
    mechanism: { type: 'http', handled: false },
    frames: calls.map(({ name, file, line }, place) => ({
      function: name,
      file,
      line,
      column: 9 + (line % 30),
      in_app: !file.includes('node_modules') && !file.startsWith('node:'),
      ...sources[place],
    })),
  };
}

/** @param line counted from 1 */
function sourceAround(source: readonly string[], line: number): object {
  return {
    pre_context: source.slice(0, line - 1),
    context_line: source[line - 1],
    post_context: source.slice(line),
  };
}
