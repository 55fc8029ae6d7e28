import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import { createFingerprinter } from '../../../src/events/fingerprint/memoized-fingerprint.ts';
import type { Fingerprint } from '../../../src/events/fingerprint/sealed-fingerprint.ts';
import type { ExceptionPayload, NormalizedEvent } from '../../../src/events/normalize/event.ts';
import {
  backendException,
  browserEvent,
  buildEvent,
  exceptionPayload,
  frontendException,
  httpRequest,
  logEvent,
  requestEvent,
} from '../build-event.ts';

/** Few words, so that equal and nearly equal events come up often. */
const word = fc.constantFrom(
  '',
  'a',
  'b',
  'ab',
  'n',
  '1',
  '1:a',
  '-',
  'Script error.',
  '/a/1',
  'https://h.example/a.js',
);
const maybe = fc.option(word, { nil: null });
const stack = fc.constantFrom(
  null,
  'E\n    at a (/src/a.js:1:1)',
  'E\n    at b (/src/b.js:1:1)',
  'E\n    at a (/src/a.js:1:1)\nCaused by: F: g',
);

const exception = fc
  .record({
    name: word,
    message: word,
    stack,
    route: maybe,
    causes: fc.array(fc.record({ name: word, message: word, stack }), { maxLength: 2 }),
    request: fc.option(fc.record({ method: maybe, path: maybe, url: maybe, routeTemplate: maybe }), {
      nil: null,
    }),
    browserEvent: fc.option(
      fc.record({
        kind: fc.constantFrom('window_error' as const, 'resource_error' as const),
        message: maybe,
        fileName: maybe,
        opaque: fc.boolean(),
        target: fc.option(fc.record({ tagName: maybe, sourceUrl: maybe }), { nil: null }),
      }),
      { nil: null },
    ),
    rejectionReason: fc.option(
      fc.record({
        kind: fc.constantFrom('error' as const, 'string' as const, 'null' as const),
        name: maybe,
        message: maybe,
        preview: maybe,
      }),
      { nil: null },
    ),
  })
  .map((fields): ExceptionPayload => {
    const { request, browserEvent: event } = fields;
    return exceptionPayload({
      ...fields,
      request: request && httpRequest(request),
      browserEvent:
        event && browserEvent({ ...event, target: event.target && { ...event.target, attributes: {} } }),
    });
  });

const attributes = fc.record(
  {
    stack: fc.oneof(word, stack),
    exception: word,
    error: fc.oneof(word, fc.record({ name: word, type: word, stack }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);

const event: fc.Arbitrary<NormalizedEvent> = fc.oneof(
  exception.map((payload) => buildEvent('backend_exception', payload)),
  exception.map((payload) => buildEvent('frontend_exception', payload)),
  fc
    .tuple(word, word, fc.nat({ max: 3 }), maybe, maybe)
    .map(([method, path, status, routeTemplate, url]) =>
      requestEvent(method, path, status, { routeTemplate, url }),
    ),
  fc.tuple(word, attributes).map(([message, fields]) => logEvent(message, fields)),
);

/** What an event gets once it was met before. */
function known(fingerprintOf: (event: NormalizedEvent) => Fingerprint | null, event: NormalizedEvent) {
  fingerprintOf(event);
  return fingerprintOf(event);
}

describe('createFingerprinter', () => {
  it('gives every event the fingerprint of its own', () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 60 }),
        fc.integer({ min: 0, max: 12 }),
        (events, entriesMax) => {
          const fingerprintOf = createFingerprinter({ entriesMax });
          for (const each of [...events, ...events])
            expect(fingerprintOf(each)).toEqual(fingerprintEvent(each));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('gives equal events one object, whatever else differs', () => {
    const fingerprintOf = createFingerprinter({ entriesMax: 10 });
    const first = known(fingerprintOf, backendException({ stack: 'E\n    at a (/src/a.js:1:1)' }));
    const later = {
      ...backendException({ stack: 'E\n    at a (/src/a.js:1:1)', handled: true }),
      eventId: 'evt_2',
    };
    expect(fingerprintOf(later)).toBe(first);
    expect(fingerprintOf(frontendException({ stack: 'E\n    at a (/src/a.js:1:1)' }))).not.toBe(first);
  });

  it('remembers a log by its stack and type, not by its other attributes', () => {
    const fingerprintOf = createFingerprinter({ entriesMax: 10 });
    const first = known(fingerprintOf, logEvent('x', { user: 1 }));
    expect(fingerprintOf(logEvent('x', { user: 2 }))).toBe(first);
  });

  it('keeps what is used and forgets the rest', () => {
    const fingerprintOf = createFingerprinter({ entriesMax: 4 });
    const used = known(fingerprintOf, logEvent('used'));
    const unused = known(fingerprintOf, logEvent('unused'));
    for (let index = 0; index < 20; index++) {
      known(fingerprintOf, logEvent(`other ${index} ${'x'.repeat(index)}`));
      expect(fingerprintOf(logEvent('used'))).toBe(used);
    }
    expect(fingerprintOf(logEvent('unused'))).not.toBe(unused);
    expect(fingerprintOf(logEvent('unused'))).toEqual(unused);
  });

  it('does not keep what is met only once', () => {
    const fingerprintOf = createFingerprinter({ entriesMax: 4 });
    const used = known(fingerprintOf, logEvent('used'));
    for (let index = 0; index < 50; index++) fingerprintOf(logEvent(`other ${index} ${'x'.repeat(index)}`));
    expect(fingerprintOf(logEvent('used'))).toBe(used);
  });

  it('keeps long stacks, and does not keep what is longer than 64 KB', () => {
    const fingerprintOf = createFingerprinter({ entriesMax: 10 });
    const long = (end: string, length: number) =>
      backendException({ stack: `E\n    at a (/src/a.js:1:1)\n${'x'.repeat(length)}${end}` });
    const kept = known(fingerprintOf, long('a', 20_000));
    expect(fingerprintOf(long('a', 20_000))).toBe(kept);
    expect(fingerprintOf(long('a', 20_000))).not.toBe(known(fingerprintOf, long('b', 20_000)));
    expect(fingerprintOf(long('a', 66_000))).not.toBe(known(fingerprintOf, long('a', 66_000)));
    expect(fingerprintOf(long('a', 66_000))).toEqual(fingerprintEvent(long('a', 66_000)));
  });

  it('has nothing for events without a fingerprint', () => {
    const fingerprintOf = createFingerprinter({ entriesMax: 10 });
    const probe = { kind: 'probe' as const, label: 'x', data: {}, activationId: null, labelPattern: 'x' };
    expect(fingerprintOf(buildEvent('probe_event', probe))).toBeNull();
  });
});
