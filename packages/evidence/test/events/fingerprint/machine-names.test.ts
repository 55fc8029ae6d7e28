import { describe, expect, it } from 'vitest';
import { bundleModule, keyFunction, keyModule } from '../../../src/events/fingerprint/key-names.ts';
import { REAL_FILES, REAL_FUNCTIONS } from './real-names.ts';

/** docs/contract/grouping.md 4: what a machine put into a name is no part of the key, and a word never goes. */

describe('a function in the key', () => {
  it.each([
    ['_app_views_users_show_html_erb___1864927411234_47260', '_app_views_users_show_html_erb'],
    ['_app_views_users_show_html_erb___2231117771234_99820', '_app_views_users_show_html_erb'],
    ['_run__2751098237489__process_action__4598743__callbacks', '_run__*__process_action__*__callbacks'],
    ['#<Class:0x00007f8b1c0d3e40>#total', 'Class#total'],
    ['-total/1-fun-3-', 'total'],
    ['-total/1-lc$^0/1-0-', 'total'],
    ['"-total/1-fun-5-"', 'total'],
    ['total.func2.1', 'total'],
    ['total-range1', 'total'],
    ['total.func1-range2', 'total'],
    ['total.deferwrap1', 'total'],
    ['total$lambda$3$lambda$2', 'total'],
    ['lambda$total$0', 'total'],
    ['$anonfun$total$1$adapted', 'total'],
    ['$anonfun$2', '<anonymous>'],
    ['$r8$lambda$Ab_12xyz-AA', '<anonymous>'],
    ['total$1', 'total'],
    ['total.cold.1', 'total'],
    ['total.llvm.1234567', 'total'],
    ['total [clone .part.0]', 'total'],
    ['total@@GLIBC_2.2.5', 'total'],
    ['total::h0123456789abcdef', 'total'],
    ['total::{closure#0}', 'total'],
    ['_ZN4cart5total17h0123456789abcdefE', '_ZN4cart5total'],
    ['Cart_Total_m1A2B3C4D5E6F7A8B9C0D1E2F3A4B5C6D7E8F9A0B', 'Cart_Total'],
    ['camlCart__total_1234', 'Cart__total'],
    ['total_s1a2B_info', 'total'],
    ['total@42-1', 'total'],
    ['<Total>b__12_0', 'Total'],
    ['lambda_method123', 'lambda_method'],
    ['closure #1 in total', 'closure in total'],
    ['content_65a1b2c3d4e5f6_12345678', 'content'],
    ['wasm-function[123]', '<anonymous>'],
    ['0x55d0c0ffee', '<anonymous>'],
    ['55d0c0ffee01', '<anonymous>'],
    ['4711', '<anonymous>'],
  ])('of %s is %s', (written, key) => {
    expect(keyFunction(written)).toBe(key);
  });
});

describe('a module in the key', () => {
  it.each([
    ['<ipython-input-3-abc123def456>', '<ipython-input-*-*>'],
    ['<command-123>', '<command-*>'],
    ['<pyshell#3>', '<pyshell#*>'],
    ['ipykernel_123/456.py', 'ipykernel_*/*.py'],
    ['tmpab12cd/cart.py', 'tmp*/cart.py'],
    ['tmpx7k_2q9z/cart.py', 'tmp*/cart.py'],
    ['tmp/tmpab12cd.py', 'tmp/tmp*.py'],
    ['test_cart0/cart.py', 'test_cart*/cart.py'],
    ['spark-0a1b2c3d-1111-2222-3333-444455556666/cart.py', 'spark-*/cart.py'],
    ['views/0a1b2c3d4e5f60718293a4b5c6d7e8f901234567.php', 'views/*.php'],
    ['__TwigTemplate_0a1b2c3d4e5f60718293a4b5c6d7e8f9', '__TwigTemplate'],
    ['ASP.cart_aspx_a1b2', 'ASP.cart_aspx'],
    ['Submission#12', 'Submission'],
    ['Script12', 'Script'],
    ['Cart$MockitoMock$123456', 'Cart'],
    ['Cart$ByteBuddy$AbC123xY', 'Cart'],
    ['Cart$HibernateProxy$Xy12AbCd', 'Cart'],
    ['Cart_$$_jvst5f6_1', 'Cart'],
    ['build/cart-Bx3nQzTr.mjs', 'build/cart.mjs'],
    ['build/cart-3f9a2c1b.mjs', 'build/cart.mjs'],
    ['chunks/4711.js', 'chunks/*.js'],
    ['ssr/[root-of-the-server]__a1b2c3._.js', 'ssr/[root-of-the-server]_.js'],
  ])('of %s is %s', (written, key) => {
    expect(keyModule(written)).toBe(key);
  });
});

describe('names that people write', () => {
  it('are no names of machines, and no two of them are one', () => {
    expect(REAL_FUNCTIONS.length + REAL_FILES.length).toBeGreaterThan(300);
    expect(REAL_FUNCTIONS.map(keyFunction)).toEqual(REAL_FUNCTIONS);
    expect(REAL_FILES.map(keyModule)).toEqual(REAL_FILES);
    expect(new Set(REAL_FUNCTIONS).size).toBe(REAL_FUNCTIONS.length);
    expect(new Set(REAL_FILES).size).toBe(REAL_FILES.length);
  });
});

/** Reproducible: what fails once fails always. */
function drawing(seed: number) {
  let state = seed;
  return (alphabet: string, length: number) => {
    let text = '';
    for (let index = 0; index < length; index++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      text += alphabet.charAt((state >>> 0) % alphabet.length);
    }
    return text;
  };
}

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const HEX = '0123456789abcdef';
const BASE32 = `${CAPITALS}234567`;
const BASE64 = `${CAPITALS}${CAPITALS.toLowerCase()}0123456789-_`;
const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const PAIRS = 20_000;
/** For bundlers that are like another one; what is exact needs fewer. */
const PAIRS_OF_OTHERS = 2000;

describe('names of one bundle in two builds', () => {
  const draw = drawing(20_260_324);

  it.each([
    ['esbuild', PAIRS, 0, () => `/chunk-${draw(BASE32, 8)}.js`],
    ['esbuild of an entry', PAIRS_OF_OTHERS, 2, () => `/cart-${draw(BASE32, 8)}.js`],
    ['Angular', PAIRS_OF_OTHERS, 0, () => `/main-${draw(BASE32, 8)}.js`],
    ['Vite', PAIRS, 2.5, () => `/assets/cart-${draw(BASE64, 8)}.js`],
    ['SvelteKit', PAIRS_OF_OTHERS, 3.5, () => `/_app/immutable/nodes/3.${draw(BASE64, 8)}.js`],
    ['Nuxt', PAIRS, 3, () => `/_nuxt/${draw(BASE64, 8)}.js`],
    ['Vite with a hash alone', PAIRS_OF_OTHERS, 14, () => `/assets/${draw(BASE64, 8)}.js`],
    ['webpack', PAIRS_OF_OTHERS, 0, () => `/js/cart.${draw(HEX, 20)}.js`],
    ['Rspack', PAIRS_OF_OTHERS, 0, () => `/js/cart.${draw(HEX, 16)}.js`],
    ['webpack of Vue', PAIRS_OF_OTHERS, 1, () => `/js/chunk-${draw(HEX, 8)}.${draw(HEX, 8)}.js`],
    ['Parcel', PAIRS_OF_OTHERS, 0.5, () => `/cart.${draw(HEX, 8)}.js`],
    ['Next.js', PAIRS_OF_OTHERS, 0, () => `/_next/static/chunks/pages/cart-${draw(HEX, 16)}.js`],
    [
      'a chunk of Next.js',
      PAIRS_OF_OTHERS,
      1,
      () => `/_next/static/chunks/${draw(HEX, 8)}-${draw(HEX, 16)}.js`,
    ],
    ['Turbopack', PAIRS_OF_OTHERS, 5, () => `/_next/static/chunks/app_page_tsx_${draw(HEX, 6)}._.js`],
    ['Turbopack of a root', PAIRS_OF_OTHERS, 5, () => `/chunks/[root-of-the-server]__${draw(HEX, 8)}._.js`],
    ['Bun', PAIRS_OF_OTHERS, 2, () => `/chunk-${draw(CROCKFORD, 8)}.js`],
    ['Deno', PAIRS_OF_OTHERS, 0, () => `/_frsh/js/${draw(HEX, 40)}/chunk-${draw(BASE32, 8)}.js`],
    ['Ember', PAIRS_OF_OTHERS, 0, () => `/assets/shop-${draw(HEX, 32)}.js`],
    ['Sprockets', PAIRS_OF_OTHERS, 0, () => `/assets/cart-${draw(HEX, 64)}.js`],
    ['Metro', PAIRS_OF_OTHERS, 0, () => `/_expo/static/js/web/entry-${draw(HEX, 32)}.js`],
    ['SystemJS', PAIRS_OF_OTHERS, 3.5, () => `/assets/cart-legacy-${draw(BASE64, 8)}.js`],
  ])('are one: %s, in %i pairs but %f of a hundred', (_, pairs, splitMax, file) => {
    let split = 0;
    for (let pair = 0; pair < pairs; pair++) {
      const [before, after] = [bundleModule(file()), bundleModule(file())];
      if (before !== after) split += 1;
    }
    expect((100 * split) / pairs).toBeLessThanOrEqual(splitMax);
  });

  it.each([
    ['Astro', 8, () => `chunks/api_${draw(BASE64, 8)}.mjs`],
    ['SvelteKit', 3.5, () => `api/_server.ts.js-${draw(BASE64, 8)}.js`],
    ['Nuxt', 3.5, () => `build/cart-${draw(BASE64, 8)}.mjs`],
    ['a chunk without a name', 3.5, () => `chunks/${draw(BASE64, 8)}.mjs`],
  ])('are one on a server: %s, in all pairs but %f of a hundred', (_, splitMax, file) => {
    let split = 0;
    for (let pair = 0; pair < PAIRS_OF_OTHERS; pair++) {
      const [before, after] = [keyModule(file()), keyModule(file())];
      if (before !== after) split += 1;
    }
    expect((100 * split) / PAIRS_OF_OTHERS).toBeLessThanOrEqual(splitMax);
  });
});
