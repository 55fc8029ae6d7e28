// Proves 27.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import type { NormalizedEvent } from '../../../src/events/normalize/event.ts';
import { charactersRead } from '../../support/characters-read.ts';
import { backendException, requestEvent } from '../build-event.ts';

/** For one event at the caps (docs/contract/incidents.md 5.4.6). */
const READ_CHARS_MAX = 250_000_000;

const LINE_CHARS = 1000;
const STACK_CHARS = 65_536;
const MESSAGE_CHARS = 16_384;
const CAUSES = 12;

function readChars(event: NormalizedEvent): number {
  return charactersRead(() => fingerprintEvent(event));
}

function filled(unit: string, chars: number): string {
  return unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
}

/** Lines of a head, a unit repeated to the length of a line, and an end. */
function stackOf(head: string, unit: string, end: string): string {
  const line = head + filled(unit, LINE_CHARS - head.length - end.length) + end;
  return filled(`${line}\n`, STACK_CHARS);
}

/** About as many causes of full length as a request body of 1 MB can hold. */
function eventAtCaps(stack: string, message: string): NormalizedEvent {
  const causes = Array.from({ length: CAUSES }, () => ({ name: 'E', message, stack }));
  return backendException({ stack, message, causes });
}

describe('an event at the caps', () => {
  const lines: [string, string, string][] = [
    ['at a', ' (/', `${' '.repeat(300)}x`],
    ['at ', 'a (http://', 'x'],
    ['at a (/', ':1', 'x'],
    ['a@/', ':1', `${' '.repeat(400)}x`],
    ['File "x", line 1, in a', ' ', 'x'],
    ['from ', "':in `", 'x'],
    ['a:1:in `', "': ", 'x'],
    ['#1', ' ', 'x(1)x'],
    ['#1 ', '(1):', ''],
    ['A: ', ' in ', ':1'],
    ['A', '\\A', ' in x:1'],
    ['at ', 'a.', 'b(A.java:1)'],
    ['at a.b(A.java:1)', ' ', 'x]'],
    ['at a.b(A.java:1)', ' [', ']x'],
    ['', 'a.', '/[(x)\n\t/a.go:1'],
    ['', 'a.', '(x) y\n\t/a.go:1'],
    ['at ', 'a.', '(() in () in ()'],
    ['at A.b(', '() in ', ':line 1'],
    ['0 a 0x1', ' ', 'x + 1 x'],
    ['0 a 0x1 a', ' + 1 (', ':1) x'],
    ['0 ', '[] ', 'x at /.swift:1'],
    ['0 x', ' at /', ':z at /.swift:1'],
    ['  at /', '\\', '.'],
    ['', '\t', ''],
  ];
  it.each(lines)('reads a bounded number of characters for lines of %j, %j and %j', (head, unit, end) => {
    expect(readChars(eventAtCaps(stackOf(head, unit, end), 'm'))).toBeLessThan(READ_CHARS_MAX);
  });

  const messages = [
    ...[
      'a',
      '_',
      'a-',
      'a1-',
      'a1',
      '1.',
      '1:',
      "'",
      '"',
      '`',
      '\\',
      '{',
      '{=',
      '[,',
      '/',
      '/a',
      'a@',
      '@a.',
      '0x',
      'A-1',
    ],
    ...[
      'a_',
      'x://',
      '#<A',
      'Uncaught ',
      "key 'a'",
      'code 1',
      "'a' ",
      '1 and ',
      ',',
      '\u201c',
      'e\u0301',
      '\u0301\u0316',
    ],
    ...['\u1100\u1161', '😀', ' ', '\n'],
  ];
  it.each(messages)('reads a bounded number of characters for a message of %j', (unit) => {
    const event = backendException({ message: filled(unit, MESSAGE_CHARS) });
    expect(readChars(event)).toBeLessThan(READ_CHARS_MAX);
    const ended = backendException({ message: `${filled(unit, 1990)}!\n` });
    expect(readChars(ended)).toBeLessThan(READ_CHARS_MAX);
  });

  it('reads a bounded number of characters for routes', () => {
    for (const unit of ['/', '{', '{a', '{}', '(?P<a>', '(?P<a>(', '[a', '<a', ':a', '*a', '%', '1.', 'a-']) {
      const text = filled(unit, 8192);
      expect(readChars(requestEvent('GET', text, 500, { routeTemplate: text }))).toBeLessThan(READ_CHARS_MAX);
      expect(readChars(requestEvent('GET', `/${text}`, 500))).toBeLessThan(READ_CHARS_MAX);
    }
  });

  it('reads a bounded number of characters for repeated fragments of any kind', () => {
    const fragment = fc.constantFrom(
      ...[
        'at ',
        'a',
        'a.',
        '(',
        ')',
        ' (',
        '/',
        ':1',
        ' ',
        '   ',
        '@',
        'https://',
        'async ',
        'File "x", line 1, in ',
      ],
      ...[
        "'",
        ':2:in `',
        "': ",
        '#1 ',
        '(1)',
        ': ',
        '[',
        ']',
        'A.java:1',
        '.go:1',
        '\t',
        '0 ',
        '0x1 ',
        ' + 1',
        '.swift:1',
      ],
      ...[
        ' at /',
        ' in ',
        ':line 1',
        'Next ',
        'A\\',
        '<',
        '>',
        '$',
        '+',
        '·',
        '-',
        'eval at ',
        '.js',
        '{',
        '|',
        '\\',
        '\n',
      ],
    );
    const fragments = fc.array(fragment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fragments, fragments, fragments, (head, unit, end) => {
        const event = eventAtCaps(stackOf(head, unit, end), head + filled(unit, 1900) + end);
        expect(readChars(event)).toBeLessThan(READ_CHARS_MAX);
      }),
      { numRuns: 60 },
    );
  });
});
