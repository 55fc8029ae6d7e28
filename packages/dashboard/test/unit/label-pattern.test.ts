import { describe, expect, it } from 'vitest';
import { faultOfPattern, patternWords } from '../../src/probes/label-pattern.ts';

/** docs/contract/ingestion.md 6.1: which probes a pattern names, and which patterns no library would match. */
describe('a label pattern', () => {
  it.each([
    ['*', 'every probe'],
    ['auth.*', 'auth and every probe that begins with auth.'],
    ['auth.login', 'the probe auth.login alone'],
  ])('%s names %s', (pattern, words) => {
    expect(faultOfPattern(pattern)).toBeNull();
    expect(patternWords(pattern)).toBe(words);
  });

  it.each(['', '.*', 'a*', '*.b', 'a.*.b', 'a?', '[a]', '**'])('"%s" is refused', (pattern) => {
    expect(faultOfPattern(pattern)).not.toBeNull();
  });
});
