import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutLine, visibleJson, visibleLine, visibleText } from '../../src/output/visible-text.ts';

/** What a terminal obeys, hides or turns around. */
const HOSTILE =
  '\u001b]8;;http://evil.test\u0007\u009b31m\u202e\u2066\u200b\u200d\ufeff\u007f\u2028\ud800\u{e0041}\r\b';

describe('text of events on a terminal', () => {
  it('shows everything that a terminal would obey or hide as an escape', () => {
    expect(visibleLine(`a${HOSTILE}b`)).toBe(
      'a\\u{1b}]8;;http://evil.test\\u{7}\\u{9b}31m\\u{202e}\\u{2066}\\u{200b}\\u{200d}\\u{feff}\\u{7f}' +
        '\\u{2028}\\u{d800}\\u{e0041}\\u{d}\\u{8}b',
    );
    expect(visibleLine('a\n\tb')).toBe('a\\u{a}\\u{9}b');
    expect(visibleText('a\n\tb\r')).toBe('a\n\tb\\u{d}');
  });

  it('leaves letters of every script alone', () => {
    for (const text of ['Größe', '注文', 'заказ', 'طلب', '😀', '½ €']) expect(visibleLine(text)).toBe(text);
  });

  it('is the same JSON, in which nothing is invisible', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const written = visibleJson({ value, [text]: text + HOSTILE }, 2);
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify({ value, [text]: text + HOSTILE })));
        expect(written.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('is cut by characters, not inside of one', () => {
    expect(cutLine('😀😀😀', 3)).toBe('😀😀😀');
    expect(cutLine('😀😀😀😀', 3)).toBe('😀😀…');
  });
});
