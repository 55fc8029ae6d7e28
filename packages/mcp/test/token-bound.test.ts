import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { ONE_TOKEN_WORDS } from '../src/tokens/one-token-words.ts';
import { tokenBound } from '../src/tokens/token-bound.ts';

const CHAPTER = readFileSync(new URL('../../../docs/contract/command-line.md', import.meta.url), 'utf8');
const WORDS = CHAPTER.match(/[A-Za-z]{2,}/g) ?? [];

describe('the bound of tokens', () => {
  it('knows only words that are one token wherever they stand', () => {
    const wrong = [...ONE_TOKEN_WORDS].filter((word) => {
      const capital = word.charAt(0).toUpperCase() + word.slice(1);
      return [word, ` ${word}`, capital, ` ${capital}`].some((each) => countTokens(each) !== 1);
    });
    expect(wrong).toEqual([]);
  });

  it('is never below the tokens of mixtures of what events hold', () => {
    const hex = fc.integer({ min: 8, max: 200 }).map((bytes) => randomBytes(bytes).toString('hex'));
    const base64 = fc.integer({ min: 8, max: 200 }).map((bytes) => randomBytes(bytes).toString('base64'));
    const prose = fc
      .array(fc.constantFrom(...WORDS), { minLength: 5, maxLength: 40 })
      .map((words) => words.join(' '));
    const part = fc.oneof(
      prose,
      hex,
      base64,
      fc.uuid(),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.json({ maxDepth: 3 }),
      fc.constantFrom(
        '请检查输入的数据',
        'هذا نص عربي طويل',
        'オブジェクトが見つかりません',
        '🎉🔥👩‍👩‍👧‍👦',
        '\u0000\u001b[31m',
      ),
      fc.string({ unit: 'grapheme', minLength: 5, maxLength: 80 }),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 3, maxLength: 12 }), (parts) => {
        const text = parts.join('\n');
        expect(tokenBound(text)).toBeGreaterThanOrEqual(countTokens(text));
      }),
      { numRuns: 300 },
    );
  });

  it('is not far above them for prose and code', () => {
    const code = readFileSync(new URL('../src/evidence/incident-answer.ts', import.meta.url), 'utf8');
    for (const text of [CHAPTER, code]) expect(tokenBound(text) / countTokens(text)).toBeLessThan(1.7);
  });
});
