import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PROOFS } from './proofs.ts';

const TESTS = fileURLToPath(new URL('../', import.meta.url));

describe('the catalogue of proofs', () => {
  it('has each number once, in order', () => {
    expect(PROOFS.map(({ number }) => number)).toEqual(Array.from({ length: 54 }, (_, index) => index + 1));
  });

  it('names tests that exist', () => {
    const named = PROOFS.flatMap(({ files }) => files);
    expect(named.filter((file) => !existsSync(TESTS + file))).toEqual([]);
  });

  it('says why where there is none', () => {
    expect(PROOFS.filter(({ files, missing }) => files.length === 0 && missing === undefined)).toEqual([]);
  });
});
