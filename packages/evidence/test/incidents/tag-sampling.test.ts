import { identifierHash } from '@culprit/evidence/events/redact/identifier-hash';
import { TAGS_EXACT_MAX, tagWeight } from '@culprit/evidence/incidents/tag-sampling';
import { describe, expect, it } from 'vitest';

/** docs/contract/team-workflow.md 20, item 8: the shares of what is counted against those of all signals. */

const SHARES = { chrome: 0.5, safari: 0.25, firefox: 0.15, edge: 0.1 };

/** Which browser a signal came from: the first half of each twenty, the next quarter and so on. */
function browserOf(number: number): keyof typeof SHARES {
  const place = number % 20;
  return place < 10 ? 'chrome' : place < 15 ? 'safari' : place < 18 ? 'firefox' : 'edge';
}

function counted(signals: number): { counts: Map<string, number>; sampled: number } {
  const counts = new Map<string, number>();
  let sampled = 0;
  for (let number = 1; number <= signals; number += 1) {
    const weight = tagWeight(number, () => identifierHash(`evt_${number}`));
    if (weight > 0) sampled += 1;
    counts.set(browserOf(number), (counts.get(browserOf(number)) ?? 0) + weight);
  }
  return { counts, sampled };
}

describe('the tags of signals', () => {
  it('are counted exactly as far as the first thousand', () => {
    const { counts, sampled } = counted(TAGS_EXACT_MAX);
    expect(sampled).toBe(1_000);
    expect(Object.fromEntries(counts)).toEqual({ chrome: 500, safari: 250, firefox: 150, edge: 100 });
  });

  it.each([10_000, 100_000])(
    'of %i are counted by at most a thousand of each decade, and their shares differ by 3 points at most',
    (signals) => {
      const { counts, sampled } = counted(signals);
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      for (const [browser, share] of Object.entries(SHARES)) {
        const distance = Math.abs((counts.get(browser) ?? 0) / total - share);
        expect(distance, browser).toBeLessThan(0.03);
      }
      expect(sampled).toBeGreaterThan(1_500);
      expect(sampled).toBeLessThanOrEqual(1_000 * Math.log10(signals / 100));
    },
  );

  it('are counted alike when a batch is repeated', () => {
    expect(counted(20_000)).toEqual(counted(20_000));
  });
});
