import { redactText } from '@culprit/evidence/events/redact/redact-values';
import { describe, expect, it } from 'vitest';
import { excerptAt, lineStarts } from '../src/source-lines.ts';

/** docs/contract/source-maps.md 2.4 and 6.1: source lines are cut and have no secrets. */

const excerpt = (text: string, line: number, column = 0) =>
  excerptAt(text, lineStarts(text), { line, column }, redactText);
const textsOf = (text: string, line: number, column = 0) => {
  const { before = [], text: at = '', after = [] } = excerpt(text, line, column) ?? {};
  return [...before, at, ...after];
};

describe('a line that is longer than what is shown', () => {
  const long = `${'a'.repeat(900)}here${'b'.repeat(900)}`;

  it('is cut around the column, with a mark at each end that is not its own, and its neighbors with it', () => {
    const [before = '', at = '', after = ''] = textsOf(['short', long, `${long}c`].join('\n'), 1, 900);
    expect(at).toHaveLength(200);
    expect(at).toMatch(/^…a{99}here/);
    expect(at).toMatch(/b…$/);
    expect(before).toBe('');
    expect(after).toBe(at);
    expect(textsOf(long, 0, 0)[0]).toMatch(/^a{199}…$/);
    expect(textsOf(long, 0, 1804)[0]).toMatch(/^…b{199}$/);
    expect(textsOf('x'.repeat(200), 0, 150)).toEqual(['x'.repeat(200)]);
  });

  it('is well formed and without NUL, wherever it is cut', () => {
    const [at = ''] = textsOf(`\0${'😀'.repeat(400)}`, 0, 0);
    expect(at.isWellFormed()).toBe(true);
    expect(at).not.toContain('\0');
  });

  it('hides a key at its cut', () => {
    const key = 'sk_live_51H8abcdefghijklmnopqrstuvwxyz';
    for (let place = 60; place < 140; place += 7) {
      const line = `${'a();'.repeat(100)}const k = '${key}';${'b();'.repeat(100)}`;
      const at = line.indexOf(key);
      for (const column of [at - place, at + place]) {
        const [shown = ''] = textsOf(line, 0, column);
        expect(shown).not.toMatch(/51H8|mnop|wxyz/);
      }
    }
  });
});

describe('a secret of several lines', () => {
  const body = Array.from({ length: 20 }, (_, index) => `MIIEvQIBADANBg${index}kqhkiG9w0BAQEFAASC`);
  const text = [
    'sign(`-----BEGIN PRIVATE KEY-----',
    ...body,
    '-----END PRIVATE KEY-----`);',
    'const total = 1;',
    'fail();',
    'done();',
  ].join('\n');

  it('is hidden at each of its lines, and what is around it is shown', () => {
    for (let line = 0; line < 25; line += 1) {
      const shown = textsOf(text, line).join('\n');
      expect(shown).not.toMatch(/MIIE/);
    }
    expect(textsOf(text, 23)).toEqual([
      '[REDACTED]',
      '[REDACTED]`);',
      'const total = 1;',
      'fail();',
      'done();',
    ]);
  });

  it('that does not end is none: the code behind it is shown', () => {
    const parser = [
      "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) {",
      '  a();',
      '  b();',
      '  c();',
      'fail();',
    ];
    expect(textsOf(parser.join('\n'), 4)).toEqual(parser.slice(1));
  });
});
