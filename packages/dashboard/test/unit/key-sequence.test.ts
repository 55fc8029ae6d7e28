import { describe, expect, it } from 'vitest';
import { createKeySequence } from '../../src/shell/palette/key-sequence.ts';

/** docs/contract/dashboard.md 6.1: single keys, sequences of two, and keys with modifiers. */

const BINDINGS = ['g i', 'g r', 'c l', 'c u', 'r', 'l', 'j', 'Shift+J', '$mod+k'].map((keys) => ({ keys }));

/** Presses keys one after the other, at times in milliseconds, and tells what each completed. */
function press(...presses: (readonly [text: string, atMs: number])[]): string[][] {
  const completedBy = createKeySequence();
  return presses.map(([text, atMs]) => {
    const held = text.split('+');
    const key = held.pop() ?? '';
    const event = {
      key,
      code: `Key${key.toUpperCase()}`,
      getModifierState: (name: string) => held.includes(name),
    };
    return completedBy(event as KeyboardEvent, BINDINGS, atMs).map(({ keys }) => keys);
  });
}

describe('keys', () => {
  it('of a sequence do nothing by themselves', () => {
    expect(press(['g', 0], ['r', 100])).toEqual([[], ['g r']]);
    expect(press(['c', 0], ['l', 100], ['l', 200])).toEqual([[], ['c l'], ['l']]);
  });

  it('begin another sequence as soon as one is complete', () => {
    expect(press(['c', 0], ['u', 10], ['c', 20], ['l', 30])).toEqual([[], ['c u'], [], ['c l']]);
    expect(press(['g', 0], ['i', 10], ['g', 20], ['r', 30])).toEqual([[], ['g i'], [], ['g r']]);
  });

  it('that end no sequence do nothing, and a pause begins anew', () => {
    expect(press(['g', 0], ['j', 10], ['j', 20])).toEqual([[], [], ['j']]);
    expect(press(['g', 0], ['r', 1500])).toEqual([[], ['r']]);
  });

  it('are told apart by what is held with them', () => {
    expect(press(['j', 0], ['Shift+J', 10], ['Control+k', 20], ['k', 30])).toEqual([
      ['j'],
      ['Shift+J'],
      ['$mod+k'],
      [],
    ]);
  });
});
