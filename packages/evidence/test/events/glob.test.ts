import { describe, expect, it } from 'vitest';
import {
  createStackJudge,
  JUDGED_NAMES_MAX,
  readStackRules,
} from '../../src/events/fingerprint/stack/stack-rules.ts';
import { compileGlob, GLOB_TAIL_CHARS, type GlobText } from '../../src/events/glob.ts';

/** A text that counts the characters that are compared with it, as a search in linear time compares them. */
function countingText(text: string): { text: GlobText; compared: () => number } {
  let compared = 0;
  return {
    text: {
      length: text.length,
      indexOf(part, from = 0) {
        const at = text.indexOf(part, from);
        compared += (at === -1 ? text.length : at + part.length) - from;
        return at;
      },
      startsWith(part, at) {
        compared += part.length;
        return text.startsWith(part, at);
      },
      charCodeAt(at) {
        compared += 1;
        return text.charCodeAt(at);
      },
    },
    compared: () => compared,
  };
}

const COUNT = 50;
const LONG = `/srv/${'a'.repeat(400)}.js`;
/** Globs that make a search that goes back after each failure start again at each character. */
const WORST: Record<string, (n: number) => string> = {
  'a long part': (n) => `*${'a'.repeat(190 - n)}b`,
  'a part that differs in its first character': (n) => `*b${'a'.repeat(190 - n)}*`,
  'a part that fits half the text': (n) => `*${'a'.repeat(99 - n)}b*`,
  'many parts': (n) => `${'*a'.repeat(99 - n)}*b*`,
  'a long part with any characters': (n) => `*${'a?'.repeat(95 - n)}b*`,
  'many parts with any characters': (n) => `${'*?a'.repeat(65 - n)}*b*`,
  'stars and any characters alone': (n) => `${'*?'.repeat(99 - n)}*b`,
};

describe('a glob', () => {
  it.each([
    ['*', '', true],
    ['*', '/app/a.js', true],
    ['/app/a.js', '/app/a.js', true],
    ['/app/a.js', '/app/a.jsx', false],
    ['/app/*.js', '/app/a.js', true],
    ['/app/*.js', '/app/a.ts', false],
    ['*/shared/*', '/app/shared/http.js', true],
    ['*/shared/*', '/app/unshared/http.js', false],
    ['a*a', 'a', false],
    ['a*ab*b', 'ab', false],
    ['*ab*ab', 'abab', true],
    ['*ab*ab', 'ab', false],
    ['???', 'abc', true],
    ['???', 'ab', false],
    ['*a?c*', 'xxabacx', false],
    ['*a?c*', 'xxabcx', true],
    ['*aa?b', 'aaaab', true],
    [`*a${'?'.repeat(40)}b*`, `xa${'y'.repeat(40)}bz`, true],
    [`*a${'?'.repeat(40)}b*`, `xa${'y'.repeat(39)}bz`, false],
    ['*(a+)+$*', 'x(a+)+$y', true],
    ['*.js', 'xjs', false],
  ])('%s and %s: %s', (glob, text, fits) => {
    expect(compileGlob(glob)(text)).toBe(fits);
  });

  it('compares the start and the last characters of a long text', () => {
    const text = `/head/${'x'.repeat(5000)}/shared/http.js`;
    expect(compileGlob('/head/*/shared/*.js')(text)).toBe(true);
    expect(compileGlob('*/shared/*')(text)).toBe(true);
    expect(compileGlob('*/head/*')(text)).toBe(false);
  });

  it.each(Object.entries(WORST))(
    'of %s is compared with each character a few times at most',
    (_name, make) => {
      for (let n = 0; n < COUNT; n += 1) {
        const glob = make(n);
        const fits = compileGlob(glob);
        for (const length of [LONG.length, 10 * LONG.length]) {
          const counted = countingText(LONG.padStart(length, 'a'));
          expect(fits(counted.text)).toBe(false);
          expect(counted.compared()).toBeLessThanOrEqual(GLOB_TAIL_CHARS + glob.length);
        }
      }
    },
  );
});

describe('stack rules', () => {
  it('give the verdict of the first that fits, the same when it is asked again', () => {
    const rules = readStackRules(['*/shared/http.js ignore', '*/shared/* foreign', 'shop.* own', 'no rule']);
    expect(rules).toHaveLength(3);
    const frames = [
      { file: '/app/shared/http.js', module: 'http' },
      { file: '/app/shared/queue.js', module: 'queue' },
      { file: null, module: 'shop.cart' },
      { file: null, module: '/app/shared/queue.js' },
      { file: '/app/cart.js', module: 'cart' },
    ];
    const verdicts = ['ignore', 'foreign', 'own', 'foreign', null];
    for (let time = 0; time < 2; time += 1) {
      expect(frames.map(createStackJudge(rules))).toEqual(verdicts);
    }
    const others = createStackJudge(readStackRules(['*/shared/* own']));
    expect(frames.map(others)).toEqual(['own', 'own', null, 'own', null]);
  });

  it('are compared with a limited number of different names of an event', () => {
    const rules = readStackRules(['*.js own']);
    const judge = createStackJudge(rules);
    const frame = (n: number) => ({ file: `/app/${n}.js`, module: `${n}` });
    const names = Array.from({ length: JUDGED_NAMES_MAX }, (_, n) => frame(n));
    expect(new Set(names.map(judge))).toEqual(new Set(['own']));
    expect(judge(frame(JUDGED_NAMES_MAX))).toBeNull();
    expect(judge(frame(0))).toBe('own');
    expect(createStackJudge(rules)(frame(JUDGED_NAMES_MAX))).toBe('own');
  });
});
