import { describe, expect, it } from 'vitest';
import { sourceFunctions } from '../src/function-names.ts';
import { lookUpPlace } from '../src/look-up.ts';
import { makeForm } from '../src/make-form.ts';
import { isForeignSource, joinedSource, originalFile } from '../src/original-file.ts';
import { type Segment, writeMappings } from './write-mappings.ts';

/** Maps as compilers, bundlers and frameworks write them (docs/contract/source-maps.md 4 and 5.3). */

const ORIGINAL = [
  'interface Cart { items: string[] }',
  'export function total(cart: Cart) {',
  '  return cart.items.length;',
  '}',
  '',
].join('\n');
const CODE = 'function t(n){return n.items.length}t(null);\n';

interface Built {
  code?: string;
  map?: Record<string, unknown>;
  /** A text of the generated file and the one of the original to which it leads. */
  words?: readonly (readonly [generated: string, original: string])[];
  original?: string;
  /** How the tool divides texts into lines. */
  lineEnd?: { generated?: RegExp; original?: RegExp };
}

const LF = /\n/;
/** Those of ECMA-262, which engines count. */
const LINES = /\r\n|[\n\r\u2028\u2029]/;

function placeOf(text: string, word: string, lineEnd: RegExp): { line: number; column: number } {
  const at = text.indexOf(word);
  if (at < 0) throw new Error(`there is no ${word}`);
  const before = text.slice(0, at).split(lineEnd);
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}

const WORDS = [
  ['t(n)', 'total'],
  ['n.items', 'cart.items'],
  ['items', 'items.length'],
] as const;

/** A map of the words alone. */
function mapOf({
  code: file = CODE,
  original = ORIGINAL,
  words = WORDS,
  lineEnd = {},
  map = {},
}: Built): object {
  // Engines and compilers count columns without the mark.
  const code = file.replace('\ufeff', '');
  const lines: Segment[][] = code.split(lineEnd.generated ?? LF).map(() => []);
  for (const [generated, source] of words) {
    const { line, column } = placeOf(code, generated, lineEnd.generated ?? LF);
    const to = placeOf(original, source, lineEnd.original ?? LF);
    lines[line]?.push({ column, original: { source: 0, ...to, name: null } });
  }
  return {
    version: 3,
    sources: ['src/cart.ts'],
    sourcesContent: [original],
    names: [],
    mappings: writeMappings(lines.map((line) => line.toSorted((a, b) => a.column - b.column))),
    ...map,
  };
}

/** What a frame of an engine at a text of the generated file leads to. */
async function found(built: Built, word = 'n.items', debugId: string | null = null) {
  const { code = CODE } = built;
  const made = await makeForm({
    ...{ path: 'assets/a.js', debugId, generated: Buffer.from(code) },
    map: Buffer.from(JSON.stringify(mapOf(built))),
  });
  if (made.kind !== 'made') return { kind: made.problem, words: made.words };
  const { form } = made;
  const read = async (offset: number, length: number) => form.subarray(offset, offset + length);
  const { line, column } = placeOf(code.replace('\ufeff', ''), word, LINES);
  const place = await lookUpPlace(read, form.length, line, column);
  if (place.kind !== 'mapped') return { kind: place.kind };
  const functions = place.text === null ? null : sourceFunctions(place.file, place.text);
  return {
    ...{ kind: place.kind, file: place.file, line: place.line + 1, own: place.own },
    ...{ text: place.lines((text) => text)?.text ?? null, debugId: made.facts.debugId },
    function: place.offset === null ? null : (functions?.nameAt(place.offset) ?? null),
  };
}

const CART = { kind: 'mapped', file: 'src/cart.ts', line: 3, own: true, function: 'total' };

describe('a generated file', () => {
  it.each<[string, Built]>([
    ['with CRLF', { code: `/* a */\r\n${CODE}` }],
    [
      'whose license holds U+2028, which its bundler counts as a line',
      {
        code: `/*! \u2028 */${CODE}`,
        lineEnd: { generated: LINES },
      },
    ],
    ['whose license holds U+2028, which its bundler does not count', { code: `/*! \u2028 */${CODE}` }],
    [
      'with a template that holds U+2029, which its bundler does not count',
      {
        code: `var s=\`\u2029\`;${CODE}`,
      },
    ],
    ['with a CR alone in a template, which its bundler does not count', { code: `var s=\`\r\`;${CODE}` }],
    ['with emoji before the place', { code: `var s="\u{1f600}\u{1f680}é";${CODE}` }],
    ['with a byte order mark', { code: `\ufeff${CODE}`, words: WORDS }],
    [
      'with a debug id of Bun',
      {
        code: `${CODE}//# debugId=6D5B3C9B6F3A2E1764756E2164756E21\n//# sourceMappingURL=a.js.map\n`,
        map: { debugId: '6D5B3C9B6F3A2E1764756E2164756E21' },
      },
    ],
    [
      'with a comment of a bundled library that has an id of its own',
      {
        code: `function u(){}\n//# debugId=11111111-1111-4111-8111-111111111111\n${CODE}`,
        map: { debugId: '22222222-2222-4222-8222-222222222222' },
      },
    ],
    [
      'with comments behind that of its id',
      {
        code: `${CODE}//# debugId=22222222-2222-4222-8222-222222222222\n//# sourceMappingURL=a.js.map\n/* served by a proxy */\n`,
        map: { debugId: '22222222-2222-4222-8222-222222222222' },
      },
    ],
    ['whose map has an id that is none', { map: { debugId: 'main-bundle' } }],
    ['whose map has a null id', { map: { debugId: null, debug_id: null } }],
  ])('%s', async (_what, built) => {
    expect(await found(built)).toMatchObject(CART);
  });

  it('of Bun has one debug id in file, map and upload', async () => {
    const bun = '6D5B3C9B6F3A2E1764756E2164756E21';
    const uuid = '6d5b3c9b-6f3a-2e17-6475-6e2164756e21';
    const built = { code: `${CODE}//# debugId=${bun}\n`, map: { debugId: bun } };
    expect(await found(built)).toMatchObject({ debugId: uuid });
    expect(await found(built, 'n.items', uuid)).toMatchObject({ debugId: uuid });
    expect(await found({ map: { debugId: 'main-bundle' } })).toMatchObject({ debugId: null });
  });
});

describe('bytecode of Hermes', () => {
  const bytes = Buffer.concat([Buffer.from('c61fbc03c103191f', 'hex'), Buffer.alloc(400, 0x61)]);
  const map = (column: number) => ({
    ...{ version: 3, sources: ['/shop/src/cart.ts'], sourcesContent: [ORIGINAL], names: [] },
    mappings: writeMappings([[{ column, original: { source: 0, line: 2, column: 9, name: null } }]]),
  });
  const made = (column: number) =>
    makeForm({
      ...{ path: 'index.android.bundle', debugId: null, generated: bytes },
      map: Buffer.from(JSON.stringify(map(column))),
    });

  it('has its places at offsets of bytes', async () => {
    const form = await made(200);
    expect(form).toMatchObject({
      kind: 'made',
      facts: { probe: { file: '/shop/src/cart.ts', line: 3, function: 'total' } },
    });
    const packed = form.kind === 'made' ? form.form : Buffer.alloc(0);
    const read = async (offset: number, length: number) => packed.subarray(offset, offset + length);
    expect(await lookUpPlace(read, packed.length, 0, 210)).toMatchObject({ kind: 'mapped', line: 2 });
    expect(await lookUpPlace(read, packed.length, 0, 199)).toEqual({ kind: 'no_mapping' });
    expect(await lookUpPlace(read, packed.length, 0, 500)).toEqual({ kind: 'position_outside_file' });
  });
});

describe('a map without columns', () => {
  const cheap = async (code: string, mappings: string, sourcesContent = ['a\nb\nc\n']) => {
    const map = { version: 3, sources: ['src/cart.ts'], sourcesContent, names: [], mappings };
    const form = await makeForm({
      ...{ path: 'main.js', debugId: null, generated: Buffer.from(code) },
      map: Buffer.from(JSON.stringify(map)),
    });
    const packed = form.kind === 'made' ? form.form : Buffer.alloc(0);
    const read = async (offset: number, length: number) => packed.subarray(offset, offset + length);
    return async (line: number, column: number) => await lookUpPlace(read, packed.length, line, column);
  };

  it('leads nowhere from the one line of a minified file', async () => {
    const place = await cheap('a();'.repeat(200), 'AAAA');
    expect(await place(0, 0)).toEqual({ kind: 'lines_only' });
    expect(await place(0, 400)).toEqual({ kind: 'lines_only' });
  });

  it('leads nowhere from a short line that is far longer than the one of the original', async () => {
    const place = await cheap('a();'.repeat(60), 'AAAA', ['a();\n'.repeat(60)]);
    expect(await place(0, 200)).toEqual({ kind: 'lines_only' });
    expect(await place(0, 20)).toMatchObject({ kind: 'mapped', line: 0 });
  });

  it('leads from a short line that a compiler made longer', async () => {
    const place = await cheap('a();'.repeat(60), 'AAAA', ['a();'.repeat(40)]);
    expect(await place(0, 200)).toMatchObject({ kind: 'mapped', line: 0 });
  });

  it('leads from a line of a file that is not minified', async () => {
    const place = await cheap('a();\nb();\nc();\n', 'AAAA;AACA;AACA');
    expect(await place(2, 1)).toMatchObject({ kind: 'mapped', line: 2 });
  });

  it('is not one whose line has more than one place', async () => {
    const place = await cheap('a();'.repeat(200), 'AAAA,IACA');
    expect(await place(0, 400)).toMatchObject({ kind: 'mapped', line: 1 });
  });
});

describe('an original', () => {
  const of = (original: string) => original + ORIGINAL;
  it.each<[string, Built, number]>([
    ['with CRLF', { original: ORIGINAL.replaceAll('\n', '\r\n') }, 3],
    [
      'with U+2028 in a string, which its compiler counts as a line',
      {
        original: of("const s = 'a\u2028b';\n"),
        lineEnd: { original: LINES },
      },
      5,
    ],
    [
      'with U+2028 in a string, which its compiler does not count',
      { original: of("const s = 'a\u2028b';\n") },
      4,
    ],
    ['with emoji', { original: of("const s = '\u{1f600}';") }, 3],
    ['with a form feed', { original: of('\f\n') }, 4],
  ])('%s', async (_what, built, line) => {
    expect(await found(built)).toMatchObject({
      ...CART,
      line,
      text: expect.stringContaining('return cart.items.length'),
    });
  });

  it.each<[string, Built, string | null]>([
    ['that is empty has no function', { map: { sourcesContent: [''] } }, null],
    [
      'that is shorter than the map says has no function',
      { map: { sourcesContent: ['// another version\n'] } },
      null,
    ],
    [
      'of another compiler language has none',
      {
        map: { sources: ['src/cart.kt'], sourcesContent: ['fun total(cart: Cart) =\n  cart.items.size\n\n'] },
      },
      null,
    ],
    [
      'that is the script block of a component alone',
      { map: { sources: ['src/Cart.vue?vue&type=script&lang=ts'] } },
      'total',
    ],
    [
      'without an extension',
      {
        map: {
          sources: ['src/cart'],
          sourcesContent: [ORIGINAL.replace(/interface.*/, '').replace(': Cart', '')],
        },
      },
      'total',
    ],
  ])('%s', async (_what, built, name) => {
    expect(await found(built)).toMatchObject({ kind: 'mapped', function: name });
  });

  it('that is a component has its script, and what is outside of it is the template', async () => {
    const original = `<template>\n  <p>{{ cart.items }}</p>\n</template>\n<script setup lang="ts">\n${ORIGINAL}</script>\n`;
    const built = { original, map: { sources: ['src/Cart.vue'] } };
    expect(await found({ ...built, words: [['n.items', 'cart.items.length']] })).toMatchObject({
      function: 'total',
    });
    expect(await found({ ...built, words: [['n.items', 'cart.items']] })).toMatchObject({
      function: '<template>',
    });
  });
});

describe('the name of a source', () => {
  it.each<[string, string, string | null, string]>([
    ['webpack, of a package with a scope', 'webpack://@acme/shop/./src/cart.ts', null, 'src/cart.ts'],
    [
      'webpack, above its folder',
      'webpack://shop/../../libs/cart/src/cart.ts',
      null,
      'libs/cart/src/cart.ts',
    ],
    ['webpack, with a loader', 'webpack://shop/./src/Cart.vue?vue&type=script&lang=ts', null, 'src/Cart.vue'],
    ['webpack, with the name of a library', 'webpack://MyLibrary.[name]/./src/cart.ts', null, 'src/cart.ts'],
    ['webpack of old', 'webpack:///./~/url/url.js', null, 'node_modules/url/url.js'],
    ['Next.js', 'webpack://_N_E/./src/app/[slug]/page.tsx?b5e2', null, 'src/app/[slug]/page.tsx'],
    ['Turbopack', 'turbopack:///[project]/apps/web/src/cart.ts', null, 'apps/web/src/cart.ts'],
    ['Turbopack of Next.js 14', 'turbopack://[project]/src/cart.ts', null, 'src/cart.ts'],
    [
      'Turbopack, with its layer',
      'turbopack:///[project]/src/cart.ts [app-client] (ecmascript)',
      null,
      'src/cart.ts',
    ],
    ['Rspack', 'webpack://shop/./src/cart.ts', null, 'src/cart.ts'],
    ['Vite', '../../src/cart.ts', null, 'src/cart.ts'],
    ['Vite, with a query', '../../src/Cart.vue?vue&type=script&setup=true&lang.ts', null, 'src/Cart.vue'],
    ['Parcel', 'src/cart.ts', '/__parcel_source_root/', 'src/cart.ts'],
    ['Parcel, beside its folder', 'src/cart.ts', '../', 'src/cart.ts'],
    ['tsc', '../src/cart.ts', '', 'src/cart.ts'],
    ['tsc, with a root', 'cart.ts', 'https://cdn.example/src', 'src/cart.ts'],
    ['Angular', './src/app/cart.ts', 'webpack:///', 'src/app/cart.ts'],
    ['Metro', '/Users/ada/shop/src/cart.ts', null, '/Users/ada/shop/src/cart.ts'],
    ['an esbuild plugin', 'vue:src/Cart.vue', null, 'src/Cart.vue'],
    ['SvelteKit', '../../../../src/routes/+page.svelte', null, 'src/routes/+page.svelte'],
    ['Electron on Windows', 'file:///D:/shop/src/cart.ts', null, '/shop/src/cart.ts'],
    ['Deno', 'file:///srv/shop/cart.ts', null, '/srv/shop/cart.ts'],
    ['wrangler', '../../../src/index.ts', null, 'src/index.ts'],
    ['Windows, beside a root', 'C:\\shop\\src\\cart.ts', '../', '/shop/src/cart.ts'],
    ['Windows, from the root of its drive', '\\shop\\src\\cart.ts', 'src', '/shop/src/cart.ts'],
    ['Windows, without a limit of length', '\\\\?\\C:\\shop\\src\\cart.ts', null, '/shop/src/cart.ts'],
    [
      'a writer of stacks',
      'src/a\n    at evil%0A%1B%5B2J\u2028/cart.ts',
      null,
      'src/a    at evil[2J/cart.ts',
    ],
    ['a long path', `src/${'x'.repeat(2000)}/cart.ts`, null, `${'x'.repeat(992)}/cart.ts`],
    ['a worker', 'webpack-internal:///./src/cart.worker.ts', null, 'src/cart.worker.ts'],
  ])('of %s', (_tool, source, root, file) => {
    expect(originalFile(joinedSource(root, source))).toBe(file);
  });

  it.each([
    'webpack://@acme/shop/webpack/runtime/chunk loaded',
    'webpack://shop/webpack/bootstrap',
    'webpack:///(webpack)/buildin/global.js',
    'webpack://shop/external "react"',
    'webpack://shop/ignored|/shop/src|fs',
    'webpack:///./~/url/url.js',
    'turbopack:///[turbopack]/browser/runtime/base/runtime-base.ts',
    'turbopack://[turbopack]/shared/runtime-utils.ts',
    'turbopack:///[next]/internal/font/google/inter.js',
    'turbopack:///[externals]/node:fs',
    '\0commonjsHelpers.js',
    '../../\0vite/preload-helper.js',
    '../../virtual:pwa-register',
    '../../.svelte-kit/generated/client/app.js',
    'https://deno.land/std@0.224.0/async/retry.ts',
    'https://esm.sh/preact@10/hooks.js',
    '__prelude__',
    'angular:polyfills:angular:polyfills',
    '../../../../../core-js/internals/fails.js',
    '../../../../../systemjs/dist/s.min.js',
    '../k8-fastbuild-ST-fdfa778d11ba/bin/packages/core/primitives/signals/src/graph.ts',
    'node-modules-polyfills:buffer',
    '../../.nuxt/nuxt.d.ts',
    '<define:process.env>',
    'webpack://shop/./src/locales/ sync ^\\.\\/(?!de).*\\.json$',
    'webpack:///./src/locales lazy recursive ^\\.\\/.*$',
    'webpack://shop/./src sync',
    '/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/panicking.rs',
    '/home/ci/.cargo/registry/src/index-6f17d22bba15001f/wasm-bindgen-0.2.92/src/lib.rs',
    'org-dartlang-sdk:///lib/core/list.dart',
    'npm:lodash@4.17.21',
    'https://raw.githubusercontent.com/scala-js/scala-js/v1.13.0/library/src/main/scala/a.scala',
  ])('%s is no code of the application', (source) => {
    expect(isForeignSource(source, originalFile(source))).toBe(true);
  });

  it.each([
    'webpack://@acme/shop/./src/webpack/setup.ts',
    'turbopack:///[project]/app/[slug]/page.tsx',
    '../src/virtual/list.ts',
    'src/next/step.ts',
    'https://cdn.example/src/cart.ts',
    'src/ignored.ts',
    'src/core-js/internals.ts',
    'webpack://shop/./src/Cart.vue?./node_modules/babel-loader/lib/index.js!./node_modules/vue-loader/dist/index.js',
    'webpack://shop/./src/my sync file.ts',
  ])('%s is', (source) => {
    expect(isForeignSource(source, originalFile(source))).toBe(false);
  });
});
