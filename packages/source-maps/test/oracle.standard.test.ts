import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookUpPlace } from '../src/look-up.ts';
import { makeForm } from '../src/make-form.ts';
import { type Segment, writeMappings } from './write-mappings.ts';

/** docs/contract/source-maps.md 4.2: the look-up form says of every place what another reader of maps says. */

/** Units that are no part of a word, so that every place may begin a segment. */
const LINE = '.'.repeat(60);

interface Made {
  form: Buffer;
  map: object;
}

async function made(map: object, lines: number): Promise<Made> {
  const generated = Buffer.from(Array.from({ length: lines }, () => LINE).join('\n'));
  const judged = await makeForm({
    ...{ path: 'a.js', debugId: null, generated },
    map: Buffer.from(JSON.stringify(map)),
  });
  if (judged.kind !== 'made') throw new Error(`${judged.problem}: ${judged.words}`);
  return { form: judged.form, map };
}

async function expectSame({ form, map }: Made, lines: number): Promise<number> {
  const oracle = new TraceMap(map as never);
  const read = async (offset: number, length: number) => form.subarray(offset, offset + length);
  let compared = 0;
  for (let line = 0; line < lines; line += 1) {
    for (let column = 0; column <= LINE.length; column += 1) {
      const wanted = originalPositionFor(oracle, { line: line + 1, column });
      const found = await lookUpPlace(read, form.length, line, column);
      const told =
        found.kind === 'mapped'
          ? [found.source, found.line + 1, found.column, found.name]
          : [found.kind, null, null, null];
      const sources = oracle.sources.indexOf(wanted.source);
      expect(told, `${line}:${column}`).toEqual(
        wanted.source === null
          ? ['no_mapping', null, null, null]
          : [sources, wanted.line, wanted.column, wanted.name],
      );
      compared += 1;
    }
  }
  return compared;
}

const SOURCES = ['a.ts', 'b.ts', 'c.ts'];
const NAMES = ['total', 'cart'];

const segment: fc.Arbitrary<Segment> = fc.oneof(
  fc.record({ column: fc.nat(59) }),
  fc.record({
    column: fc.nat(59),
    original: fc.record({
      source: fc.nat(SOURCES.length - 1),
      line: fc.nat(2000),
      column: fc.nat(300),
      name: fc.option(fc.nat(NAMES.length - 1), { nil: null }),
    }),
  }),
);
const place = (each: Segment) => each.column;
const lines = fc.array(fc.uniqueArray(segment, { selector: place, maxLength: 12 }), {
  minLength: 1,
  maxLength: 5,
});
/** Something has to be mapped, or the map would be skipped. */
const ANCHOR: Segment = { column: 0, original: { source: 0, line: 0, column: 0, name: null } };

describe('places of random maps', () => {
  it('are found as another reader finds them, in order and out of order', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(lines, fc.boolean(), async (random, isSorted) => {
        const ordered = [...random, [ANCHOR]].map((line) =>
          isSorted ? line.toSorted((a, b) => a.column - b.column) : line,
        );
        const map = { version: 3, sources: SOURCES, names: NAMES, mappings: writeMappings(ordered) };
        compared += await expectSame(await made(map, ordered.length), ordered.length);
      }),
      { numRuns: 60 },
    );
    expect(compared).toBeGreaterThan(5000);
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
