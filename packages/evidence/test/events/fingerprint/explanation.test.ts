import {
  GROUPING_READERS,
  GROUPING_RULES,
  MATCHED_FIELDS,
} from '@culprit/contract/incidents/grouping-explanation';
import { explanationParts } from '@culprit/contract/incidents/grouping-words';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/envelope/json.ts';
import { availabilityFingerprint, fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import { normalizeEvent } from '../../../src/events/normalize/normalize-event.ts';
import { readCaseFiles } from '../../corpus/case-file.ts';
import { labelledEvents } from '../grouping/labelled-events.ts';

interface Explained {
  matchedFields: readonly string[];
  readers: readonly string[];
  rule: string;
}

function explained(event_type: string, payload: JsonObject): Explained {
  const raw = { event_type, service: { name: 'shop', environment: 'production' }, payload };
  const fingerprint = fingerprintEvent(normalizeEvent(raw, { eventId: 'evt_1', receivedAtMs: 0 }));
  if (fingerprint === null) throw new Error('the event has no fingerprint');
  return fingerprint;
}

const log = (message: string, attributes: JsonObject = {}) =>
  explained('log_event', { level: 'error', message, attributes });
const thrown = (payload: JsonObject) =>
  explained('backend_exception', { error_class: 'TypeError', ...payload });
const onPage = (payload: JsonObject) =>
  explained('frontend_exception', { error_class: 'TypeError', ...payload });

const JS = 'TypeError: x\n    at total (/srv/app/cart.js:42:10)';
const PYTHON =
  'Traceback (most recent call last):\n  File "/srv/app/cart.py", line 4, in total\nValueError: empty';
const MINIFIED = 'TypeError: x\n    at a (https://shop.test/assets/main.js:1:900)';

/** A frame of a page in whose place a source map knows another one. */
function mappedOnPage(): Explained {
  const raw = {
    event_type: 'frontend_exception',
    service: { name: 'shop', environment: 'production' },
    payload: { error_class: 'TypeError', message: 'x', stack: MINIFIED },
  };
  const fingerprint = fingerprintEvent(
    normalizeEvent(raw, { eventId: 'evt_1', receivedAtMs: 0 }),
    [],
    () => ({
      ...{ kind: 'mapped', sourceMapId: 'map', file: 'src/cart.ts', line: 5, column: 2, own: true },
      ...{ function: 'Cart.total', name: null, source: null },
    }),
  );
  if (fingerprint === null) throw new Error('the event has no fingerprint');
  return fingerprint;
}

const CASES: readonly [string, () => Explained, string[], string][] = [
  ['a trace', () => thrown({ message: 'x', stacktrace: JS }), ['js_trace'], 'own_frames'],
  [
    'a trace of libraries alone',
    () => thrown({ message: 'x', stacktrace: 'TypeError: x\n    at get (/srv/app/node_modules/a/b.js:1:2)' }),
    ['js_trace'],
    'foreign_frames',
  ],
  ['a minified trace', () => onPage({ message: 'x', stack: MINIFIED }), ['js_trace'], 'minified_files'],
  [
    'frames as objects',
    () =>
      thrown({
        message: 'x',
        exceptions: [{ type: 'A', frames: [{ function: 'total', file: 'cart.rb', line: 4 }] }],
      }),
    ['frame_objects', 'ruby_trace'],
    'own_frames',
  ],
  [
    'frames as objects of an unknown language',
    () =>
      thrown({ message: 'x', exceptions: [{ type: 'A', frames: [{ function: 'total', file: 'cart.zz' }] }] }),
    ['frame_objects'],
    'own_frames',
  ],
  [
    'a trace in a message',
    () => thrown({ message: `it broke\n${PYTHON}` }),
    ['message_trace', 'python_trace'],
    'own_frames',
  ],
  [
    'a stack that no reader knows',
    () => thrown({ message: 'x', stacktrace: 'it broke\nsomewhere in the cart' }),
    ['stack_lines'],
    'stack_lines',
  ],
  ['an error without a stack', () => thrown({ message: 'x' }), ['message_text'], 'error_message'],
  [
    'an error whose message is a record',
    () => thrown({ message: '{"msg":"cart is empty","id":4}' }),
    ['message_record'],
    'error_message',
  ],
  [
    'an error without a stack in a request',
    () => thrown({ message: 'x', request: { method: 'GET', path: '/cart' } }),
    ['message_text'],
    'error_route',
  ],
  ['a line', () => log('cart is empty'), ['message_text'], 'message_template'],
  ['a record', () => log('level=error msg="cart is empty" id=12'), ['message_record'], 'record_statement'],
  [
    'an error in a field',
    () => log('failed', { err: { stack: JS } }),
    ['error_field', 'js_trace'],
    'own_frames',
  ],
  [
    'a stack that a program wrote into a field',
    () => log('failed', { stack: JS }),
    ['error_field', 'js_trace'],
    'own_frames',
  ],
  [
    'an error of a logger',
    () => log('failed', { arg_1: { err: { name: 'TypeError', message: 'x', stack: JS } } }),
    ['logger_argument', 'js_trace'],
    'own_frames',
  ],
  [
    'a sentence in a field',
    () => log('failed', { error: 'no route' }),
    ['error_field', 'message_text'],
    'message_template',
  ],
  [
    'an error in a record',
    () => log(JSON.stringify({ msg: 'failed', err: { stack: JS } })),
    ['message_record', 'js_trace'],
    'own_frames',
  ],
  [
    'an error at the end of a line, above its trace',
    () =>
      log('2026-03-24 10:30:00.1|ERROR|Shop|it failed System.ArgumentException: x\n   at Shop.Cart.Close()'),
    ['message_trace', 'dotnet_trace'],
    'own_frames',
  ],
  [
    'an error that a line shows as an object, above its trace',
    () => log('Rack app ("GET /cart"): #<NoMethodError: x>\n/srv/cart.rb:4:in \'Cart#total\''),
    ['message_trace', 'ruby_trace'],
    'own_frames',
  ],
  [
    'a span trace',
    () => thrown({ message: 'x', stacktrace: 'x\n   0: shop::load with id=4\n      at src/cart.rs:18' }),
    ['rust_trace'],
    'own_frames',
  ],
  [
    'a trace of one minified file of a server',
    () =>
      thrown({
        message: 'x',
        stacktrace: 'TypeError: x\n    at e (/srv/main.js:1:9)\n    at t (/srv/main.js:1:8)',
      }),
    ['js_trace'],
    'minified_files',
  ],
  [
    'a record with colons',
    () => log('CartError(message: "cart is empty", id: 12)'),
    ['message_record'],
    'record_statement',
  ],
  ['a trace in a line', () => log(`failed\n${PYTHON}`), ['message_trace', 'python_trace'], 'own_frames'],
  [
    'a request',
    () => explained('request_event', { method: 'GET', path: '/cart', response_status: 500 }),
    ['request'],
    'request_status',
  ],
  [
    'an opaque error of a page',
    () =>
      onPage({
        message: 'Script error.',
        browser_event: { kind: 'window_error', opaque: true, message: 'Script error.' },
      }),
    ['browser_event'],
    'script_file',
  ],
  [
    'a resource that failed to load',
    () =>
      onPage({
        message: 'x',
        browser_event: {
          kind: 'resource_error',
          opaque: true,
          target: { tag_name: 'img', source_url: 'https://cdn.test/a.png' },
        },
      }),
    ['browser_event'],
    'resource_address',
  ],
  ['a frame that a source map knows', () => mappedOnPage(), ['js_trace'], 'own_frames'],
  ['a failing check', () => availabilityFingerprint('check'), ['availability_check'], 'availability_check'],
  ['a scheduled job', () => availabilityFingerprint('job', 'heartbeat'), ['heartbeat'], 'heartbeat'],
];

describe('the explanation of a key', () => {
  it.each(CASES)('names reader and rule of %s', (_name, explain, readers, rule) => {
    expect(explain()).toMatchObject({ readers, rule });
  });

  it('uses each name that its tables hold', () => {
    const found = [
      ...CASES.map(([, explain]) => explain()),
      ...labelledEvents().map(({ event }) => fingerprintEvent(event)),
      ...readCaseFiles().flatMap(({ causes }) =>
        causes.flatMap(({ events }) => events.map(({ eventType, payload }) => explained(eventType, payload))),
      ),
    ].filter((each) => each !== null);
    const sorted = (names: readonly string[]) => [...new Set(names)].sort();
    expect(sorted(found.flatMap(({ readers }) => readers))).toEqual(sorted(Object.keys(GROUPING_READERS)));
    expect(sorted(found.map(({ rule }) => rule))).toEqual(sorted(Object.keys(GROUPING_RULES)));
    expect(sorted(found.flatMap(({ matchedFields }) => matchedFields))).toEqual(
      sorted(Object.keys(MATCHED_FIELDS)),
    );
  });

  it('is worded by its tables', () => {
    expect(
      explanationParts({
        matched_fields: ['service', 'top_frames'],
        readers: ['error_field', 'js_trace'],
        rule: 'own_frames',
      }).map(({ label, text }) => `${label} ${text}`),
    ).toEqual([
      'Grouped by service, top frames',
      'Read by the error in a field of the log line, then the JavaScript trace reader',
      'Decided by the newest in-app frames',
    ]);
  });
});
