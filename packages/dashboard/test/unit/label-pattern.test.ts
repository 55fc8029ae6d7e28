import { describe, expect, it } from 'vitest';
import { faultOfPattern, patternWords } from '../../src/probes/label-pattern.ts';

/** docs/contract/ingestion.md 6.1: which probes a pattern names, and which patterns are refused. */
describe('a label pattern', () => {
  it.each([
    ['*', 'every probe'],
    ['auth.*', 'auth and every probe that begins with auth.'],
    ['auth.login', 'the probe auth.login alone'],
    ['db_*', "every probe that matches db_*, in Culprit's own libraries"],
    ['*.b?.*', "every probe that matches *.b?.*, in Culprit's own libraries"],
  ])('%s names %s', (pattern, words) => {
    expect(faultOfPattern(pattern)).toBeNull();
    expect(patternWords(pattern)).toBe(words);
  });

  it.each(['', '.*', '[a]', 'a[0].*'])('"%s" is refused', (pattern) => {
    expect(faultOfPattern(pattern)).not.toBeNull();
  });
});
