import { describe, expect, it } from 'vitest';
import { provenBy, readProofs, readTags } from './proofs.ts';

describe('the catalog of proofs', () => {
  const proofs = readProofs();
  const tags = [...readTags()];

  it('has each number once, in order', () => {
    expect(proofs.map(({ number }) => number)).toEqual(Array.from({ length: 54 }, (_, index) => index + 1));
  });

  it('has a test for each of them', () => {
    expect(proofs.filter(({ files }) => files.length === 0).map(({ number }) => number)).toEqual([]);
  });

  it('knows each number that a test says, once in a file', () => {
    const known = new Set(proofs.map(({ number }) => number));
    const wrong = tags.filter(
      ([, numbers]) => new Set(numbers).size < numbers.length || numbers.some((number) => !known.has(number)),
    );
    expect(wrong).toEqual([]);
    expect(tags.length).toBeGreaterThan(70);
  });

  it('is collected from whole lines alone', () => {
    expect(provenBy('// Proves 3, 11.\nimport x;\n// Proves 7.\n')).toEqual([3, 11, 7]);
    expect(provenBy('  // Proves 3.\n// Proves 3\n// Proves three.\n/** Proves 3. */')).toEqual([]);
  });

  it('says which proofs are whole in the long lane alone', () => {
    const long = proofs.filter(({ lane }) => lane === 'long').map(({ number }) => number);
    expect(long).toEqual(expect.arrayContaining([8, 28, 41]));
  });
});
