import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import { stackLines } from '../../../src/events/fingerprint/stack/stack-lines.ts';
import { backendException, logEvent } from '../build-event.ts';
import { readChain, readExceptions } from './read-chain.ts';

const FRAGMENTS = [
  ...[
    'at ',
    'async ',
    '(',
    ')',
    ' (',
    '/',
    '@',
    ':1',
    ':2:3',
    ' ',
    '    ',
    '\t',
    '\n',
    '\r\n',
    '\u2028',
    '.js',
    '.java',
  ],
  ...[
    'File "',
    '", line 3, in ',
    ':in `',
    "'",
    '#1 ',
    '(3): ',
    '{main}',
    'Next ',
    ' in ',
    ' ---> ',
    'Caused by: ',
  ],
  ...[
    '[cause]: ',
    'Suppressed: ',
    '0 ',
    '0x1f ',
    ' + 3',
    '.swift:4',
    ' at /',
    '.go:5',
    'a.b',
    '<',
    '>',
    '$',
    '`',
    '[',
    ']',
  ],
  ...[
    'https://',
    'eval at ',
    '<anonymous>',
    '\\',
    '::',
    '->',
    '+',
    'A',
    'é',
    '\ud83d',
    '\u0000',
    '__proto__',
    '\u0301',
  ],
];
const stackText = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 120 }).map((parts) => parts.join(''));

describe('the lines of a stack', () => {
  it('are the first 500 of at most 1000 characters in the first 65536', () => {
    expect(stackLines('a\n'.repeat(600))).toHaveLength(500);
    expect(stackLines('x'.repeat(2000))[0]?.text).toHaveLength(1000);
    const lines = stackLines(`${'x'.repeat(999)}\n`.repeat(100));
    expect(lines).toHaveLength(66);
    expect(lines.at(-1)?.text).toHaveLength(536);
  });

  it('end at every kind of line break', () => {
    expect(stackLines('a\r\nb\nc\rd\u2028e\u2029f').map(({ text }) => text)).toEqual([...'abcdef']);
  });

  it('know where their text begins', () => {
    expect(stackLines('a\n \t b\n\u00a0\u3000c\n  \n').map(({ indent }) => indent)).toEqual([0, 3, 2, 2, 0]);
  });

  it('give a frame that lies behind the bounds no part in the result', () => {
    const frame = '    at late (/src/late.js:1:1)';
    expect(readExceptions(`${'x\n'.repeat(499)}${frame}`)).toHaveLength(1);
    expect(readExceptions(`${'x\n'.repeat(500)}${frame}`)).toEqual([]);
    expect(readExceptions(`${'x'.repeat(65536)}\n${frame}`)).toEqual([]);
  });
});

describe('the choice of the parser', () => {
  it('goes to the one that recognizes most lines', () => {
    const mixed =
      '  File "/app/a.py", line 1, in a\n  File "/app/b.py", line 1, in b\n    at c (/src/c.js:1:1)\nE: m';
    expect(readChain(mixed)).toEqual([['E: m', 'app/b.py#b', 'app/a.py#a']]);
  });

  it('goes by order when two recognize as many', () => {
    const tie = '    at c (/src/c.js:1:1)\n  File "/app/a.py", line 1, in a\nE: m';
    expect(readChain(tie)[0]?.[1]).toBe('src/c.js#c');
    const other = "a.rb:1:in `a'\n#0 /src/b.php(3): b()";
    expect(readChain(other)[0]?.[1]).toBe('a.rb#a');
  });

  it('finds nothing in text without frames', () => {
    for (const stack of [null, '', 'unavailable', 'Error: at the door\nFile "x"'])
      expect(readExceptions(stack)).toEqual([]);
  });
});

describe('any stack text', () => {
  it('is parsed without an error into frames with names', () => {
    fc.assert(
      fc.property(stackText, (stack) => {
        for (const { frames } of readExceptions(stack)) {
          for (const frame of frames) {
            expect(frame.function.length).toBeGreaterThan(0);
            expect(frame.line === null || Number.isSafeInteger(frame.line)).toBe(true);
          }
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('gives a fingerprint for an exception and for a log', () => {
    fc.assert(
      fc.property(stackText, fc.string({ unit: 'binary' }), (stack, message) => {
        const causes = [{ name: message, message: stack, stack }];
        expect(fingerprintEvent(backendException({ stack, message, causes }))?.value).toMatch(
          /^[0-9a-f]{64}$/,
        );
        const log = logEvent(message, { stack, error: { name: stack } });
        expect(fingerprintEvent(log)?.value).toMatch(/^[0-9a-f]{64}$/);
      }),
      { numRuns: 1000 },
    );
  });

  const traces: ((line: number) => string)[] = [
    (line) => `Error: x\n    at a (/src/a.js:${line}:${line})\n    at https://h.example/b.js:${line}:3`,
    (line) => `  File "/app/a.py", line ${line}, in a\nE: m`,
    (line) => `a.rb:${line}:in \`a'`,
    (line) => `E: m in /app/a.php:${line}\n#0 /app/b.php(${line}): C->d()`,
    (line) => `E: m\n\tat a.B.c(B.java:${line})`,
    (line) => `main.main()\n\t/src/main.go:${line} +0x1d`,
    (line) => `E: m\n   at A.B.C() in /src/A.cs:line ${line}`,
    (line) => `0   Shop   0x0000000104f3c2a8 f() + ${line}\n1 g() at /src/a.swift:${line}`,
  ];
  it.each(traces)('has the same fingerprint on every line number (%#)', (trace) => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        const [a, b] = [one, other].map((line) => fingerprintEvent(backendException({ stack: trace(line) })));
        expect(a?.matchedFields).toContain('top_frames');
        expect(a?.value).toBe(b?.value);
      }),
    );
  });
});
