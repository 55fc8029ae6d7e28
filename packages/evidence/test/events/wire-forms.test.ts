import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../src/events/envelope/check-event.ts';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import { fingerprintEvent } from '../../src/events/fingerprint/fingerprint.ts';
import { createFingerprinter } from '../../src/events/fingerprint/memoized-fingerprint.ts';
import type { Fingerprint } from '../../src/events/fingerprint/sealed-fingerprint.ts';
import type { ExceptionPayload, LoggedError, NormalizedEvent } from '../../src/events/normalize/event.ts';
import { eventRichness } from '../../src/events/normalize/event-richness.ts';
import { eventSeverity } from '../../src/events/normalize/event-severity.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { wireForm } from './wire-forms.ts';

function normalized(raw: JsonObject): NormalizedEvent {
  const check = checkEvent(raw);
  if (!check.ok) throw new Error(check.reason);
  return normalizeEvent(raw, { eventId: 'evt_1', receivedAtMs: Date.UTC(2026, 2, 24, 10, 30) });
}

function exception(raw: JsonObject): ExceptionPayload {
  const { payload } = normalized(raw);
  if (payload.kind !== 'exception') throw new Error('no exception');
  return payload;
}

function fingerprint(raw: JsonObject): Fingerprint {
  const found = fingerprintEvent(normalized(raw));
  if (found === null) throw new Error('no fingerprint');
  return found;
}

function loggedError(raw: JsonObject): LoggedError | null {
  const { payload } = normalized(raw);
  if (payload.kind !== 'log') throw new Error('no log');
  return payload.error;
}

/** The log line of a library that writes each argument under its number. */
function logOf(attributes: JsonObject): JsonObject {
  return wireForm('node-server', 'error_passed_to_logger', { attributes });
}

describe('an exception whose class has no name', () => {
  it.each([
    ['an empty name', wireForm('node-server', 'nameless_class')],
    ['null', wireForm('node-server', 'class_of_null')],
    ['an anonymous class of PHP', wireForm('php-server', 'anonymous_class')],
    ['one without a parent', wireForm('php-server', 'anonymous_class', { name: 'class@anonymous' })],
    ['an anonymous class of Ruby', wireForm('ruby-server', 'anonymous_class')],
    ['a word in brackets', wireForm('node-server', 'nameless_class', { name: '(anonymous)' })],
    ['null in the error object', wireForm('node-server', 'nameless_class', { error: { type: null } })],
  ])('is called Error: %s', (_, raw) => {
    expect(exception(raw).name).toBe('Error');
  });

  it.each(['App\\AnonymousUser', 'anonymous', 'Order$1', 'Foo@anonymousHandler'])('keeps %s', (name) => {
    expect(exception(wireForm('php-server', 'command_line', { name })).name).toBe(name);
  });

  it('takes the name from another spelling that has one', () => {
    const raw = wireForm('node-server', 'nameless_class', { error_class: 'QueueError' });
    expect(exception(raw).name).toBe('QueueError');
    const conflict = wireForm('node-server', 'nameless_class', { name: 'A', error_class: 'B' });
    expect(checkEvent(conflict)).toMatchObject({ ok: false });
  });

  it('groups the same in every release', () => {
    const raw = wireForm('php-server', 'anonymous_class');
    const later = wireForm('php-server', 'anonymous_class', {
      name: 'RuntimeException@anonymous\0/app/releases/20260401090000/src/Pay.php:14$2',
    });
    expect(fingerprint(later).value).toBe(fingerprint(raw).value);
  });
});

describe('a request that was never handled', () => {
  it.each([
    ['node-server', 'background_job'],
    ['php-server', 'command_line'],
    ['python-server', 'exception_group'],
  ] as const)('is no evidence: %s %s', (kind, name) => {
    const event = normalized(wireForm(kind, name));
    const without = normalized(wireForm(kind, name, { request: null, response: null }));
    expect(eventRichness(event)).toBe(eventRichness(without));
  });
});

describe('causes in the context', () => {
  const raw = wireForm('node-server', 'causes_in_context');
  const causes = (raw.context as JsonObject).causes ?? null;

  it('make the same chain and fingerprint as causes in the payload', () => {
    const inPayload = { ...wireForm('node-server', 'causes_in_context', { causes }), context: {} };
    expect(fingerprint(raw).chain).toEqual(fingerprint(inPayload).chain);
    expect(fingerprint(raw).value).toBe(fingerprint(inPayload).value);
    expect(fingerprint(raw).chain.map(({ type }) => type)).toEqual([
      'CheckoutError',
      'PaymentError',
      'SocketError',
    ]);
  });

  it('give way to those of the payload', () => {
    const own = wireForm('node-server', 'causes_in_context', { causes: [{ name: 'Own', message: 'm' }] });
    expect(exception(own).causes.map(({ name }) => name)).toEqual(['Own']);
  });

  it('keep their stacks whatever else the context holds', () => {
    const context = { noise: Array.from({ length: 150 }, () => 'x'.repeat(1_000)), causes };
    expect(exception({ ...raw, context }).causes).toEqual(exception(raw).causes);
  });

  it.each([
    ['words', ['timeout', 'retry']],
    ['text', 'timeout'],
    ['other records', [{ reason: 'timeout' }, null, 7]],
    ['only a message', [{ message: 'timeout' }]],
  ])('are none when an application keeps something else there: %s', (_, other) => {
    expect(exception({ ...raw, context: { causes: other } }).causes).toEqual([]);
  });
});

describe('an error among the arguments of a logger', () => {
  const raw = wireForm('node-server', 'error_passed_to_logger');
  const attributes = (raw.payload as JsonObject).attributes as JsonObject;
  const error = (attributes.arg_1 as JsonObject).err as JsonObject;

  it('has chain, frames and severity of an exception', () => {
    const asException = wireForm('node-server', 'causes_in_context', { ...error });
    const sent = { ...asException, context: {} };
    expect(fingerprint(raw).chain).toEqual(fingerprint(sent).chain);
    expect(fingerprint(raw).applicationFrame).toEqual(fingerprint(sent).applicationFrame);
    expect(JSON.parse(fingerprint(raw).materialJson)).toMatchObject({
      k: 'log',
      type: 'PaymentError',
      frames: JSON.parse(fingerprint(sent).materialJson).frames,
    });
    const options = { isServerToken: true, hasFrames: true };
    expect(eventSeverity(normalized(raw), options)).toBe('high');
    expect(eventSeverity(normalized(sent), options)).toBe('high');
  });

  it('raises no line below the level error', () => {
    const warning = wireForm('node-server', 'error_passed_to_logger', { level: 'warning' });
    expect(eventSeverity(normalized(warning), { isServerToken: true, hasFrames: true })).toBe('low');
  });

  it.each([
    ['a large argument before it', { arg_0: { rows: 'x'.repeat(9_000).split('').map(String) } }],
    [
      'many small ones',
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key_${i}`, 'x'.repeat(300)])),
    ],
    ['a deep one', { arg_0: { a: { b: { c: { d: { e: { f: { g: { h: {} } } } } } } } } }],
  ])('keeps its stack beside %s', (_, noise) => {
    expect(loggedError(logOf({ ...noise, ...attributes }))).toEqual(loggedError(raw));
  });

  it('keeps a stack that is longer than other text of attributes may be', () => {
    const stack = `${String(error.stack)}\n${'    at library (/app/node_modules/x/y.js:1:1)\n'.repeat(400)}`;
    expect(loggedError(logOf({ arg_1: { err: { ...error, stack } } }))?.stack).toBe(stack);
  });

  it('is the first one, in the order of the arguments', () => {
    const named = (name: string) => ({ err: { name, message: 'm', stack: null } });
    expect(
      loggedError(logOf({ arg_10: named('Third'), arg_2: named('First'), arg_3: named('Second') }))?.name,
    ).toBe('First');
  });

  it('is called Error without a class, and brings the causes of the context', () => {
    const nameless = { ...logOf({ arg_0: { err: { ...error, name: null } } }), context: { causes: [error] } };
    expect(loggedError(nameless)).toMatchObject({ name: 'Error', causes: [{ name: 'PaymentError' }] });
  });

  it('is not made of an argument that is no error', () => {
    const other = { arg_0: { err: 'PaymentError' }, arg_1: { err: {} }, arg_2: { err: null } };
    expect(loggedError(logOf(other))).toBeNull();
    expect(JSON.parse(fingerprint(logOf(other)).materialJson)).toEqual({
      k: 'log',
      msg: 'Checkout failed for cart',
      v: 2,
    });
  });

  it('groups by what the line and the error say when no frame can be read', () => {
    const bare = logOf({ arg_0: { err: { ...error, stack: 'PaymentError: card declined' } } });
    expect(JSON.parse(fingerprint(bare).materialJson)).toEqual({
      k: 'log',
      msg: 'Checkout failed for cart: PaymentError: card declined',
      v: 2,
    });
    expect(fingerprint(bare).chain).toHaveLength(1);
  });

  it('is told apart by the memory of fingerprints', () => {
    const remembered = createFingerprinter({ entriesMax: 100 });
    const other = logOf({ arg_1: { err: { ...error, name: 'OtherError' } } });
    for (const each of [raw, raw, raw, other, other]) {
      const event = normalized(each);
      expect(remembered(event)?.value).toBe(fingerprintEvent(event)?.value);
    }
    expect(fingerprint(other).value).not.toBe(fingerprint(raw).value);
  });
});

describe('stacks that a language draws in its own way', () => {
  it('a recovered panic of Go leads with the call that panicked, also in its key', () => {
    const found = fingerprint(wireForm('go-server', 'recovered_panic'));
    expect(found.applicationFrame).toEqual({
      file: '/src/internal/cart/cart.go',
      line: 31,
      function: '(*Cart).Item',
    });
    expect(JSON.parse(found.materialJson).frames).toEqual([
      'internal/cart#(*Cart).Item',
      'internal/web#(*Server).cart',
      'internal/web#(*Server).guard',
    ]);
  });

  it('an exception group of Python shows the frames of its members', () => {
    const { chain, applicationFrame, materialJson } = fingerprint(
      wireForm('python-server', 'exception_group'),
    );
    expect(chain.map(({ type, frames }) => [type, frames.length])).toEqual([
      ['ExceptionGroup', 2],
      ['ValueError', 1],
      ['stock.StockError', 1],
      ['KeyError', 1],
    ]);
    expect(applicationFrame).toMatchObject({ file: '/app/stock.py', function: 'load' });
    expect(JSON.parse(materialJson)).toMatchObject({ type: 'ExceptionGroup' });
    expect(JSON.parse(materialJson).members).toHaveLength(2);
  });
});
