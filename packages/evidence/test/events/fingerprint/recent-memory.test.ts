import { describe, expect, it } from 'vitest';
import { createRecentMemory, type MemoryKey } from '../../../src/events/fingerprint/recent-memory.ts';

/** A memory that tells how often something had to be made. */
function countedMemory(entriesMax: number) {
  const memory = createRecentMemory<string>(entriesMax);
  let made = 0;
  return {
    recall: (key: MemoryKey) =>
      memory.recall(key, () => {
        made += 1;
        return JSON.stringify(key);
      }),
    made: () => made,
  };
}

/** Long texts that differ in one of the characters by which they are not looked up. */
function alike(letter: string): MemoryKey {
  return ['E', `${'x'.repeat(9000)}${letter}${'x'.repeat(999)}`];
}

describe('a memory of recent texts', () => {
  it('has what a key was met with twice, and nothing of one that was met once', () => {
    const memory = countedMemory(10);
    for (let time = 0; time < 3; time += 1) memory.recall(['a', 'b']);
    expect(memory.made()).toBe(2);
    memory.recall(['c']);
    expect(memory.made()).toBe(3);
  });

  it('tells texts by where they stand and by which of them are missing', () => {
    const memory = countedMemory(100);
    const keys: MemoryKey[] = [
      ['a', null],
      [null, 'a'],
      ['a'],
      ['a', ''],
      ['', 'a'],
      ['aa'],
      [null, null],
      [],
    ];
    for (let time = 0; time < 3; time += 1) {
      for (const key of keys) expect(memory.recall(key)).toBe(JSON.stringify(key));
    }
    expect(memory.made()).toBe(2 * keys.length);
    expect(memory.recall(['a', undefined])).toBe(JSON.stringify(['a', null]));
  });

  it.each([
    ['messages', 20],
    ['stacks', 150],
  ])('keeps every one of many %s that differ in a digit', (_, words) => {
    const memory = countedMemory(2000);
    const keyOf = (shard: number): MemoryKey => ['E', `${'shard '.repeat(words)}${shard} does not answer`];
    for (let time = 0; time < 3; time += 1)
      for (let shard = 100; shard < 999; shard += 1) memory.recall(keyOf(shard));
    // A few share the mark, or the place of the mark, of another.
    expect(memory.made()).toBeLessThan(2 * 899 * 1.05);
  });

  it('tells long texts apart that look the same to it, and keeps a few of them', () => {
    const memory = countedMemory(100);
    for (let time = 0; time < 3; time += 1) {
      for (const letter of 'abcd') expect(memory.recall(alike(letter))).toBe(JSON.stringify(alike(letter)));
    }
    // The first of them that came again could have been any of them.
    expect(memory.made()).toBeLessThan(8);
  });

  it('makes anew what it forgot for others that look the same', () => {
    const memory = countedMemory(100);
    for (let time = 0; time < 3; time += 1) {
      for (const letter of 'abcdef') expect(memory.recall(alike(letter))).toBe(JSON.stringify(alike(letter)));
    }
    expect(memory.made()).toBe(18);
  });
});
