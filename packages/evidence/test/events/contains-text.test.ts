import { describe, expect, it } from 'vitest';
import { compileContains } from '../../src/events/contains-text.ts';

/** Of the longest messages and parts of capture rules. */
const TEXT_CHARS = 16_384;
const PART_CHARS = 500;

describe('a part of a text that a user wrote', () => {
  it('is found where it is, in texts that repeat its beginnings', () => {
    const parts = ['a', 'ab', 'aab', 'aba', 'abaab'].map((unit) => unit.repeat(PART_CHARS).slice(0, 251));
    const ends = ['', 'a', 'b', 'c'];
    for (const part of parts.flatMap((each) => ends.map((end) => each + end))) {
      const contains = compileContains(part);
      const beginnings = [1, 2, 100, 250].map((length) => part.slice(0, length)).join('');
      for (const text of [part, `${beginnings}${part}x`, beginnings + part.slice(0, -1), part.slice(1), '']) {
        expect(contains(text)).toBe(text.includes(part));
      }
    }
  });

  it.each([10, 200, 201, 253, PART_CHARS])('of %i characters looks at each character once', (length) => {
    const whole = 'a'.repeat(TEXT_CHARS);
    let looks = 0;
    const text = {
      length: whole.length,
      charCodeAt(at: number) {
        looks += 1;
        return whole.charCodeAt(at);
      },
      includes(part: string) {
        // Of longer parts an engine compares the whole at each place.
        looks += part.length <= 200 ? whole.length : whole.length * part.length;
        return whole.includes(part);
      },
    };
    const part = `a${'b'.padEnd(length - 1, 'a')}`.slice(0, length);
    expect(compileContains(part)(text)).toBe(false);
    expect(looks).toBeLessThanOrEqual(TEXT_CHARS);
  });
});
