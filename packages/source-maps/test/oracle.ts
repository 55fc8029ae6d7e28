import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import fc from 'fast-check';
import { expect } from 'vitest';
import { lookUpIn } from '../src/look-up.ts';
import { makeForm } from '../src/make-form.ts';
import { keptParts } from './kept-parts.ts';
import { type Segment, writeMappings } from './write-mappings.ts';

/** What another reader says of every place of a map, and random maps. */

/** Units that are no part of a word, so that every place may begin a segment. */
const LINE = '.'.repeat(60);

interface Made {
  form: Buffer;
  map: object;
}

/** The form of a map whose file has that many lines. */
export async function made(map: object, lines: number): Promise<Made> {
  const generated = Buffer.from(Array.from({ length: lines }, () => LINE).join('\n'));
  const judged = await makeForm({
    ...{ path: 'a.js', debugId: null, generated },
    map: Buffer.from(JSON.stringify(map)),
  });
  if (judged.kind !== 'made') throw new Error(`${judged.problem}: ${judged.words}`);
  return { form: judged.form, map };
}

/** Compares every place. @returns how many there were */
export async function expectSame({ form, map }: Made, lines: number): Promise<number> {
  const oracle = new TraceMap(map as never);
  const parts = keptParts(form);
  let compared = 0;
  for (let line = 0; line < lines; line += 1) {
    for (let column = 0; column <= LINE.length; column += 1) {
      const wanted = originalPositionFor(oracle, { line: line + 1, column });
      const found = await lookUpIn(parts, line, column);
      const told =
        found.kind === 'mapped'
          ? [found.source, found.line + 1, found.column, found.name]
          : [found.kind, null, null, null];
      const expected =
        wanted.source === null
          ? ['no_mapping', null, null, null]
          : [oracle.sources.indexOf(wanted.source), wanted.line, wanted.column, wanted.name];
      // Seldom called, because it is slow.
      if (told.some((each, index) => each !== expected[index]))
        expect(told, `${line}:${column}`).toEqual(expected);
      compared += 1;
    }
  }
  return compared;
}

export const SOURCES = ['a.ts', 'b.ts', 'c.ts'];
export const NAMES = ['total', 'cart'];

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
export const ANCHOR: Segment = { column: 0, original: { source: 0, line: 0, column: 0, name: null } };

/** Compares the places of that many random maps, in order and out of order. @returns how many places there were */
export async function compareRandomMaps(numRuns: number): Promise<number> {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(lines, fc.boolean(), async (random, isSorted) => {
      const ordered = [...random, [ANCHOR]].map((line) =>
        isSorted ? line.toSorted((a, b) => a.column - b.column) : line,
      );
      const map = { version: 3, sources: SOURCES, names: NAMES, mappings: writeMappings(ordered) };
      compared += await expectSame(await made(map, ordered.length), ordered.length);
    }),
    { numRuns },
  );
  return compared;
}
