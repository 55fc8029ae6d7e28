import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PARSED_CHARS_MAX, sourceFunctions } from '../src/function-names.ts';
import { functionAt, functionTable } from '../src/function-table.ts';
import { isForeignSource, originalFile } from '../src/original-file.ts';
import { scriptOf } from '../src/script-of-source.ts';

/** docs/contract/source-maps.md 4.4 to 4.6. */

describe('the name of an original file', () => {
  it.each<[string, string]>([
    ['webpack://shop/./src/cart.ts?3f2a', 'src/cart.ts'],
    ['webpack:///./src/cart.ts', 'src/cart.ts'],
    ['webpack:///src/cart.ts', 'src/cart.ts'],
    ['webpack-internal:///./src/cart.ts', 'src/cart.ts'],
    ['../../../src/cart.ts', 'src/cart.ts'],
    ['./src/./a/../cart.ts', 'src/cart.ts'],
    ['turbopack:///[project]/src/cart.ts', 'src/cart.ts'],
    ['turbopack:///src/cart.ts', 'src/cart.ts'],
    ['C:\\shop\\src\\cart.ts', '/shop/src/cart.ts'],
    ['file:///C:/shop/src/cart.ts', '/shop/src/cart.ts'],
    ['file:///srv/shop/cart.ts', '/srv/shop/cart.ts'],
    ['/srv/shop/cart.ts', '/srv/shop/cart.ts'],
    ['https://cdn.example/app/cart.ts', 'app/cart.ts'],
    ['app:///src/cart.ts', 'src/cart.ts'],
    ['ng:///AppModule/AppComponent.ngfactory.js', 'AppModule/AppComponent.ngfactory.js'],
    ['../node_modules/.pnpm/a@1/node_modules/a/index.js', 'node_modules/a/index.js'],
    ['\0vite/preload-helper.js', 'vite/preload-helper.js'],
    ['src/[slug]/page.tsx', 'src/[slug]/page.tsx'],
    ['turbopack:///[project]/src/app/%5Bslug%5D/page.tsx', 'src/app/[slug]/page.tsx'],
    ['turbopack:///[project]/node_modules/%40shop/cart/index.js', 'node_modules/@shop/cart/index.js'],
    [
      'turbopack:///[project]/node_modules/next/dist/app-page.js%3Fpage%3D/page',
      'node_modules/next/dist/app-page.js',
    ],
    ['webpack://_N_E/./src/app/%5Bslug%5D/page.tsx?3f2a', 'src/app/[slug]/page.tsx'],
    ['file:///srv/my%20shop/cart.ts', '/srv/my shop/cart.ts'],
    ['webpack://shop/./src/100%.ts', 'src/100%.ts'],
    // esbuild and Terser encode relative names too.
    ['../src/routes/%5Bslug%5D/gr%C3%B6%C3%9Fe%20%231.ts', 'src/routes/[slug]/größe #1.ts'],
    ['src/100%25.ts', 'src/100%.ts'],
    ['src/100%.ts', 'src/100%.ts'],
    ['', ''],
    ['..', ''],
  ])('of %s is %s', (source, file) => {
    expect(originalFile(source)).toBe(file);
  });

  it.each([
    '\0commonjsHelpers.js',
    '../node_modules/react/index.js',
    'webpack/bootstrap',
    'external "react"',
    'virtual:routes',
  ])('says that %s is foreign', (source) => {
    expect(isForeignSource(source, originalFile(source))).toBe(true);
  });

  it.each(['src/cart.ts', 'lib/vite.ts', 'app/external.ts'])('says that %s is own', (source) => {
    expect(isForeignSource(source, originalFile(source))).toBe(false);
  });
});

/** The name of the function around the mark `|` of a text. */
function nameIn(text: string, file = 'a.ts'): string | null {
  const at = text.indexOf('|');
  return sourceFunctions(file, text.replace('|', ' '))?.nameAt(at) ?? null;
}

describe('the name of a function', () => {
  it.each<[string, string, string?]>([
    ['function run() { | }', 'run'],
    ['const a = function named() { | }', 'named'],
    ['class Cart { total() { | } }', 'Cart.total'],
    ['class Cart { #total() { | } }', 'Cart.#total'],
    ['class Cart { get total() { | } }', 'Cart.total'],
    ['class Cart { static of() { | } }', 'Cart.of'],
    ['class Cart { handler = () => { | } }', 'Cart.handler'],
    ['class Cart { constructor() { | } }', 'new Cart'],
    ['const Cart = class { total() { | } }', 'Cart.total'],
    ['const api = { open() { | } }', 'open'],
    ['const api = { "with dash": () => { | } }', 'with dash'],
    ['api.legacy = function () { | }', 'legacy'],
    ['const send = async () => { | }', 'send'],
    ['const View = memo(() => { | })', 'View', 'a.tsx'],
    ['const onClick = useCallback(async () => { | }, [])', 'onClick'],
    ['export default () => { | }', 'default'],
    ['function run() { items.map((each) => { | }) }', 'run.<anonymous>'],
    ['items.map((each) => { | })', '<anonymous>'],
    ['const x = 1; |', '<module>'],
    ['function outer() { function inner() { } | }', 'outer'],
    ['enum A { B } function run(this: Cart, x?: number): asserts x is number { | }', 'run'],
    ['@decorated class Cart { @bound total(@inject x: X) { | } }', 'Cart.total'],
    ['const App = () => <div onClick={() => { | }}>hi</div>', 'App.<anonymous>', 'a.tsx'],
    ['// @flow\nfunction run(x: ?string): void { | }', 'run', 'a.js'],
    ['function run() {\r\n  |\r\n}', 'run'],
    ['const s = "\u{1f600}"; function run() { | }', 'run'],
    ['function broken( { if (x { \nfunction run() { | }', 'run'],
  ])('around the mark of %s is %s', (text, name, file) => {
    const found = nameIn(text, file);
    // What cannot be read at all falls back to the name of the call.
    if (text.startsWith('function broken')) expect([null, name]).toContain(found);
    else expect(found).toBe(name);
  });

  // Firefox, and Safari for some, report a failure in a parameter where a bundler mapped the name alone.
  it.each<[string, string, string]>([
    ['const discount = ({ first: { second } }) => second', 'discount', 'discount'],
    ['const api = { open: ({ key }) => key }', 'open', 'open'],
    ['class Cart { handler = ({ key }) => key }', 'handler', 'Cart.handler'],
    ['const total = sum(({ key }) => key)', 'total', '<module>'],
    ['const api = { [open()]: ({ key }) => key }', 'open', '<module>'],
  ])('in %s is at %s that of the function that has it', (text, given, name) => {
    expect(sourceFunctions('a.ts', text)?.nameAt(text.indexOf(given))).toBe(name);
  });

  it.each<[string, string, string]>([
    [
      'a.vue',
      '<template><p v-if="a < b">x</p></template>\n<script setup lang="ts">\nfunction run(a: string) { | }\n</script>',
      'run',
    ],
    [
      'a.svelte',
      '<script>\n  const send = () => { | }\n</script>\n<button on:click={send}>x</button>',
      'send',
    ],
    ['a.astro', '---\nconst load = async () => { | }\n---\n<h1>{title}</h1>', 'load'],
  ])('in %s is that of its script', (file, text, name) => {
    expect(nameIn(text, file)).toBe(name);
  });

  it('is not looked for in texts that are too large, nested without end, or of another language', () => {
    expect(sourceFunctions('a.ts', ' '.repeat(PARSED_CHARS_MAX + 1))).toBeNull();
    expect(sourceFunctions('a.js', '['.repeat(200_000))?.nameAt(0)).toBeNull();
    expect(sourceFunctions('a.css', '.a { }')).toBeNull();
  });

  // Statements that lie at the beginning of a line, though they are inside of something.
  const UNINDENTED = `
export function outer() {
const first = 1;
return first.map(() => 0);
const last = 2;
}
/*
function commented() {
*/
const page = \`
function quoted() {
  // No code is here, so no place.
}
const other = 2;
\`;
items.forEach(() => 1);
export default class {
  static made = 2;
  run() { return 3; }
}
let handlers =
{
  open() { return 4; }
}
${'// Otherwise all of it is read at once.\n'.repeat(60)}`;

  it('is the same where one statement is read as where all of the text is', () => {
    const folder = new URL('../src/', import.meta.url);
    const texts = readdirSync(folder).map(
      (file) => [file, readFileSync(new URL(file, folder), 'utf8')] as const,
    );
    let compared = 0;
    for (const [file, text] of [...texts, ['unindented.ts', UNINDENTED] as const]) {
      const script = scriptOf(file, text);
      if (script === null) throw new Error(`${file} is no script`);
      const whole = functionTable(script.text, script.plugins, true);
      const places = [...text.matchAll(/return |=> |made = /g)].map(({ index }) => index);
      for (const at of places) {
        // Each place with a reader of its own, so that none has read all of the text before.
        const name = sourceFunctions(file, text)?.nameAt(at);
        expect([file, at, name]).toEqual([file, at, functionAt(whole, at) ?? '<module>']);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(200);
  });
});
