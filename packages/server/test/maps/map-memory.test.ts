import { expect, it } from 'vitest';
import { BoundedCache } from '../../src/maps/lookup/bounded-cache.ts';
import { createNameMemory } from '../../src/maps/lookup/map-session.ts';

/** docs/contract/source-maps.md 4.8 and 5.9, item 34: what a flood of invented debug ids leaves in the memory of a process. */

const INVENTED = 30_000;
const NAMES_MAX = 20_000;

/** Returns the numbers of the entries that are still there. */
function heldOf<Value>(cache: BoundedCache<Value>, keys: readonly string[]): number[] {
  return keys.flatMap((key, index) => (cache.get(key) === undefined ? [] : [index]));
}

it('the names of 30,000 invented ids leave the newest 20,000, of those that have a map and of those that have none', () => {
  const { named, absent } = createNameMemory();
  const keys = Array.from({ length: INVENTED }, (_, index) => `id ${index}`);
  for (const key of keys) {
    named.set(key, []);
    absent.set(key, { upload: null, words: null, hasOthers: false });
  }
  for (const held of [heldOf(named, keys), heldOf(absent, keys)]) {
    expect(held).toHaveLength(NAMES_MAX);
    expect(held[0]).toBe(INVENTED - NAMES_MAX);
  }
});

it('a name that is asked for again stays, however many others come', () => {
  const { named } = createNameMemory();
  named.set('real', []);
  for (let index = 0; index < INVENTED; index += 1) {
    if (index % 1000 === 0) expect(named.get('real')).toEqual([]);
    named.set(`id ${index}`, []);
  }
  expect(named.get('real')).toEqual([]);
});

it('parts of maps are held up to their weight, and none that is heavier than all of it', () => {
  const cache = new BoundedCache<number>(1000);
  const keys = Array.from({ length: 100 }, (_, index) => `part ${index}`);
  for (const [index, key] of keys.entries()) cache.set(key, index, 40);
  expect(heldOf(cache, keys)).toHaveLength(25);
  cache.set('part 99', 99, 1001);
  expect(cache.get('part 99')).toBeUndefined();
  expect(heldOf(cache, keys)).toHaveLength(24);
  cache.set('part 98', 98, 1);
  expect(cache.weight).toBe(23 * 40 + 1);
});
