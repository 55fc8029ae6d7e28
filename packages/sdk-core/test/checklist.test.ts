import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../scripts/sdk/sdk-packages.ts';
import { CASES, CHECKLIST } from './checklist.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('the checklist of the client libraries', () => {
  it('has each item of the chapter once, in its order', () => {
    const chapter = read('docs/contract/clients.md');
    const items = [...chapter.matchAll(/^- \*\*(C-\d\d)\*\* /gm)].map(([, item]) => item);
    expect(CHECKLIST.map(({ item }) => item)).toEqual(items);
    expect(items).toHaveLength(55);
  });

  it('has each case of ingestion that is of relays and libraries', () => {
    const cases = [...read('docs/contract/ingestion.md').matchAll(/^\{"id":"(T\d+)"/gm)].map(([, id]) => id);
    const own = cases.slice(cases.indexOf('T114'), cases.indexOf('T140') + 1);
    expect(CASES.map(({ item }) => item)).toEqual(own);
    expect(own).toHaveLength(27);
  });

  it('names tests that exist', () => {
    const named = [...CHECKLIST, ...CASES];
    expect(named.filter(({ files }) => files.length === 0)).toEqual([]);
    const files = named.flatMap((item) => item.files);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
