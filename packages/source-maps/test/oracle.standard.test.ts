import { describe, expect, it } from 'vitest';
import { lookUpPlace } from '../src/look-up.ts';
import { ANCHOR, compareRandomMaps, expectSame, made, NAMES, SOURCES } from './oracle.ts';
import { type Segment, writeMappings } from './write-mappings.ts';

/** docs/contract/source-maps.md 4.2: the look-up form says of every place what another reader of maps says. */

describe('places of random maps', () => {
  it('are found as another reader finds them, in order and out of order', async () => {
    expect(await compareRandomMaps(60)).toBeGreaterThan(5000);
  });

  it('are found across the blocks of a long line', async () => {
    const line = Array.from({ length: 60 }, (_, column): Segment => {
      return { column, original: { source: column % 3, line: column, column: column * 2, name: null } };
    });
    const long = Array.from({ length: 150 }, () => line);
    const map = { version: 3, sources: SOURCES, names: NAMES, mappings: writeMappings(long) };
    expect(await expectSame(await made(map, long.length), 150)).toBe(150 * 61);
  });
});

describe('index maps', () => {
  const part = (source: string, mappings: string) => ({
    version: 3,
    sources: [source],
    names: ['n'],
    mappings,
  });
  const flat = writeMappings([
    [ANCHOR, { column: 9, original: { source: 0, line: 3, column: 1, name: 0 } }],
    [{ column: 2, original: { source: 0, line: 5, column: 5, name: null } }],
  ]);

  it('have the column of an offset count in the first line of its section alone', async () => {
    const map = {
      version: 3,
      sections: [
        { offset: { line: 0, column: 0 }, map: part('a.ts', flat) },
        { offset: { line: 1, column: 20 }, map: part('b.ts', flat) },
        { offset: { line: 3, column: 4 }, map: part('c.ts', flat) },
      ],
    };
    const { form } = await made(map, 5);
    const read = async (offset: number, length: number) => form.subarray(offset, offset + length);
    const file = async (line: number, column: number) => {
      const found = await lookUpPlace(read, form.length, line, column);
      return found.kind === 'mapped' ? `${found.file}:${found.line}:${found.column}` : found.kind;
    };
    expect(await file(0, 9)).toBe('a.ts:3:1');
    expect(await file(1, 19)).toBe('a.ts:5:5');
    expect(await file(1, 20)).toBe('b.ts:0:0');
    expect(await file(1, 29)).toBe('b.ts:3:1');
    expect(await file(2, 1)).toBe('no_mapping');
    expect(await file(2, 2)).toBe('b.ts:5:5');
    expect(await file(3, 3)).toBe('no_mapping');
    expect(await file(3, 13)).toBe('c.ts:3:1');
  });

  it('several of which lie in one line end where the next one begins', async () => {
    const map = {
      version: 3,
      sections: [
        { offset: { line: 0, column: 0 }, map: part('a.ts', flat) },
        { offset: { line: 0, column: 5 }, map: part('b.ts', 'AAAA') },
      ],
    };
    const { form } = await made(map, 2);
    const read = async (offset: number, length: number) => form.subarray(offset, offset + length);
    expect(await lookUpPlace(read, form.length, 0, 4)).toMatchObject({ file: 'a.ts' });
    expect(await lookUpPlace(read, form.length, 0, 30)).toMatchObject({ file: 'b.ts', line: 0 });
  });
});
