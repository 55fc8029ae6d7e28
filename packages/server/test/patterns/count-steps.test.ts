import { describe, expect, it } from 'vitest';
import { seededRandom } from '../support/seeded-random.ts';
import { attacksOn, attackText } from './attack-strings.ts';
import { countSteps } from './count-steps.ts';
import { readSourcePatterns } from './source-patterns.ts';

const STEPS_MAX = 1_000_000;
/** For each pattern. */
const TEXTS = 10;

describe('the matcher that counts its steps', () => {
  it('finds in every text what the engine finds, for every pattern of the code', () => {
    const random = seededRandom(1);
    const wrong: string[] = [];
    let compared = 0;
    for (const { file, pattern } of readSourcePatterns().literals) {
      const attacks = attacksOn(pattern, random);
      for (let attempt = 0; attempt < TEXTS; attempt += 1) {
        const text = attackText(random.pick(attacks), 40);
        const found = countSteps(pattern, text, STEPS_MAX)?.matches;
        const expected = matchesByEngine(pattern, text);
        compared += expected.length;
        if (JSON.stringify(found) !== JSON.stringify(expected))
          wrong.push(`${file} ${pattern} on ${JSON.stringify(text)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(1000);
  });

  it.each<[RegExp, string]>([
    [/(?:a*)*b/g, 'aaab aab'],
    [/(a|ab)(c|bcd)(d*)/, 'abcd'],
    [/(?<=(\d+)(\d+))$/, '1053'],
    [/(['"])(?:(?!\1).)*\1/g, `'a' "b'c"`],
    [/(?<![a-z])\p{L}{2,3}?(?=\d|$)/gu, 'Ab1 \u{1d400}x'],
    [/^(?:(?i:a)|b)+$/gm, 'aAb\nAB\nba'],
    [/\u{1f600}|./gu, 'a\u{1f600}b'],
    [/(?:)/g, 'abc'],
    [/x{0}y{2,}?z?/g, 'yyyzyy'],
  ])('finds with %s in %j what the engine finds', (pattern, text) => {
    expect(countSteps(pattern, text, STEPS_MAX)?.matches).toEqual(matchesByEngine(pattern, text));
  });

  it('counts each step back', () => {
    const steps = (chars: number) => countSteps(/a+b/, 'a'.repeat(chars), STEPS_MAX)?.steps ?? 0;
    expect(steps(200) / steps(100)).toBeGreaterThan(3.5);
    expect(countSteps(/(?:a+)+b/, 'a'.repeat(40), STEPS_MAX)).toBe(null);
    const constant = /^[A-Z]{2,20}(?:_[A-Z]{2,20}\d?[A-Z]{0,20}){1,8}$/;
    expect(countSteps(constant, `AB${'_ABCDEFGH'.repeat(7)}!`, STEPS_MAX)).toBe(null);
  });
});

function matchesByEngine(pattern: RegExp, text: string): [number, number][] {
  const own = new RegExp(pattern.source, pattern.flags);
  const all = own.global ? [...text.matchAll(own)] : [own.exec(text)];
  return all.flatMap((match) => (match === null ? [] : [[match.index, match.index + match[0].length]]));
}
