import type { EventField, EventShape, FieldRule } from '@culprit/contract/events/event-field';
import { envelopeShape, eventTypes, payloadShapes } from '@culprit/contract/events/event-fields';
import type { JsonValue } from '../../src/events/envelope/json.ts';
import { type FixtureName, fixture } from './event-fixtures.ts';

/** One hostile or broken event. */
interface MalformedCase {
  name: string;
  /** The event as JSON text, for what a value cannot express: `1e400`, `-0`, a key that occurs twice. */
  json: string;
  /** What a parser makes of `json`. */
  event: unknown;
}

const FIXTURE_OF_TYPE = {
  backend_exception: 'W',
  frontend_exception: 'FE',
  request_event: 'REQ',
  log_event: 'LOG',
  frontend_breadcrumb: 'CRUMB',
  deploy_metadata: 'DEPLOY',
  error_suppressed: 'SUP',
  probe_event: 'PROBE',
} as const satisfies Record<(typeof eventTypes)[number], FixtureName>;

/** Written in place of a value, then replaced by raw JSON. */
const HOLE = '@@hole@@';

/** Values that are wrong, or at least odd, for most fields. */
const ODD_VALUES: Record<string, string> = {
  null: 'null',
  true: 'true',
  'minus zero': '-0',
  'minus one': '-1',
  'a fraction': '0.5',
  'more than a double holds': '1e400',
  'a huge integer': '123456789012345678901234567890',
  'empty text': '""',
  'NUL text': '"a\\u0000b"',
  'lone surrogates': '"\\udc00a\\ud800"',
  'a bare word': '"constructor"',
  'an empty list': '[]',
  'a list in a list': '[[{"a":[null]}]]',
  'an empty object': '{}',
  'hostile keys': '{"__proto__":{"a":1},"constructor":{"prototype":1},"toString":null,"hasOwnProperty":"x"}',
};

/** Values that any text field may meet. */
const LONG_TEXT: Record<string, string> = {
  'long text': 'x'.repeat(70_000),
  'long text of pairs': '\u{1f600}'.repeat(9_000),
};

const PROBE_ITEM = { label: 'a', timestamp: '2026-03-24T10:30:00Z', data: { a: 'x'.repeat(20) } };

/**
 * Patterns that make careless regular expressions slow. Each is repeated up to the bound of the field it goes into.
 */
const SLOW_PIECES: Record<string, string> = {
  'open quotes': "'",
  'quoted escapes': "'\\",
  'back quotes': '`a',
  braces: '{a=',
  'closed braces': '{a=}',
  brackets: '[a,',
  slashes: '/a',
  'slashes and backslashes': '/\\',
  'hex digits': 'a0',
  'dashed digits': '1-',
  'dotted digits': '1.',
  'comma digits': '1,',
  colons: ':',
  'colons and hex': 'a:',
  'mail addresses': 'a@a.',
  'mail starts': 'a.a',
  URLs: 'a://a',
  'prefixed ids': 'ab_1',
  'placeholder repeats': '<n> and ',
  'numbers and words': '1 and ',
  'words in front of quotes': "key '",
  'Uncaught errors': 'Uncaught ',
  'SQL states': 'SQLSTATE[',
  'status codes': 'status code: ',
  'V8 frames': '    at a (a.js:1:1)\n',
  'open V8 frames': '    at a (',
  'async frames': 'at async ',
  'eval frames': 'at eval (eval at ',
  'Firefox frames': 'a@b:',
  'Python frames': '  File "a", line 1, in a\n',
  'open Python frames': 'File "',
  'Ruby frames': "a:1:in 'a' ",
  'Ruby paths': 'from a:',
  'PHP frames': '#1 a(1): a\n',
  'open PHP frames': '#1 a(',
  'PHP headers': 'Next A\\',
  'JVM frames': '\tat a.b.c(D.java:1)\n',
  'open JVM frames': 'at a.b$c.',
  'JVM classes': 'a.b',
  'JVM causes': 'Caused by: a.B: c\n',
  'Go frames': 'a/b.C(0x1)\n\t/a.go:1 +0x1\n',
  'open Go frames': 'a.(*',
  'Go dots': 'a.b.[',
  '.NET frames': '   at A.B.C(D e) in /f.cs:line 1\n',
  'open .NET frames': 'at A.B(((',
  '.NET generics': 'at A+B`1[C].D(',
  'Swift frames': '1 App 0x1 a + 1\n',
  'Swift brackets': '1 [a] ',
  'cause arrows': ' ---> ',
  blanks: ' ',
  tabs: '\t',
  'line breaks': '\n',
  'carriage returns': '\r\n',
  dashes: '-----BEGIN ',
  Bearers: 'bearer ',
  JWTs: 'eyJa.',
  'user-info': 'a://a:a@',
  'card digits': '4 ',
};

/**
 * More than a thousand broken, hostile or merely odd events, derived from the field tables and from lists of known
 * troublemakers. Whatever they are sent to must answer each of them quickly and stay up. An event that something could
 * not cope with joins them.
 */
export const malformedCorpus: readonly MalformedCase[] = [
  ...notEvents(),
  ...oddFields(),
  ...duplicateKeys(),
  ...hostileKeys(),
  ...deepNesting(),
  ...largeValues(),
  ...slowTexts(),
];

function notEvents(): MalformedCase[] {
  return Object.entries(ODD_VALUES).map(([kind, json]) => parsed(`${kind} as an event`, json));
}

/** Every listed field under every name, sub-objects included, with every odd value. */
function oddFields(): MalformedCase[] {
  const cases: MalformedCase[] = [];
  for (const path of pathsOf(envelopeShape)) addOdd(cases, 'W', path);
  for (const type of eventTypes) {
    for (const path of pathsOf(payloadShapes[type])) addOdd(cases, FIXTURE_OF_TYPE[type], `payload.${path}`);
  }
  return cases;
}

/** Most fields share their rules with many others, so two odd values each, in turn, leave no pair of both untried. */
function addOdd(cases: MalformedCase[], name: FixtureName, path: string): void {
  const values = Object.entries(ODD_VALUES);
  const count = path.includes('.') && path.split('.').length > 2 ? 2 : 4;
  for (let i = 0; i < count; i += 1) {
    const [kind, json] = values[(cases.length * 7 + i) % values.length] ?? ['null', 'null'];
    cases.push(filled(`${kind} in ${path} of ${name}`, name, path, json));
  }
}

function pathsOf(shape: EventShape): string[] {
  const paths = shape.fields.flatMap((field: EventField) => [
    ...field.names,
    ...below(field.names[0], field.rule),
  ]);
  return [...new Set(paths)];
}

function below(name: string, rule: FieldRule): string[] {
  return rule.kind === 'object' ? pathsOf(rule.shape).map((path) => `${name}.${path}`) : [];
}

function duplicateKeys(): MalformedCase[] {
  const event = JSON.stringify(fixture('A'));
  return [
    parsed('an event type that comes twice', `{"event_type":"log_event",${event.slice(1)}`),
    parsed('a password that comes twice', `{"context":{"password":"a","password":"b"},${event.slice(1)}`),
    parsed('a payload that comes twice', `${event.slice(0, -1)},"payload":{"message":"m"}}`),
  ];
}

function hostileKeys(): MalformedCase[] {
  const keys = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    '__defineGetter__',
  ];
  const odd = ['', '\u0000', '\ud800', 'a.b', '[0]', '0', '-1', '\u202e', 'k'.repeat(10_000), 'to\u212aen'];
  const places = ['', 'service.', 'sdk.', 'context.', 'payload.', 'payload.error.', 'device.'];
  return [...keys, ...odd].flatMap((key) =>
    places.map((place) => {
      const text = JSON.stringify(fixture('A', { [`${place}${HOLE}`]: { [HOLE]: [{ [HOLE]: 1 }] } }));
      return parsed(
        `key ${show(key)} in ${place}`,
        text.replaceAll(`"${HOLE}"`, () => JSON.stringify(key)),
      );
    }),
  );
}

/** Intake takes 32 levels of an event and no more. */
function deepNesting(): MalformedCase[] {
  const cases: MalformedCase[] = [];
  for (const levels of [8, 9, 31, 32, 33, 100, 1_000, 10_000]) {
    for (const path of ['context', 'payload.body', 'payload.unnamed', 'payload.headers', 'payload.device']) {
      const inner = path.split('.').length;
      const open = levels - inner;
      cases.push(
        filled(
          `objects ${levels} deep in ${path}`,
          'REQ',
          path,
          `${'{"a":'.repeat(open)}1${'}'.repeat(open)}`,
        ),
      );
      cases.push(
        filled(
          `lists ${levels} deep in ${path}`,
          'REQ',
          path,
          `{"a":${'['.repeat(open - 1)}${']'.repeat(open - 1)}}`,
        ),
      );
    }
  }
  return cases;
}

function largeValues(): MalformedCase[] {
  const megabyte = 1_000_000;
  const cases: MalformedCase[] = [
    filled('a message of one line of a megabyte', 'A', 'payload.message', quoted('x'.repeat(megabyte))),
    filled(
      'a stack of one line of a megabyte',
      'A',
      'payload.stacktrace',
      quoted('    at x'.padEnd(megabyte, 'y')),
    ),
    filled('a log line of a megabyte of digits', 'LOG', 'payload.message', quoted('4'.repeat(megabyte))),
    filled('a context value of a megabyte', 'A', 'context', `{"a":${quoted('x'.repeat(megabyte))}}`),
    filled('a body of a megabyte', 'REQ', 'payload.body', quoted('{"a":'.repeat(100_000))),
    filled('a service name of a megabyte', 'A', 'service.name', quoted(' '.repeat(megabyte))),
    filled('an event type of a megabyte', 'A', 'event_type', quoted('x'.repeat(megabyte))),
    filled('a megabyte of escaped NUL', 'A', 'payload.message', `"${'\\u0000'.repeat(150_000)}"`),
    filled('a megabyte of lone surrogates', 'A', 'payload.message', `"${'\\ud800'.repeat(150_000)}"`),
    filled(
      'a stack of 20,000 lines',
      'A',
      'payload.stacktrace',
      JSON.stringify(Array(19_000).fill('at a (b.js:1:1)')),
    ),
    filled(
      'a stack of many frames',
      'A',
      'payload.stacktrace',
      JSON.stringify(Array(9_000).fill({ class: 'a.B', method: 'c' })),
    ),
    filled('a context of 19,000 keys', 'A', 'context', JSON.stringify(manyKeys(19_000))),
    filled(
      'a payload of 19,000 keys',
      'A',
      'payload',
      JSON.stringify({ ...fixturePayload(), ...manyKeys(19_000) }),
    ),
    filled('an envelope of 19,000 keys', 'A', 'x', JSON.stringify(manyKeys(19_000))),
    filled('a map of long keys', 'A', 'context', JSON.stringify(manyKeys(190, 5_000))),
    filled(
      'many probe items',
      'W',
      'payload.probe_data',
      JSON.stringify({ items: Array(5_000).fill(PROBE_ITEM) }),
    ),
    filled('many headers', 'REQ', 'payload.headers', JSON.stringify(manyKeys(9_000, 60))),
  ];
  for (const path of pathsOf(payloadShapes.backend_exception)) {
    for (const [kind, text] of Object.entries(LONG_TEXT)) {
      cases.push(filled(`${kind} in payload.${path}`, 'W', `payload.${path}`, quoted(text)));
    }
  }
  return cases;
}

function fixturePayload(): JsonValue & object {
  return fixture('A').payload as JsonValue & object;
}

function manyKeys(count: number, length = 8): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`.padEnd(length, '_'), 'value']));
}

/** Each slow piece in each text that a pattern is ever run over. */
function slowTexts(): MalformedCase[] {
  const cases: MalformedCase[] = [];
  for (const [kind, piece] of Object.entries(SLOW_PIECES)) {
    const text = (chars: number) => piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);
    const line = `${text(990).replace(/[\r\n]/g, ' ')}\n`;
    cases.push(
      filled(`${kind} as a message`, 'A', 'payload.message', quoted(text(16_384))),
      filled(`${kind} as a stack`, 'A', 'payload.stacktrace', quoted(text(70_000))),
      filled(`${kind} as a stack of long lines`, 'A', 'payload.stacktrace', quoted(line.repeat(70))),
      filled(`${kind} as a type`, 'A', 'payload.error_class', quoted(text(512))),
      filled(`${kind} as a path`, 'REQ', 'payload.path', quoted(text(4_096))),
      filled(`${kind} as a route template`, 'REQ', 'payload.route_template', quoted(text(4_096))),
      filled(`${kind} as a log line`, 'LOG', 'payload.message', quoted(text(16_384))),
      filled(`${kind} as a file name`, 'FE', 'payload.browser_event.file_name', quoted(text(4_096))),
      filled(`${kind} as a body`, 'REQ', 'payload.body', quoted(text(65_536))),
    );
  }
  return cases;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function show(key: string): string {
  return JSON.stringify(key).slice(0, 24);
}

function filled(name: string, of: FixtureName, path: string, json: string): MalformedCase {
  const text = JSON.stringify(fixture(of, { [path]: HOLE }));
  return parsed(
    name,
    text.replace(`"${HOLE}"`, () => json),
  );
}

function parsed(name: string, json: string): MalformedCase {
  return { name, json, event: JSON.parse(json) };
}
