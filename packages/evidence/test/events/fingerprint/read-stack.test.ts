import { describe, expect, it } from 'vitest';
import { readStack } from '../../../src/events/fingerprint/stack/read-stack.ts';
import { isVendorPath } from '../../../src/events/fingerprint/stack/vendor-path.ts';

describe('names of Go without arguments', () => {
  it.each([
    [300, true],
    [301, false],
  ])('with a path of %i characters, type and function as long as they may be: %s', (pathChars, isRead) => {
    const name = `${'p'.repeat(pathChars)}.(*${'T'.repeat(100)}).${'f'.repeat(200)}`;
    const stack = `boom\n${name}\n\t/src/cart/cart.go:31\nmain.main\n\t/src/main.go:9`;
    const frames = readStack(stack, null)?.chain[0]?.frames ?? [];
    expect(frames.map(({ function: called }) => called)).toEqual([
      ...(isRead ? [`(*${'T'.repeat(100)}).${'f'.repeat(200)}`] : []),
      'main',
    ]);
  });
});

describe('a path of installed packages', () => {
  it.each([
    ['C:\\app\\node_modules\\express\\index.js', true],
    ['C:\\go\\pkg\\mod\\github.com\\lib\\queue.go', true],
    ['C:\\app\\vendor\\bundle\\ruby\\rack.rb', true],
    ['node_modules\\express/index.js', true],
    ['/app/node_modules/express/index.js', true],
    ['C:\\app\\my_node_modules\\index.js', false],
    ['C:\\app\\pkg\\model\\cart.go', false],
    ['C:\\app\\src\\checkout.ts', false],
  ])('%s: %s', (file, isInstalled) => {
    expect(isVendorPath(file)).toBe(isInstalled);
  });
});
