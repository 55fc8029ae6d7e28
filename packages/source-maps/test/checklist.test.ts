import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CHECKLIST } from './checklist.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CHAPTER = readFileSync(`${ROOT}docs/contract/source-maps.md`, 'utf8');

describe('the checklist of source maps and releases', () => {
  it('has each item of the chapter', () => {
    const [, section = ''] = CHAPTER.split('## 17. Checklist');
    const items = [...section.matchAll(/^(\d+)\. /gm)].map(([, item]) => item);
    expect(Object.keys(CHECKLIST)).toEqual(items);
    expect(items).toHaveLength(52);
  });

  it('names tests that exist', () => {
    const named = Object.values(CHECKLIST).flat();
    expect(named.filter((file) => !existsSync(ROOT + file))).toEqual([]);
  });

  it('has a test for each item', () => {
    const without = Object.entries(CHECKLIST).flatMap(([item, files]) => (files.length === 0 ? [item] : []));
    expect(without).toEqual([]);
  });
});
