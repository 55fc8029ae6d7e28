import { describe, expect, it } from 'vitest';
import { stackText } from '../../src/events/normalize/stack-text.ts';

describe('a stack as text', () => {
  it('keeps text and joins lines', () => {
    expect(stackText('Error: x\n    at f (a.js:1:2)')).toBe('Error: x\n    at f (a.js:1:2)');
    expect(stackText(['at a.b(C.kt:1)', '', 'at d.e(F.kt:2)'])).toBe('at a.b(C.kt:1)\nat d.e(F.kt:2)');
  });

  it('has no colours and links of a terminal', () => {
    expect(stackText("\u001b[1mcart.rb:7:in 'total': \u001b[1;4mboom\u001b[m")).toBe(
      "cart.rb:7:in 'total': boom",
    );
    expect(stackText('\u001b]8;;file:///a\u0007a.js\u001b]8;;\u0007:1:2')).toBe('a.js:1:2');
  });

  it('reads a blank one as none', () => {
    for (const stack of ['', ' \n\t', [], [''], [{}], null, undefined]) expect(stackText(stack)).toBeNull();
  });

  it.each([
    [{ class: 'a.B', method: 'c', file: 'B.java', line: 3 }, 'at a.B.c(B.java:3)'],
    [{ class: 'a.B', method: 'c', file: 'B.java', line: -2, column: 4 }, 'at a.B.c(B.java)'],
    [{ class: 'a.B', method: 'c' }, 'at a.B.c(Unknown Source)'],
    [{ class: 'a.B', function: 'c', file: null, line: null }, 'at a.B.c(Unknown Source)'],
    [{ class: 'a.B', file: 'B.java', line: '3' }, 'at a.B.<unknown>(B.java:3)'],
    [{ function: 'f', file: '/app/a.js', line: 1, column: 2 }, 'at f (/app/a.js:1:2)'],
    [{ method: 'f', file: '/app/a.js', line: 1 }, 'at f (/app/a.js:1)'],
    [{ function: 'f', file: '/app/a.js', column: 2 }, 'at f (/app/a.js)'],
    [{ function: 'f' }, 'at f (<anonymous>)'],
    [{ file: '/app/a.js', line: 7 }, 'at /app/a.js:7'],
    [{ function: 'a\nat forged (/x.js:1:1)', file: 'b.js' }, 'at a at forged (/x.js:1:1) (b.js)'],
  ])('renders %o', (frame, line) => {
    expect(stackText([frame])).toBe(line);
  });

  it('cuts at its bound, however many frames there are', () => {
    const text = stackText(
      Array.from({ length: 20_000 }, (_, i) => ({ class: 'com.example.Service', method: `m${i}` })),
    );
    expect(text?.length).toBe(262_144);
    expect(text?.endsWith('[Truncated]')).toBe(true);
    expect(stackText('x'.repeat(1_000_000))?.length).toBe(262_144);
  });
});
