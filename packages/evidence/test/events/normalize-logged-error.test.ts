import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import { eventTitle } from '../../src/events/fingerprint/event-title.ts';
import { fingerprintEvent } from '../../src/events/fingerprint/fingerprint.ts';
import { eventSeverity } from '../../src/events/normalize/event-severity.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';

interface Reading {
  type: string | undefined;
  frame: string;
  title: string;
  severity: string;
  key: string;
}

function readEvent(eventType: string, payload: JsonObject): Reading {
  const receivedAtMs = Date.UTC(2026, 10, 1);
  const event = normalizeEvent(
    {
      event_type: eventType,
      timestamp: '2026-11-01T00:00:00Z',
      service: { name: 'shop', environment: 'production' },
      sdk: { name: 'test', version: '1' },
      payload,
    },
    { eventId: 'e', receivedAtMs },
  );
  const fingerprint = fingerprintEvent(event);
  if (fingerprint === null) throw new Error('the event has no fingerprint');
  const { applicationFrame: place, chain, value } = fingerprint;
  const hasFrames = chain.some(({ frames }) => frames.length > 0);
  return {
    type: chain[0]?.type,
    frame: place === null ? '' : `${place.function} ${place.file?.split('/').at(-1)}:${place.line}`,
    title: eventTitle(event),
    severity: eventSeverity(event, { isServerToken: true, hasFrames }),
    key: value,
  };
}

const line = (attributes: JsonObject, message = 'request failed') =>
  readEvent('log_event', { level: 'error', message, attributes });

const JS = 'TypeError: total is bad\n    at total (/srv/shop/cart.js:42:10)';
const PYTHON =
  'Traceback (most recent call last):\n  File "/srv/shop/cart.py", line 42, in total\n    pay()\nValueError: cart is empty';
const JAVA = 'com.shop.CartException: cart is empty\n\tat com.shop.Cart.total(Cart.java:42)';
const GO = 'cart is empty\nmain.total\n\t/srv/shop/cart.go:42\nmain.main\n\t/srv/shop/main.go:5';
const DOTNET = '   at Shop.Cart.Total(Int32 id) in /srv/shop/Cart.cs:line 42';
const RUBY = ["/srv/shop/cart.rb:42:in `total'", "/srv/shop/main.rb:5:in `<main>'"];

describe('an error in a field of a structured logger', () => {
  it.each<[logger: string, attributes: JsonObject, type: string, frame: string]>([
    [
      'pino and bunyan',
      { err: { type: 'TypeError', message: 'total is bad', stack: JS } },
      'TypeError',
      'total cart.js:42',
    ],
    ['winston', { error: JS }, 'TypeError', 'total cart.js:42'],
    ['winston, with the stack beside', { stack: JS }, 'TypeError', 'total cart.js:42'],
    ['Logback', { stack_trace: JAVA, logger_name: 'shop' }, 'com.shop.CartException', 'total Cart.java:42'],
    ['Quarkus', { stackTrace: JAVA }, 'com.shop.CartException', 'total Cart.java:42'],
    ['Android', { throwable: JAVA }, 'com.shop.CartException', 'total Cart.java:42'],
    [
      'OpenTelemetry, dotted',
      {
        'exception.type': 'ValueError',
        'exception.message': 'cart is empty',
        'exception.stacktrace': PYTHON,
      },
      'ValueError',
      'total cart.py:42',
    ],
    [
      'OpenTelemetry, nested',
      { exception: { type: 'ValueError', stacktrace: PYTHON } },
      'ValueError',
      'total cart.py:42',
    ],
    [
      'ECS',
      { error: { type: 'ValueError', message: 'cart is empty', stack_trace: PYTHON } },
      'ValueError',
      'total cart.py:42',
    ],
    [
      'Datadog',
      { error: { kind: 'ValueError', message: 'cart is empty', stack: PYTHON } },
      'ValueError',
      'total cart.py:42',
    ],
    ['python-json-logger', { exc_info: PYTHON }, 'ValueError', 'total cart.py:42'],
    ['Python', { exc_text: PYTHON }, 'ValueError', 'total cart.py:42'],
    ['Python, in extra', { extra: { exc_info: PYTHON } }, 'ValueError', 'total cart.py:42'],
    ['Powertools', { exception_name: 'ValueError', exception: PYTHON }, 'ValueError', 'total cart.py:42'],
    [
      'structlog',
      {
        exception: [
          {
            exc_type: 'ValueError',
            exc_value: 'cart is empty',
            frames: [
              { filename: '/srv/shop/main.py', lineno: 5, name: 'main' },
              { filename: '/srv/shop/cart.py', lineno: 42, name: 'total' },
            ],
          },
        ],
      },
      'ValueError',
      'total cart.py:42',
    ],
    [
      'Ruby',
      { exception: { class: 'CartError', message: 'cart is empty', backtrace: RUBY } },
      'CartError',
      'total cart.rb:42',
    ],
    [
      'semantic_logger',
      { exception: { name: 'CartError', message: 'cart is empty', stack_trace: RUBY } },
      'CartError',
      'total cart.rb:42',
    ],
    [
      'Monolog',
      {
        exception: {
          class: 'CartException',
          message: 'cart is empty',
          code: 0,
          file: '/srv/shop/Cart.php:42',
          trace: ['/srv/shop/Main.php:5'],
        },
      },
      'CartException',
      '<main> Cart.php:42',
    ],
    [
      'zerolog',
      { error: 'cart is empty', stack: [{ func: 'total', line: '42', source: 'cart.go' }] },
      'cart is empty',
      'total cart.go:42',
    ],
    ['zap', { error: 'cart is empty', errorVerbose: GO }, 'cart is empty', 'total cart.go:42'],
    [
      'Log4j',
      {
        thrown: {
          name: 'com.shop.CartException',
          message: 'cart is empty',
          extendedStackTrace: [{ class: 'com.shop.Cart', method: 'total', file: 'Cart.java', line: 42 }],
        },
      },
      'com.shop.CartException',
      'total Cart.java:42',
    ],
    [
      'Logback JSON',
      {
        throwable: {
          className: 'com.shop.CartException',
          stepArray: [
            { className: 'com.shop.Cart', methodName: 'total', fileName: 'Cart.java', lineNumber: 42 },
          ],
        },
      },
      'com.shop.CartException',
      'total Cart.java:42',
    ],
    [
      'Serilog',
      { Exception: { Type: 'Shop.CartException', StackTrace: DOTNET } },
      'Shop.CartException',
      'Total Cart.cs:42',
    ],
  ])('is read as %s writes it', (_logger, attributes, type, frame) => {
    const read = line(attributes);
    expect(read.frame).toBe(frame);
    expect(read.title).toContain(`request failed: ${type}`);
    expect(read.key).not.toBe(line({}).key);
  });

  it('is as severe as an error passed to the logger, and a stack written by hand is not', () => {
    expect(line({ err: { type: 'TypeError', stack: JS } }).severity).toBe('high');
    expect(line({ stack: JS }).severity).toBe('low');
  });

  it('tells two failures behind one message apart', () => {
    const other = { type: 'RangeError', stack: 'RangeError: y\n    at send (/srv/shop/mail.js:7:1)' };
    expect(line({ err: { type: 'TypeError', stack: JS } }).key).not.toBe(line({ err: other }).key);
  });

  it('takes part in the template when it is a sentence', () => {
    const [refused, again, late] = [
      'dial tcp 10.0.0.1:80: connection refused',
      'dial tcp 10.0.0.2:80: connection refused',
      'context deadline exceeded',
    ].map((error) => line({ error }));
    expect(refused?.key).toBe(again?.key);
    expect(refused?.key).not.toBe(late?.key);
    expect(refused?.severity).toBe('low');
  });

  it('is read inside a message that is a record', () => {
    const record = (err: JsonObject) =>
      line({}, JSON.stringify({ level: 'error', msg: 'request failed', err }));
    const read = record({ type: 'TypeError', message: 'total is bad', stack: JS });
    expect(read).toMatchObject({ frame: 'total cart.js:42', type: 'TypeError', severity: 'high' });
  });

  it('is no field that only has such a name', () => {
    const { key } = line({});
    for (const attributes of [
      { code: 5 },
      { type: 'order' },
      { name: 'Jane Doe' },
      { context: { user: 'x' } },
      { err: null },
    ]) {
      expect(line(attributes).key).toBe(key);
    }
  });

  it.each(['__proto__', 'constructor'])('does not read what %s brings', (name) => {
    const hostile: JsonObject = JSON.parse(`{"${name}":{"stack":${JSON.stringify(JS)}}}`);
    expect(line(hostile).key).toBe(line({}).key);
  });
});

describe('a trace in a message', () => {
  const log = (message: string) => line({}, message);

  it.each([
    ['ASGI', `Exception in ASGI application\n${PYTHON}`, 'ValueError: cart is empty', 'total cart.py:42'],
    ['nothing', PYTHON, 'ValueError: cart is empty', 'total cart.py:42'],
    ['Django', `Internal Server Error: /cart/5\n${PYTHON}`, 'ValueError: cart is empty', 'total cart.py:42'],
    ['Flask', `Exception on /cart [GET]\n${PYTHON}`, 'ValueError: cart is empty', 'total cart.py:42'],
    [
      'a sentence above Java',
      `Servlet.service() threw\n${JAVA}`,
      'com.shop.CartException: cart is empty',
      'total Cart.java:42',
    ],
    ['a sentence above JavaScript', `Job 5 failed\n${JS}`, 'TypeError: total is bad', 'total cart.js:42'],
    [
      'ASP.NET',
      `An unhandled exception has occurred while executing the request.\nShop.CartException: cart is empty\n${DOTNET}`,
      'Shop.CartException: cart is empty',
      'Total Cart.cs:42',
    ],
  ])('is read below %s', (_above, message, title, frame) => {
    expect(log(message)).toMatchObject({ title, frame, severity: 'high' });
    expect(readEvent('backend_exception', { message })).toMatchObject({ title, frame });
  });

  it('tells two failures below one sentence apart', () => {
    const other = PYTHON.replace('cart.py', 'mail.py').replace('ValueError', 'OSError');
    const sentence = 'Exception in ASGI application';
    expect(log(`${sentence}\n${PYTHON}`).key).not.toBe(log(`${sentence}\n${other}`).key);
    const thrown = (trace: string) =>
      readEvent('backend_exception', { error_class: 'AppError', message: `${sentence}\n${trace}` });
    expect(thrown(PYTHON).key).not.toBe(thrown(other).key);
    expect(thrown(PYTHON).key).toBe(thrown(PYTHON.replace('42', '57')).key);
  });

  it('is not looked for where no line is a frame', () => {
    expect(log('Validation failed:\n  total is 5\n  name is blank')).toMatchObject({
      frame: '',
      severity: 'low',
    });
  });
});
