import { describe, expect, it } from 'vitest';
import { readableLine, safeJsonLine } from '../../src/platform/readable-line.ts';

/** Noon somewhere: the hour shown is the one here. */
const TIME = '2026-03-24T12:03:04.567Z';
const AT = [new Date(TIME).getHours(), 3, 4].map((part) => String(part).padStart(2, '0')).join(':');

function read(entry: object): string {
  const line = JSON.stringify({ level: 'info', time: TIME, role: 'api', pid: 7, ...entry });
  return readableLine(`${line}\n`, { isColored: false });
}

describe('a readable log line', () => {
  it.each([
    [
      {
        ...{ requestId: 'req_1', method: 'GET', route: '/v1/events', status: 202, durationMs: 3.1 },
        ...{ bodyBytes: 9, msg: 'request answered' },
      },
      `${AT}  INFO   api         request answered  GET /v1/events  status=202  3.1 ms\n`,
    ],
    [
      { level: 'warn', error: 'no route to host', project: 'p', msg: 'mail not sent' },
      `${AT}  WARN   api         mail not sent  error=no route to host\n`,
    ],
    [{ msg: 'nothing else' }, `${AT}  INFO   api         nothing else\n`],
    [{ a: 1, b: [2], c: null, d: 'x', e: 5, msg: 'm' }, `${AT}  INFO   api         m  a=1  b=[2]  d=x\n`],
    [
      { level: 'error', errorMessage: 'boom', stack: 'Error: boom\n    at f (a.ts:1:2)', msg: 'failed' },
      `${AT}  ERROR  api         failed  errorMessage=boom\n    Error: boom\n    at f (a.ts:1:2)\n`,
    ],
  ])('has time, level, role, message and the fields that matter: %j', (entry, expected) => {
    expect(read(entry)).toBe(expected);
  });

  it('is bounded', () => {
    const stack = Array.from({ length: 500 }, (_, index) => `at f${index} ${'x'.repeat(5000)}`).join('\n');
    const text = read({ level: 'error', error: 'x'.repeat(100_000), msg: 'y'.repeat(100_000), stack });
    expect(text.split('\n').length).toBeLessThan(30);
    expect(text.length).toBeLessThan(10_000);
  });

  it.each([
    ['msg', { msg: '\u001b[2J\u001b]0;title\u0007' }],
    ['error', { level: 'error', error: 'a\u001b[31mb\rc\u009b31md\u202e\u2028', msg: 'm' }],
    ['stack', { level: 'error', stack: 'Error: \u001b[2J\n at \u009d0;x\u0007', msg: 'm' }],
    ['the name of a field', { 'x\u001b[2J': 1, msg: 'm' }],
    ['a nested value', { data: { deep: ['\u001b[2J\u0085'] }, msg: 'm' }],
    ['the role', { role: '\u001b[2J', msg: 'm' }],
  ])('shows what a terminal would obey, in %s', (_place, entry) => {
    const text = read(entry);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_C}\u2028\u2029]/u);
    expect(text).toMatch(/\\u00/);
    // Every line but those of the stack begins with the time.
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('    '))).toHaveLength(1);
  });

  it.each(['no JSON \u001b[2J\n', '[1]\n', 'null\n', '"\u009b2J"\n'])('may be anything: %j', (line) => {
    expect(readableLine(line, { isColored: false })).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

describe('a JSON log line', () => {
  it('means the same without anything a terminal would obey', () => {
    const entry = { msg: 'a\u001b[2J\u009b2J\u202e\u2028\u007f ü 😀' };
    const line = safeJsonLine(`${JSON.stringify(entry)}\n`);
    expect(line).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_C}|\u2028/u);
    expect(JSON.parse(line)).toEqual(entry);
  });
});
