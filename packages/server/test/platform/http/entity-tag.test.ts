import { describe, expect, it } from 'vitest';
import { entityTag, matchesEntityTag } from '../../../src/platform/http/binding/entity-tag.ts';

const TAG = entityTag('{"a":1}');

describe('an entity tag', () => {
  it('is strong, quoted and made of the bytes', () => {
    expect(TAG).toMatch(/^"[\w-]{43}"$/);
    expect(entityTag(Buffer.from('{"a":1}'))).toBe(TAG);
    expect(entityTag('{"a":2}')).not.toBe(TAG);
  });
});

describe('If-None-Match', () => {
  it.each([
    TAG,
    `W/${TAG}`,
    '*',
    ' * ',
    `"x", ${TAG}`,
    `${TAG},"x"`,
    `W/"x",W/${TAG} , "y"`,
    `"a,b", ${TAG}`,
  ])('%s names the tag', (header) => {
    expect(matchesEntityTag(header, TAG)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '"x"',
    TAG.slice(1, -1),
    TAG.slice(0, -1),
    TAG.toLowerCase(),
    `"x${TAG.slice(1)}`,
    '"*"',
    `*, "x"`,
  ])('%s does not', (header) => {
    expect(matchesEntityTag(header, TAG)).toBe(false);
  });

  it('is read in one pass, whatever it holds', () => {
    expect(matchesEntityTag('W/"'.repeat(100_000), TAG)).toBe(false);
    expect(matchesEntityTag('"'.repeat(200_001), TAG)).toBe(false);
  });
});
