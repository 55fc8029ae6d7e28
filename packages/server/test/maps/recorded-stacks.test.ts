import { expect, it } from 'vitest';
import { readStack, stackMapsOf } from './mapped-stack.ts';
import recorded from './recorded-stacks.json' with { type: 'json' };

/** Frames that JavaScriptCore does not have, by the number of the failure: strict code ended with a call there. */
const TAIL_CALLS: Readonly<Record<number, string[]>> = {
  0: ['src/cart.ts:5 Cart.total'],
  5: ['src/main.ts:8 Till.pay'],
};

/**
 * docs/contract/source-maps.md 4.2 and 5.5, item 15: the same twelve failures of one build as the engines of Chromium,
 * Firefox and Safari wrote them. Recorded once: V8 of Node 24.21, SpiderMonkey 102 and JavaScriptCore of WebKitGTK 2.50;
 * the lines of what ran the build are left out, and its file has an address.
 */
it('stacks that three engines wrote lead to the same original places, and those of two to one key', async () => {
  const maps = await stackMapsOf(recorded);
  const read = async (stack = '') => {
    const { key, frames } = await readStack(stack, maps);
    const own = frames.filter(({ map }) => map?.state === 'mapped');
    return { key, places: own.map((frame) => `${frame.file}:${frame.line} ${frame.function}`) };
  };
  const { V8, SpiderMonkey, JavaScriptCore } = recorded.stacks;
  for (const [failure, stack] of V8.entries()) {
    const chromium = await read(stack);
    const firefox = await read(SpiderMonkey[failure]);
    const safari = await read(JavaScriptCore[failure]);
    expect(chromium.places.length).toBeGreaterThanOrEqual(5);
    expect(firefox).toEqual(chromium);
    const isTail = (place: string) => !safari.places.includes(place);
    expect(chromium.places.filter((place) => !isTail(place))).toEqual(safari.places);
    expect(chromium.places.filter(isTail)).toEqual(TAIL_CALLS[failure] ?? []);
  }
  expect([V8.length, SpiderMonkey.length, JavaScriptCore.length]).toEqual([12, 12, 12]);
});
