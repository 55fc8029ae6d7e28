import { randomInt } from 'node:crypto';
import { chooseLane } from '../lanes/test-files.ts';

/** Random choices that a printed number repeats. */
export interface SeededRandom {
  /** A number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** True in that share of the cases. */
  chance(share: number): boolean;
}

/** Set to repeat a run; every random test names the seed it used. */
const SEED_VARIABLE = 'CULPRIT_TEST_SEED';

/** A check of the same commit makes the same choices, so that its verdict says something about the commit. */
const SEED_OF_CHECKS = 1;

/** The seed of this run: given; in the long lane, which looks for what nobody has thought of, a new one. */
export function chooseSeed(): number {
  const given = process.env[SEED_VARIABLE];
  if (given !== undefined) return Number(given) >>> 0;
  return chooseLane() === 'long' ? randomInt(2 ** 32) : SEED_OF_CHECKS;
}

/** Mulberry32: 32 bits of state, plenty for choosing test data. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    integer: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error('nothing to choose from');
      return item;
    },
    chance: (share) => next() < share,
  };
}
