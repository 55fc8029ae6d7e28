import { describe, expect, it } from 'vitest';
import { functionOf } from '../src/function-map.ts';
import { lookUpPlace } from '../src/look-up.ts';
import { type MadeForm, makeForm } from '../src/make-form.ts';

/** What maps say beyond the standard: range mappings (a proposal to ECMA-426) and the function maps of React Native. */

async function made(code: string, map: Record<string, unknown>): Promise<MadeForm> {
  const whole = { version: 3, names: [], ...map };
  return await makeForm({
    ...{ path: 'main.js', debugId: null, generated: Buffer.from(code) },
    map: Buffer.from(JSON.stringify(whole)),
  });
}

/** The places in the original of places of the generated file, all from 0. */
async function originals(code: string, map: Record<string, unknown>, places: readonly [number, number][]) {
  const answer = await made(code, map);
  if (answer.kind !== 'made') return answer.words;
  const { form } = answer;
  const read = async (offset: number, length: number) => form.subarray(offset, offset + length);
  return await Promise.all(
    places.map(async ([line, column]) => {
      const found = await lookUpPlace(read, form.length, line, column);
      return found.kind === 'mapped' ? [found.line, found.column] : found.kind;
    }),
  );
}

describe('a range mapping', () => {
  it('leads each place behind it to the place as far behind in the original', async () => {
    // The first and the third of four mappings of the second line.
    const code = '\n "Hello World"; function f() {  }\n';
    const map = {
      sources: ['main.ts'],
      sourcesContent: ['"Hello World";  function f() {   }  '],
      mappings: ';CAAA,aAAa,EAAG,iBAAoB;',
      rangeMappings: ';AC;',
    };
    expect(
      await originals(code, map, [
        [1, 1],
        [1, 14],
        [1, 15],
        [1, 24],
        [1, 32],
      ]),
    ).toEqual([
      [0, 0],
      [0, 13],
      // No range mapping: the start of the segment.
      [0, 13],
      [0, 24],
      [0, 32],
    ]);
  });

  it('goes on in the next lines until the next mapping', async () => {
    const map = {
      sources: ['main.ts'],
      sourcesContent: ['1234\n5678\n90'],
      mappings: 'CAAA;GACG',
      rangeMappings: 'B',
    };
    const code = '+1+2+3+4\n5+6+7\n9';
    // Numbers begin at 0, so that this one stands for a second mapping, which the line has not.
    expect(await originals(code, map, [[1, 0]])).toEqual(['no_mapping']);
    expect(
      await originals(code, { ...map, rangeMappings: 'A' }, [
        [0, 1],
        [0, 6],
        [1, 0],
        [1, 2],
        [1, 4],
        [2, 0],
      ]),
    ).toEqual([[0, 0], [0, 5], [1, 0], [1, 2], [1, 3], 'no_mapping']);
  });

  it('is found by numbers of more than one digit, in blocks of segments of their own', async () => {
    const count = 10_000;
    const mappings = ['AAAA', ...Array<string>(count - 1).fill('EAAE')].join(',');
    const map = {
      sources: ['a.ts'],
      sourcesContent: [`${'ab '.repeat(count)}`],
      mappings,
      rangeMappings: 'AgCF',
    };
    // 0, 64 and 69.
    const code = 'a;'.repeat(count);
    expect(
      await originals(code, map, [
        [0, 1],
        [0, 3],
        [0, 129],
        [0, 139],
        [0, 141],
        [0, 12_001],
      ]),
    ).toEqual([
      [0, 1],
      [0, 2],
      [0, 129],
      [0, 139],
      [0, 140],
      [0, 12_000],
    ]);
  });

  it('ends with the section of an index map that it is in', async () => {
    const section = (line: number, source: string, mappings: string) => ({
      offset: { line, column: 0 },
      map: {
        version: 3,
        sources: [source],
        sourcesContent: ['1;\n2;\n3;\n'],
        names: [],
        mappings,
        rangeMappings: 'A',
      },
    });
    const map = { sections: [section(0, 'a.ts', 'AAAA'), section(2, 'b.ts', 'EAAA')] };
    expect(
      await originals('1;\n2;\n3;\n4;\n', map, [
        [1, 1],
        [2, 0],
        [3, 0],
      ]),
    ).toEqual([[1, 1], 'no_mapping', [1, 0]]);
  });

  it('that cannot be read is a fault of the map, in words', async () => {
    const map = { sources: ['a.ts'], mappings: 'AAAA', rangeMappings: '?' };
    expect(await originals('a;', map, [])).toMatch(/main\.js.*cannot be read|rangeMappings/);
  });
});

describe('the name of a mapping', () => {
  it.each<[string, unknown, string | null]>([
    ['of text', 'total', 'total'],
    ['of a number', 7, '7'],
    ['of null', null, null],
    ['without characters', '', null],
    ['of an object', { toString: 1 }, null],
  ])('%s', async (_what, name, shown) => {
    const map = await made('a;', { sources: ['a.ts'], names: [name], mappings: 'AAAAA' });
    if (map.kind !== 'made') throw new Error(map.words);
    const read = async (offset: number, length: number) => map.form.subarray(offset, offset + length);
    expect(await lookUpPlace(read, map.form.length, 0, 0)).toMatchObject({ kind: 'mapped', name: shown });
  });
});

describe('a function map', () => {
  // As Metro writes it: <global> from line 1, load in line 2, <global> behind it, Cart#total from line 5.
  const functions = {
    names: ['<global>', 'load', 'Cart#total'],
    mappings: 'AAA;eCC;CDG;EEC',
  };

  it.each<[number, number, string | null]>([
    [0, 0, '<module>'],
    [1, 14, '<module>'],
    [1, 15, 'load'],
    [3, 40, 'load'],
    [4, 1, '<module>'],
    [5, 2, 'Cart.total'],
    [900, 0, 'Cart.total'],
  ])('names the function around line %i, column %i: %s', (line, column, name) => {
    expect(functionOf(functions, line, column)).toBe(name);
  });

  it('may have lines without a mapping, and names of several lines', () => {
    expect(functionOf({ names: ['a', 'b\n\tc'], mappings: 'AAA;;ACC;' }, 5, 0)).toBe('b c');
  });

  it('that cannot be read names none', () => {
    expect(functionOf({ names: ['a'], mappings: 'A?' }, 0, 0)).toBeNull();
    expect(functionOf({ names: [], mappings: 'AAA' }, 0, 0)).toBeNull();
    expect(functionOf({ names: ['a'], mappings: '' }, 0, 0)).toBeNull();
  });

  it('names functions of sources without text, and not of those whose text can be read', async () => {
    const map = {
      sources: ['App.js', 'load.js', 'none.js'],
      sourcesContent: [null, 'function real() {\n  call();\n}\n', null],
      mappings: 'AAKI,ICJF;ACDA',
      x_facebook_sources: [[functions], [functions], null],
    };
    const sound = await made('a();b();\nc();', map);
    if (sound.kind !== 'made') throw new Error(sound.words);
    const read = async (offset: number, length: number) => sound.form.subarray(offset, offset + length);
    const at = async (line: number, column: number) => {
      const found = await lookUpPlace(read, sound.form.length, line, column);
      return found.kind === 'mapped' ? [found.file, found.mappedFunction] : found.kind;
    };
    expect([await at(0, 0), await at(0, 4), await at(1, 0)]).toEqual([
      ['App.js', 'Cart.total'],
      ['load.js', expect.any(String)],
      ['none.js', null],
    ]);
    expect(sound.facts.probe).toMatchObject({ file: 'load.js', function: 'real' });
  });

  it.each<[string, unknown]>([
    ['a word', 'x'],
    ['numbers', [1, [2], [{ names: 1, mappings: 2 }]]],
    ['more than there are sources', [null, [functions], [functions]]],
    ['an object', { 0: [functions] }],
  ])('that is %s is left out', async (_, sources) => {
    const map = { sources: ['a.ts'], mappings: 'AAAA', x_facebook_sources: sources };
    expect((await made('a;', map)).kind).toBe('made');
  });
});
