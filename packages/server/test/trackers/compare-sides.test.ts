import { WONT_FIX_EFFECTS } from '@culprit/contract/alerts/tracker-words';
import { describe, expect, it } from 'vitest';
import { nextStep, type Seen, type Sides } from '../../src/tickets/compare-sides.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** Two-way state (docs/contract/team-workflow.md 7.4). */

const SYNC = {
  closeOnResolve: true,
  reopenOnRegress: true,
  resolveOnClose: true,
  wontFix: 'snooze',
} as const;
const OPEN = { isResolved: false, isClosed: false };
const DONE = { isResolved: true, isClosed: true };
const now = (isResolved: boolean, isClosed: boolean, isWontFix = false): Sides => ({
  isResolved,
  isClosed,
  isWontFix,
});

describe('what follows from a change', () => {
  it('is the change of the other side, by the settings', () => {
    expect(nextStep(OPEN, now(true, false), SYNC)).toBe('close');
    expect(nextStep(OPEN, now(true, false), { ...SYNC, closeOnResolve: false })).toBe('none');
    expect(nextStep(DONE, now(false, true), SYNC)).toBe('reopen');
    expect(nextStep(DONE, now(false, true), { ...SYNC, reopenOnRegress: false })).toBe('none');
    expect(nextStep(OPEN, now(false, true), SYNC)).toBe('resolve_incident');
    expect(nextStep(OPEN, now(false, true), { ...SYNC, resolveOnClose: false })).toBe('none');
    expect(nextStep(DONE, now(true, false), SYNC)).toBe('reopen_incident');
    const steps = WONT_FIX_EFFECTS.map((wontFix) =>
      nextStep(OPEN, now(false, true, true), { ...SYNC, wontFix }),
    );
    expect(steps).toEqual(['snooze_incident', 'resolve_incident', 'none']);
  });

  it('is nothing for an echo, for what was seen, and where both sides agree', () => {
    for (const seen of [OPEN, DONE]) {
      expect(nextStep(seen, now(false, false), SYNC)).toBe('none');
      expect(nextStep(seen, now(true, true), SYNC)).toBe('none');
    }
    expect(nextStep({ isResolved: false, isClosed: true }, now(false, true, true), SYNC)).toBe('none');
  });
});

describe('random changes on both sides, seen late, twice or never on their own', () => {
  it('end in agreement, and every step is one that a change asked for', () => {
    const random = seededRandom(7);
    for (let schedule = 0; schedule < 2000; schedule += 1) {
      const world = { isResolved: false, isClosed: false };
      let seen: Seen = { ...world };
      let changes = 0;
      let steps = 0;
      const compare = () => {
        const step = nextStep(seen, { ...world, isWontFix: false }, SYNC);
        if (step !== 'none') steps += 1;
        if (step === 'close' || step === 'reopen') world.isClosed = step === 'close';
        if (step === 'resolve_incident' || step === 'reopen_incident') {
          world.isResolved = step === 'resolve_incident';
        }
        seen = { ...world };
      };
      for (let turn = 0; turn < 12; turn += 1) {
        const roll = random.integer(1, 10);
        if (roll <= 3) world.isResolved = !world.isResolved;
        else if (roll <= 6) world.isClosed = !world.isClosed;
        else compare();
        if (roll <= 6) changes += 1;
      }
      compare();
      expect(world.isResolved).toBe(world.isClosed);
      expect(steps).toBeLessThanOrEqual(changes);
      const before = { ...world };
      compare();
      expect(world).toEqual(before);
    }
  });
});
