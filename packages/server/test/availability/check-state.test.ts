import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advanceCheck, type CheckState } from '../../src/monitor/availability/check-state.ts';

const NEW: CheckState = {
  status: 'unknown',
  consecutiveFailures: 0,
  consecutiveSuccesses: 0,
  isReported: false,
};
const THRESHOLDS = { failureThreshold: 3, recoveryThreshold: 2 };

/** Status and news after each run: `+` a success, `-` a failure. */
function follow(runs: string, state: CheckState = NEW): string[] {
  return [...runs].map((run) => {
    const advance = advanceCheck(state, run === '+', THRESHOLDS);
    state = advance.state;
    return advance.news === null ? state.status : `${state.status}, ${advance.news}`;
  });
}

describe('the state of a check', () => {
  it('passes with one success when nothing is known', () => {
    expect(follow('+')).toEqual(['passing']);
  });

  it('fails at the threshold of failures in a row', () => {
    expect(follow('---')).toEqual(['unknown', 'unknown', 'failing, failure']);
    expect(follow('+--+---')).toEqual([
      ...['passing', 'passing', 'passing', 'passing', 'passing', 'passing'],
      'failing, failure',
    ]);
  });

  it('tells of every further failure while it fails, also behind a success', () => {
    expect(follow('----+-').slice(2)).toEqual([
      'failing, failure',
      'failing, failure',
      'failing',
      'failing, failure',
    ]);
  });

  it('recovers at the threshold of successes in a row', () => {
    expect(follow('---+-++').slice(3)).toEqual([
      'failing',
      'failing, failure',
      'failing',
      'passing, recovery',
    ]);
  });

  it('recovers at the threshold too when its evidence was dropped meanwhile', () => {
    expect(follow('+++', { ...NEW, isReported: true })).toEqual(['passing', 'passing, recovery', 'passing']);
    expect(follow('+-+-', { ...NEW, isReported: true })).toEqual([
      'passing',
      'passing',
      'passing',
      'passing',
    ]);
  });

  it('tells of no recovery without a failure before, and of each once', () => {
    const thresholds = fc.record({
      failureThreshold: fc.integer({ min: 1, max: 4 }),
      recoveryThreshold: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), thresholds, (runs, limits) => {
        let state = NEW;
        let isTold = false;
        for (const isSuccess of runs) {
          const { state: next, news } = advanceCheck(state, isSuccess, limits);
          if (news === 'recovery') expect(isTold).toBe(true);
          if (news !== null) isTold = news === 'failure';
          expect(next.isReported).toBe(isTold);
          expect(next.status === 'failing').toBe(isTold);
          expect(Math.min(next.consecutiveFailures, next.consecutiveSuccesses)).toBe(0);
          state = next;
        }
      }),
    );
  });
});
