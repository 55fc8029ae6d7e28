import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintEvent, groupingKeyOf } from '../../../src/events/fingerprint/fingerprint.ts';
import { createGroupingKeyMaker } from '../../../src/events/fingerprint/memoized-fingerprint.ts';
import type { NormalizedEvent } from '../../../src/events/normalize/event.ts';
import type { StructuredException } from '../../../src/events/normalize/structured-exceptions.ts';
import { backendException, buildEvent, exceptionPayload, httpRequest, logEvent } from '../build-event.ts';

function computed(event: NormalizedEvent) {
  const fingerprint = fingerprintEvent(event);
  return fingerprint === null ? null : groupingKeyOf(fingerprint);
}

const number = fc.integer({ min: 0, max: 99_999_999 }).map(String);
/** Words after which the rules of both versions look at numbers, and ordinary ones. */
const word = fc.constantFrom(
  ...[
    'order',
    'code',
    'error',
    'status',
    'exit',
    'HTTP',
    'got',
    'GET',
    'https://h.example/a',
    'at',
    'line',
    'reading',
  ],
  ...[
    'is not a function',
    'is not defined',
    'rows',
    'not found',
    "'a'",
    '(',
    ')',
    'user@host',
    'in',
    'Jan',
    'Cause:',
  ],
);
const part = fc.oneof(
  word,
  word,
  number,
  fc.tuple(word, number, fc.constantFrom('', ':', '.', ',')).map((all) => all.join('')),
);
const message = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join(' '));

const STACKS: readonly ((name: string, message: string) => string)[] = [
  (name, text) => `${name}: ${text}\n    at load (/src/a.js:10:5)\n    at next (/src/b.js:2:1)`,
  (name, text) => `${name}: ${text}\n    at ${text} (/src/a.js:10:5)\nCaused by: ${name}: ${text}`,
  (name, text) =>
    `Traceback (most recent call last):\n  File "/srv/a.py", line 4711, in f\n    ${text}\n${name}: ${text}`,
  (name, text) => `/srv/a.rb:4711:in 'f': ${text} (${name})\n\tfrom /srv/b.rb:2:in 'g'`,
  (name, text) => `${name}: ${text}\n\tat com.acme.Order.load(Order.java:4711)`,
  (_, text) => `died of ${text} at a.pl line 4711\n\tmain::f(${text}) called at b.pl line 12`,
];

/** The same as objects, with what a variable held. */
function asObjects(name: string, text: string, held: string): StructuredException[] {
  const none = { module: null, absPath: null, column: null, inApp: true, package: null, language: null };
  return [
    {
      ...{ type: name, message: text, module: null, id: null, parentId: null, isGroup: false },
      frames: [{ ...none, function: 'load', file: '/src/a.js', line: 10, vars: { order: held } }],
    },
    {
      ...{ type: 'F', message: `${text}, again`, module: null, id: null, parentId: null, isGroup: false },
      frames: [{ ...none, function: 'next', file: '/src/b.js', line: 2 }],
    },
  ];
}

const event = fc.oneof(
  fc
    .record({
      name: fc.constantFrom('E', 'TypeError', 'E 4711', 'order'),
      message,
      form: fc.nat({ max: 9 }),
      path: number,
      isSentAsObjects: fc.boolean(),
    })
    .map(({ name, message: text, form, path, isSentAsObjects }) =>
      buildEvent(
        'backend_exception',
        exceptionPayload({
          name,
          message: text,
          stack: STACKS[form]?.(name, text) ?? null,
          request: httpRequest({ method: 'GET', path: `/orders/${path}`, url: null, routeTemplate: null }),
          exceptions: isSentAsObjects ? asObjects(name, text, path) : [],
        }),
      ),
    ),
  message.map((text) => logEvent(text)),
);

describe('createGroupingKeyMaker', () => {
  it('gives every event the key of its own, whatever was remembered before', () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 30 }),
        fc.integer({ min: 0, max: 40 }),
        (events, entriesMax) => {
          const keyOf = createGroupingKeyMaker({ entriesMax });
          for (const each of [...events, ...events, ...events]) expect(keyOf(each)).toEqual(computed(each));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('gives events that differ in nothing but numbers their own keys after the first of them is remembered', () => {
    fc.assert(
      fc.property(
        message,
        fc.nat({ max: 6 }),
        fc.array(number, { minLength: 2, maxLength: 6 }),
        (text, form, numbers) => {
          const keyOf = createGroupingKeyMaker({ entriesMax: 100 });
          const events = numbers.map((each) => {
            const own = text.replace(/\d+/g, (digits) =>
              each.padEnd(digits.length, '7').slice(0, digits.length),
            );
            const exceptions = form === STACKS.length ? asObjects('E', own, each) : [];
            const stack = STACKS[form]?.('E', own) ?? null;
            return backendException({ name: 'E', message: own, stack, exceptions });
          });
          for (const each of [...events, ...events]) expect(keyOf(each)).toEqual(computed(each));
        },
      ),
      { numRuns: 600 },
    );
  });

  it('gives events one object that differ in a number of their message and in the path of one route', () => {
    const keyOf = createGroupingKeyMaker({ entriesMax: 10 });
    const [first, second, third] = ['10274711', '99999999', '00000001'].map((id) =>
      backendException({
        name: 'E',
        message: `Order ${id} could not be handled`,
        stack: `E: Order ${id} could not be handled\n    at load (/src/a.js:10:5)`,
        request: httpRequest({
          method: 'GET',
          path: `/orders/${id}`,
          url: null,
          routeTemplate: '/orders/:id',
        }),
      }),
    );
    if (first === undefined || second === undefined || third === undefined) throw new Error('three events');
    keyOf(first);
    const kept = keyOf(second);
    expect(keyOf(third)).toBe(kept);
    expect(kept).toEqual(computed(first));
  });

  it('gives events one object whose exceptions came as objects, whatever variables held and messages count', () => {
    const keyOf = createGroupingKeyMaker({ entriesMax: 10 });
    const [first, second, third] = ['10274711', '99999999', '00000001'].map((id) => {
      const message = `Order ${id} could not be handled`;
      return backendException({ name: 'E', message, exceptions: asObjects('E', message, id).slice(0, 1) });
    });
    if (first === undefined || second === undefined || third === undefined) throw new Error('three events');
    keyOf(first);
    const kept = keyOf(second);
    expect(keyOf(third)).toBe(kept);
    expect(kept).toEqual(computed(first));
  });

  it('has nothing for events without a fingerprint', () => {
    const keyOf = createGroupingKeyMaker({ entriesMax: 10 });
    const probe = { kind: 'probe' as const, label: 'x', data: {}, activationId: null, labelPattern: 'x' };
    expect(keyOf(buildEvent('probe_event', probe))).toBeNull();
  });
});
