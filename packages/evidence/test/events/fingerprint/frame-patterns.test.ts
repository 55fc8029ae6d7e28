import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchDotnetFrame, readDotnetStack } from '../../../src/events/fingerprint/stack/dotnet-stack.ts';
import { readGoName, readGoStack } from '../../../src/events/fingerprint/stack/go-stack.ts';
import { readOtherFrame, readV8Frame } from '../../../src/events/fingerprint/stack/js-frame-line.ts';
import { readJsStack } from '../../../src/events/fingerprint/stack/js-stack.ts';
import { matchJvmFrame, readJvmStack } from '../../../src/events/fingerprint/stack/jvm-stack.ts';
import { readPhpStack } from '../../../src/events/fingerprint/stack/php-stack.ts';
import { matchPythonFrame, readPythonStack } from '../../../src/events/fingerprint/stack/python-stack.ts';
import { readRubyStack } from '../../../src/events/fingerprint/stack/ruby-stack.ts';
import { stackLines } from '../../../src/events/fingerprint/stack/stack-lines.ts';
import { readSwiftFrame } from '../../../src/events/fingerprint/stack/swift-frame-line.ts';
import { readSwiftStack } from '../../../src/events/fingerprint/stack/swift-stack.ts';
import { contractFramePatterns as contract } from './contract-frame-patterns.ts';

/** Lines that are frames, nearly frames, or frames of two languages, from pieces of all patterns. */
function lineOf(pieces: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 14 }).map((parts) => parts.join(''));
}

const RUNS = { numRuns: 20_000 };

function digits(text: string | undefined): number | null {
  return text === undefined || text.length > 9 ? null : Number(text);
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

const JS_PIECES = [
  ...[
    'at ',
    'at ',
    ' ',
    '  ',
    'async ',
    'new ',
    'foo',
    'a.b',
    ' (',
    ' (',
    '(',
    ')',
    ':1',
    ':22',
    ':',
    '1',
    '@',
  ],
  ...[
    '/',
    './',
    'https://',
    'node:',
    'C:\\',
    'internal/',
    'webpack',
    'eval at ',
    '<anonymous>',
    'native',
    'x/',
  ],
  ...['a.js', 'b.mts', '.tsx', '{', '\t', 'http://h/'],
];

describe('the V8 reader', () => {
  it('reads what the pattern of the contract reads', () => {
    fc.assert(
      fc.property(lineOf(JS_PIECES), fc.constantFrom('', 'at ', '  at ', 'at async '), (rest, lead) => {
        const text = lead + rest;
        const match = contract.v8.exec(text);
        const expected = match && {
          function: match[2] ?? '',
          file: match[3],
          line: digits(match[4]),
          column: digits(match[5]),
        };
        expect(readV8Frame(text, indentOf(text))).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('reads other engines by the pattern of the contract', () => {
    fc.assert(
      fc.property(lineOf(JS_PIECES), (text) => {
        const match = contract.otherJs.exec(text);
        expect(readOtherFrame(text)?.file).toBe(match?.[2]);
      }),
      RUNS,
    );
  });
});

describe('the patterns in a form that does not backtrack', () => {
  it('read Python frames as the contract does', () => {
    const pieces = ['File "', '"', ', line ', '3', ', in ', ' ', '  ', 'f', '<lambda>', '/a.py', '\t', 'in'];
    fc.assert(
      fc.property(
        lineOf(pieces),
        fc.constantFrom('', '  File "/a.py", line 3', 'File "a", line 1, in '),
        (rest, lead) => {
          const text = lead + rest;
          const match = contract.python.exec(text);
          expect(matchPythonFrame(text)?.[1]).toBe(match?.[1]);
          expect(matchPythonFrame(text)?.[3]).toBe(match?.[2]);
        },
      ),
      RUNS,
    );
  });

  it('read JVM frames as the contract does', () => {
    const pieces = [
      ...[
        'a',
        'b.c',
        '.',
        '$1',
        '<init>',
        '(',
        ')',
        'A.java',
        '.kt',
        ':3',
        'Unknown Source',
        'Native Method',
      ],
      ...['/', '//', '@17', ' ', '  ', '~[', '[x.jar:1]', ']', '-', 'at '],
    ];
    fc.assert(
      fc.property(
        lineOf(pieces),
        fc.constantFrom('at a.b(A.java:1)', 'at ', ' at java.base/a.B.c('),
        (rest, lead) => {
          const text = lead + rest;
          const match = contract.jvm.exec(text);
          expect(matchJvmFrame(text, indentOf(text))?.slice(1, 4)).toEqual(match?.slice(1, 4));
        },
      ),
      RUNS,
    );
  });

  it('read Go names as the contract does', () => {
    const pieces = [
      'a',
      'b',
      '.',
      '.',
      '/',
      '~',
      '%2e',
      '-',
      '(*T)',
      '(T).',
      '(',
      ')',
      '[...]',
      '·',
      ' ',
      '{',
      'f1',
    ];
    fc.assert(
      fc.property(lineOf(pieces), fc.constantFrom('', '()', '(0x1)', '(0x1) '), (head, end) => {
        const text = head + end;
        expect(readGoName(text)).toBe(contract.goName.exec(text)?.[1] ?? null);
      }),
      RUNS,
    );
  });

  it('read .NET frames as the contract does', () => {
    const pieces = [
      ...[
        'A',
        'b',
        '.',
        '+',
        '<X>',
        'd__1',
        '(',
        ')',
        '()',
        ' ',
        'Int32 x',
        ' in ',
        '/a.cs',
        ':line ',
        '3',
        '`1',
      ],
      ...['[T]', ',', 'at '],
    ];
    fc.assert(
      fc.property(lineOf(pieces), fc.constantFrom('', 'at ', '   at A+b', 'at A.B() in x'), (rest, lead) => {
        const text = lead + rest;
        expect(matchDotnetFrame(text)?.slice(1)).toEqual(contract.dotnet.exec(text)?.slice(1));
      }),
      RUNS,
    );
  });

  it('read Swift frames as the contract does', () => {
    const pieces = [
      ...[
        '0',
        '12',
        ' ',
        '  ',
        'Shop',
        '0x1f',
        ' + ',
        '+',
        '3',
        '(',
        ' (',
        'a.swift',
        ':4',
        ')',
        ' in ',
        ' at ',
      ],
      ...[' at /', ' at C:/', 'f()', '[ra]', '] ', '1.0', ':'],
    ];
    const leads = fc.constantFrom(
      '',
      '0 ',
      '3 Shop 0x1 f',
      '1 [ra] 0x2 f',
      '2 f at /a',
      '4 Shop 0x2 f + 3 (a.swift',
    );
    fc.assert(
      fc.property(leads, lineOf(pieces), (lead, rest) => {
        const text = lead + rest;
        const image = contract.swiftImage.exec(text);
        const source = contract.swiftSource.exec(text);
        const found = readSwiftFrame(text, indentOf(text));
        if (image !== null) {
          expect(found).toMatchObject({ image: image[1], symbol: image[2], file: image[3] ?? null });
        } else if (source !== null) {
          const expected = { image: null, symbol: source[1], file: source[2], line: digits(source[3]) };
          expect(found).toEqual(expected);
        } else {
          expect(found).toBeNull();
        }
      }),
      RUNS,
    );
  });
});

describe('the count of frame lines', () => {
  const pieces = [
    ...[
      'at ',
      'File "',
      '", line 3',
      ', in f',
      'a.rb',
      ':12',
      ':in `',
      "'",
      "':in '",
      '#1 ',
      '#22',
      '(3)',
      ': x',
    ],
    ...[
      '{main}',
      '[internal function]',
      'Next ',
      'A\\B',
      ' in ',
      '/a.php',
      'A.b',
      '(A.java:1)',
      '()',
      ' (',
      ')',
      ' ',
    ],
    ...[
      '  ',
      '0 ',
      'Shop ',
      '0x1 ',
      ' + 1',
      '.swift',
      ' at /',
      'from ',
      'C:',
      '/x.js',
      '@',
      'https://h/',
      ':1:2',
    ],
    ...['\t', '_', ':', '1', 'x'],
  ];
  const counts: [string, (text: string) => number, (text: string) => boolean][] = [
    [
      'js',
      (text) => readJsStack(stackLines(text)).frameLineCount,
      (t) => (contract.v8.test(t) && !isCall(t)) || contract.otherJs.test(t),
    ],
    ['python', (text) => readPythonStack(stackLines(text)).frameLineCount, (t) => contract.python.test(t)],
    ['ruby', (text) => readRubyStack(stackLines(text)).frameLineCount, (t) => contract.ruby.test(t)],
    [
      'php',
      (text) => readPhpStack(stackLines(text)).frameLineCount,
      (t) => contract.php.test(t) || contract.phpHeader.test(t),
    ],
    ['jvm', (text) => readJvmStack(stackLines(text)).frameLineCount, (t) => contract.jvm.test(t)],
    [
      'dotnet',
      (text) => readDotnetStack(stackLines(text)).frameLineCount,
      (t) => contract.dotnet.test(t) && !contract.jvm.test(t) && !contract.v8.test(t),
    ],
    [
      'swift',
      (text) => readSwiftStack(stackLines(text)).frameLineCount,
      (t) => contract.swiftImage.test(t) || contract.swiftSource.test(t),
    ],
  ];

  /** `at java.lang.Thread.run(Thread.java:834)` is no file of JavaScript. */
  function isCall(text: string): boolean {
    return /[\w$>]\([^()]*\)?\s*$/.test(text);
  }

  it.each(counts)('of %s has what the patterns of the contract read', (_language, count, isFrame) => {
    fc.assert(
      fc.property(lineOf(pieces), (text) => {
        if (isFrame(text)) expect(count(text)).toBe(1);
      }),
      RUNS,
    );
  });

  it('of go is that of the contract', () => {
    const names = lineOf(['a.b', 'a', '.', '(', ')', '/', '(*T).', ' ', '[', '{']);
    const files = lineOf(['\t', '/a.go', '.s', ':3', ' +0x1', ' ', 'C:', 'x', ':']);
    fc.assert(
      fc.property(names, files, fc.boolean(), (name, file, tab) => {
        const next = (tab ? '\t' : '') + file;
        const expected = contract.goName.test(name) && contract.goFile.test(next) ? 1 : 0;
        expect(readGoStack(stackLines(`${name}\n${next}`)).frameLineCount).toBe(expected);
      }),
      RUNS,
    );
  });
});
