import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CHECKLIST } from './checklist.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CHAPTER = `${ROOT}docs/contract/command-line.md`;

describe('the checklist of the command line', () => {
  it('has each item of the chapter once, in its order', () => {
    const items = [...readFileSync(CHAPTER, 'utf8').matchAll(/^- \*\*(C-\d\d)\*\* /gm)].map(
      ([, item]) => item,
    );
    expect(CHECKLIST.map(({ item }) => item)).toEqual(items);
    expect(items.length).toBeGreaterThan(40);
  });

  it('names tests that exist', () => {
    const named = CHECKLIST.flatMap(({ files }) => files);
    expect(named.filter((file) => !existsSync(ROOT + file))).toEqual([]);
  });
});
