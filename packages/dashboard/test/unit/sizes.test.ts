import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { textSizes } from '../support/text-sizes.ts';

/** docs/contract/dashboard.md 3.2: what is seen in the browser is in `screens/`. */

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const SHEETS = readdirSync(SOURCE, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.css') && !/^(?:tokens|fonts)\.css$/.test(file));
const declarations = (file: string) =>
  [
    ...readFileSync(join(SOURCE, file), 'utf8').matchAll(/^\s*(font|font-size|border-radius): ([^;]+);/gm),
  ].map(([, property = '', value = '']) => ({ property, value }));

describe('sizes of text', () => {
  it('are at least 12 px', () => {
    expect(Math.min(...textSizes().values())).toBe(12);
  });

  it.each(SHEETS)('in %s are tokens', (file) => {
    const literal = declarations(file).filter(
      ({ property, value }) =>
        (property === 'font' || property === 'font-size') &&
        !/^(?:inherit|(?:[45]00|600) var\(--[\w-]+\))$/.test(value),
    );
    expect(literal).toEqual([]);
  });
});

describe('corners', () => {
  it.each(SHEETS)('in %s are tokens where they are larger than those of a mark', (file) => {
    const literal = declarations(file).filter(
      ({ property, value }) =>
        property === 'border-radius' && (value.match(/\d+(?=px)/g) ?? []).some((size) => Number(size) > 4),
    );
    expect(literal).toEqual([]);
  });
});
