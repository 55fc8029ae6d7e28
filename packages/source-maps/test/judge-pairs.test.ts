import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Pair } from '../src/check-pair.ts';
import { makeForm } from '../src/make-form.ts';
import { vlq, writeMappings } from './write-mappings.ts';

/** docs/contract/source-maps.md 3.4 and 4.1: what is read of a map, and why one is refused. */

const CODE = 'function total(cart){return cart.items.length}\ntotal(null);\n';
const GOOD = {
  version: 3,
  file: 'a.js',
  sources: ['src/cart.ts'],
  sourcesContent: ['export function total(cart: Cart) {\n  return cart.items.length;\n}\n'],
  names: ['total', 'cart'],
  // The function, its parameter and the value whose property is read.
  mappings: writeMappings([
    [
      { column: 9, original: { source: 0, line: 0, column: 16, name: 0 } },
      { column: 15, original: { source: 0, line: 0, column: 22, name: 1 } },
      { column: 28, original: { source: 0, line: 1, column: 9, name: 1 } },
    ],
  ]),
};

const section = (map: object) => ({ offset: { line: 0, column: 0 }, map });

function pair(map: unknown, more: Partial<Pair> = {}): Pair {
  const text = typeof map === 'string' || Buffer.isBuffer(map) ? map : JSON.stringify(map);
  return {
    path: 'assets/a.js',
    debugId: null,
    generated: Buffer.from(CODE),
    map: Buffer.isBuffer(text) ? text : Buffer.from(text),
    ...more,
  };
}

async function judged(map: unknown, more?: Partial<Pair>) {
  const made = await makeForm(pair(map, more));
  return made.kind === 'made' ? { kind: made.kind, ...made.facts } : made;
}

describe('a map that is used', () => {
  it('is proven by a place that was looked up', async () => {
    expect(await judged(GOOD)).toMatchObject({
      ...{ kind: 'made', segments: 3, sources: 1, hasContents: true, registersId: false },
      probe: { file: 'src/cart.ts', function: 'total', text: expect.stringContaining('cart') },
      fit: { misplaced: 0 },
    });
  });

  it.each<[string, string]>([
    ['a byte order mark', `\ufeff${JSON.stringify(GOOD)}`],
    ['a first line that keeps browsers from running it', `)]}'\n${JSON.stringify(GOOD)}`],
    ['both', `\ufeff)]}'\r\n${JSON.stringify(GOOD)}`],
    ['that prefix on the same line', `)]}'${JSON.stringify(GOOD)}`],
    ['blanks around it', `\n  ${JSON.stringify(GOOD, null, 2)}\r\n`],
    ['a version as text', JSON.stringify({ ...GOOD, version: '3' })],
    ['escaped mappings', JSON.stringify(GOOD).replace('"mappings":"S', '"mappings":"\\u0053')],
    ['unknown members', JSON.stringify({ x_facebook_sources: [[{ names: [] }]], ...GOOD, scopes: 'B' })],
    [
      'members named like those of objects',
      JSON.stringify(GOOD).replace('{', '{"__proto__":{"version":1},"constructor":1,'),
    ],
  ])('may have %s', async (_what, text) => {
    expect(await judged(text)).toMatchObject({ kind: 'made', segments: 3 });
  });

  it.each<[string, object]>([
    ['no contents', { sourcesContent: undefined }],
    ['contents of null', { sourcesContent: [null] }],
    ['too few contents', { sourcesContent: [] }],
    ['no names', { names: undefined, mappings: 'SAAgB,MAAO' }],
    ['names that are numbers', { names: [1, 2] }],
    ['names that are objects', { names: [{ toString: 1, valueOf: 1 }, [null]] }],
    ['a section whose own sections are null', { sections: [section({ ...GOOD, sections: null })] }],
  ])('may have %s', async (_what, change) => {
    expect(await judged({ ...GOOD, ...change })).toMatchObject({ kind: 'made' });
  });

  it.each<[string, Partial<typeof GOOD> & { sourceRoot?: string }, string]>([
    ['a root', { sourceRoot: 'webpack://shop/', sources: ['./src/cart.ts?3f2a'] }, 'src/cart.ts'],
    ['a root without a slash', { sourceRoot: '../..', sources: ['src/cart.ts'] }, 'src/cart.ts'],
    [
      'a root and a source with a scheme',
      { sourceRoot: 'x', sources: ['file:///srv/cart.ts'] },
      '/srv/cart.ts',
    ],
    ['a name with a lone surrogate', { sources: ['src/\ud800.ts'] }, 'src/\ufffd.ts'],
    ['a name like a member of objects', { sources: ['__proto__'] }, '__proto__'],
  ])('may have %s', async (_what, change, file) => {
    expect(await judged({ ...GOOD, ...change })).toMatchObject({ kind: 'made', probe: { file } });
  });

  it('is proven by a place at a word, not inside of one, and may have an empty list of sections', async () => {
    const segment = (column: number) => ({ column, original: { source: 0, line: 1, column: 9, name: null } });
    const mappings = writeMappings([[9, 15, 16, 17, 22, 28].map(segment)]);
    const made = await judged({ ...GOOD, mappings, sections: null });
    // Columns 15, 16 and 17 are the parameter; the middle one of all lies in it.
    expect(made).toMatchObject({
      kind: 'made',
      probe: { file: 'src/cart.ts', line: 2 },
      fit: { misplaced: 3 },
    });
  });

  it('takes its debug id from the file, from the map, or as it was announced', async () => {
    const id = '3E5754C3-637c-455c-8836-7313f9b96d2c';
    const lower = id.toLowerCase();
    expect(await judged({ ...GOOD, debug_id: id })).toMatchObject({ debugId: lower });
    expect(await judged({ ...GOOD, debugId: id, debug_id: 'other' })).toMatchObject({ debugId: lower });
    const generated = Buffer.from(`${CODE}//# debugId=${id}\r\n`);
    expect(await judged(GOOD, { generated })).toMatchObject({ debugId: lower });
  });
});

const DEEP = `{"version":3,"a":${'['.repeat(200_000)}`;
const MANY_SECTIONS = `{"version":3,"sections":[${Array(200_000).fill('{}').join(',')}]}`;

describe('a file that is refused', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['an error page', '<!doctype html><title>404</title>', 'not_json', /«<!doctype ht»/],
    ['a map that is cut off', JSON.stringify(GOOD).slice(0, -20), 'not_json', /cut off/],
    [
      'a source whose text has an escape that is none',
      `)]}'\n${JSON.stringify(GOOD).replace('export', '\\x')}`,
      'not_json',
      /«\{"version":3»/,
    ],
    ['a map with something behind it', `${JSON.stringify(GOOD)}]`, 'not_json', /assets\/a\.js/],
    ['nothing but blanks', '   \n', 'not_json', /is not JSON/],
    ['a list', '[3]', 'not_json', /is not JSON/],
    ['a compressed map', gzipSync(JSON.stringify(GOOD)), 'not_json', /is compressed \(gzip\)/],
    ['a map in UTF-16', Buffer.from(`\ufeff${JSON.stringify(GOOD)}`, 'utf16le'), 'not_json', /in UTF-16/],
    ['other bytes', Buffer.from([0x1b, 0, 0xff, 0x7b]), 'not_json', /«···\{»/],
    ['version 4', { ...GOOD, version: 4 }, 'not_version_3', /version 4/],
    ['no version', { sources: [] }, 'not_version_3', /version none/],
    [
      'sections inside sections',
      { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: { version: 3, sections: [] } }] },
      'bad_mappings',
      /section 1 has sections/,
    ],
    [
      'a section elsewhere',
      { version: 3, sections: [{ offset: { line: 0, column: 0 }, url: 'http://x/' }] },
      'bad_mappings',
      /has no offset or no map/,
    ],
    [
      'a negative offset',
      { version: 3, sections: [{ offset: { line: -1, column: 0 }, map: GOOD }] },
      'bad_mappings',
      /offset of section 1/,
    ],
    ['mappings that are decoded', { ...GOOD, mappings: [[[9, 0, 0, 16]]] }, 'bad_mappings', /no text/],
    ['two fields', { ...GOOD, mappings: 'AA' }, 'bad_mappings', /segment 1: it has 2 fields/],
    ['six fields', { ...GOOD, mappings: 'AAAAAA' }, 'bad_mappings', /more than 5/],
    ['a character of no digit', { ...GOOD, mappings: 'AAAA,!' }, 'bad_mappings', /segment 2/],
    [
      'an escaped character of no digit',
      JSON.stringify({ ...GOOD, mappings: 'AAAA' }).replace('AAAA', '\\u0141AAA'),
      'bad_mappings',
      /segment 1/,
    ],
    [
      'a number that never ends',
      { ...GOOD, mappings: `A${'g'.repeat(40)}` },
      'bad_mappings',
      /too large|within a number/,
    ],
    ['a number beyond 32 bits', { ...GOOD, mappings: `${vlq(2 ** 32)}AAA` }, 'bad_mappings', /too large/],
    ['a column that is negative', { ...GOOD, mappings: 'DAAA' }, 'bad_mappings', /negative/],
    ['an original line that is negative', { ...GOOD, mappings: 'AADA' }, 'bad_mappings', /line -1/],
    ['a source that is not there', { ...GOOD, mappings: 'ACAA' }, 'bad_mappings', /source 1 of 1/],
    ['a name that is not there', { ...GOOD, mappings: 'AAAAE' }, 'bad_mappings', /name 2 of 2/],
    ['brackets without end', DEEP, 'bad_mappings', /nests deeper/],
    ['sections that are empty', MANY_SECTIONS, 'bad_mappings', /section 1/],
    [
      'a source of another build',
      { ...GOOD, mappings: Array.from({ length: 9 }, (_, n) => `${n === 0 ? vlq(3) : 'E'}AAA`).join(',') },
      'map_not_of_file',
      /begin inside a word/,
    ],
    [
      'places behind the end of their lines',
      { ...GOOD, mappings: Array.from({ length: 9 }, () => `${vlq(500)}AAA`).join(',') },
      'map_not_of_file',
      /9 of 9/,
    ],
  ])('%s', async (_what, map, problem, words) => {
    const made = await judged(map);
    expect(made).toMatchObject({ kind: 'refused', problem });
    expect('words' in made ? made.words : '').toMatch(words);
  });

  it('of another version of the application, though nearly all of it are libraries', async () => {
    const library = 'lib(dep);'.repeat(3000);
    const own = (names: string) => `run(${names});`.repeat(12);
    const segment = (source: number, column: number, line: number) => ({
      column,
      original: { source, line, column: 0, name: null },
    });
    const calls = (source: number, at: number, each: number, count: number) =>
      Array.from({ length: count }, (_, n) => segment(source, at + n * each, n));
    const map = {
      ...{ version: 3, sources: ['node_modules/lib/index.js', 'src/main.ts'], names: [] },
      mappings: writeMappings([
        [...calls(0, 0, 'lib(dep);'.length, 3000), ...calls(1, library.length, 'run(total);'.length, 12)],
      ]),
    };
    const of = (code: string) => judged(map, { generated: Buffer.from(code) });
    expect(await of(library + own('total'))).toMatchObject({ kind: 'made', fit: { misplaced: 0 } });
    // All places of calls but the first one lie in words of the calls before.
    expect(await of(`${library}/**/${own('total')}`)).toMatchObject({
      ...{ kind: 'refused', problem: 'map_not_of_file' },
      fit: { sampled: 12, misplaced: 11 },
    });
  });

  it('for debug ids of two builds', async () => {
    const [a, b] = ['aaaaaaaa-637c-455c-8836-7313f9b96d2c', 'bbbbbbbb-637c-455c-8836-7313f9b96d2c'];
    expect(await judged({ ...GOOD, debugId: a }, { debugId: b })).toMatchObject({
      ...{ kind: 'refused', problem: 'debug_ids_differ' },
      words: expect.stringContaining(a),
    });
    const generated = Buffer.from(`${CODE}//# debugId=${b}\n`);
    expect(await judged({ ...GOOD, debugId: a }, { generated })).toMatchObject({
      problem: 'debug_ids_differ',
    });
  });

  it.each<[string, object]>([
    ['no mappings', { mappings: '' }],
    ['lines alone', { mappings: ';;;;' }],
    ['segments that map nothing', { mappings: 'A,C,E' }],
    ['sources without a name', { sources: [null] }],
    ['a source of an empty name', { sources: [''] }],
  ])('is skipped with %s', async (_what, change) => {
    expect(await judged({ ...GOOD, ...change })).toMatchObject({ kind: 'skipped', problem: 'map_empty' });
  });
});
