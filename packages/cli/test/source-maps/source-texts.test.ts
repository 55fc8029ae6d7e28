import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withSourceTexts } from '../../src/source-maps/source-texts.ts';
import { builtFolder } from './built.ts';

/** docs/contract/source-maps.md 7.2: texts that a map lacks, under the names that tools give sources. */

const TEXT = 'export const total = 1;\n';

describe('a text that a map lacks', () => {
  it.each<[string, string, string | undefined]>([
    ['beside the output', '../src/cart.ts', undefined],
    ['with characters that esbuild encodes', '../src/%5Bslug%5D/gr%C3%B6%C3%9Fe%20%231.ts', undefined],
    ['with such characters as they are', '../src/[slug]/größe.ts', undefined],
    ['below a root of tsc', 'cart.ts', '/src'],
    ['below a root that is an address of a file', 'cart.ts', 'file:///src/'],
    ['of webpack', 'webpack://@acme/shop/./src/cart.ts?3f2a', undefined],
    ['of a server of another machine', 'cart.ts', 'https://src.example/src/'],
  ])('%s is read', (_, source, sourceRoot) => {
    const folder = builtFolder({
      'src/cart.ts': TEXT,
      'src/[slug]/größe #1.ts': TEXT,
      'src/[slug]/größe.ts': TEXT,
    });
    const map = {
      version: 3,
      sources: [source],
      mappings: 'AAAA',
      ...(sourceRoot === undefined ? {} : { sourceRoot }),
    };
    expect(withSourceTexts(map, join(folder, 'dist/a.js.map'), folder)).toMatchObject({
      sourcesContent: [TEXT],
    });
  });
});
