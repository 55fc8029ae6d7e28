import { describe, expect, it } from 'vitest';
import { mapChain } from '../../../src/events/fingerprint/stack/mapped-frames.ts';
import { readAnyStack } from '../../../src/events/fingerprint/stack/read-stack.ts';

/** docs/contract/source-maps.md 5.1: which places of a stack source maps are asked about. */

function asked(stack: string, ids: readonly string[] = []) {
  const places: string[] = [];
  const { chain } = mapChain(
    readAnyStack(stack, 'js')?.chain ?? [],
    Object.assign(
      ({ address, line, column }: { address: string; line: number; column: number }) => {
        places.push(`${address} ${line} ${column}`);
        return {
          kind: 'unmapped',
          reason: 'no_mapping',
          facts: { file: address },
          sourceMapId: null,
          wait: null,
        } as const;
      },
      { hasId: (address: string) => ids.includes(address) },
    ),
  );
  return { places, reasons: chain.flatMap(({ frames }) => frames.map(({ map }) => map?.reason ?? null)) };
}

const at = (place: string, name = 'total') => `TypeError: x\n    at ${name} (${place})`;

describe('a file of a library of which no map was uploaded', () => {
  const mapping = (place: string, reason: 'release_without_maps' | 'map_refused') =>
    mapChain(readAnyStack(at(place), 'js')?.chain ?? [], ({ address }) => ({
      ...{ kind: 'unmapped', reason, facts: { file: address }, sourceMapId: null },
      wait: { foundBy: 'file', key: 'shop@1', file: address },
    })).mapping;

  it('needs none where a server loads it as it was published', () => {
    const library = '/srv/shop/node_modules/next/dist/server/base-server.js:5:14';
    expect(mapping(library, 'release_without_maps')).toMatchObject({ asked: 0, unmapped: {}, waits: [] });
    expect(mapping(library, 'map_refused')).toMatchObject({ asked: 1, unmapped: { map_refused: 1 } });
    expect(mapping(`https://shop.example${library}`, 'release_without_maps')).toMatchObject({ asked: 1 });
    expect(mapping('/srv/shop/dist/main.js:5:14', 'release_without_maps')).toMatchObject({
      asked: 1,
      waits: [{ key: 'shop@1' }],
    });
  });
});

describe('the places that are asked', () => {
  it.each<[string, string, string]>([
    ['V8', at('https://shop.example/a.js:1:734'), 'https://shop.example/a.js 1 734'],
    [
      'V8, without a name',
      'TypeError: x\n    at https://shop.example/a.js:1:734',
      'https://shop.example/a.js 1 734',
    ],
    [
      'V8, behind an await',
      at('https://shop.example/a.js:1:734', 'async Cart.total'),
      'https://shop.example/a.js 1 734',
    ],
    [
      'V8, in a constructor',
      at('https://shop.example/a.js:1:734', 'new Cart'),
      'https://shop.example/a.js 1 734',
    ],
    [
      'V8, under another name',
      at('https://shop.example/a.js:1:734', 'Object.t [as total]'),
      'https://shop.example/a.js 1 734',
    ],
    [
      'V8, in evaluated code',
      at('eval at run (https://shop.example/a.js:1:734), <anonymous>:3:7', 'eval'),
      'https://shop.example/a.js 1 734',
    ],
    [
      'V8, with a query and a fragment',
      at('https://shop.example/a.js?v=3&t=1:2#x:1:734'),
      'https://shop.example/a.js?v=3&t=1:2#x 1 734',
    ],
    ['V8, with a port', at('http://10.0.0.7:8080/a.js:1:734'), 'http://10.0.0.7:8080/a.js 1 734'],
    ['V8, of IPv6', at('http://[::1]:8080/a.js:1:734'), 'http://[::1]:8080/a.js 1 734'],
    [
      'V8, on Windows',
      at('C:\\Program Files (x86)\\Shop\\a.js:1:734'),
      'C:\\Program Files (x86)\\Shop\\a.js 1 734',
    ],
    [
      'V8, with blanks and brackets in the folder',
      at('/srv/My App (1)/dist/a.js:1:734'),
      '/srv/My App (1)/dist/a.js 1 734',
    ],
    ['Node modules', at('file:///srv/app/dist/a.mjs:1:734'), 'file:///srv/app/dist/a.mjs 1 734'],
    [
      'Next.js on a server',
      at('/var/task/.next/server/chunks/123.js:1:734'),
      '/var/task/.next/server/chunks/123.js 1 734',
    ],
    ['Cloudflare', at('worker.js:1:734'), 'worker.js 1 734'],
    [
      'Electron on Windows',
      at('file:///C:/Users/Ada/app.asar/dist/a.js:1:734'),
      'file:///C:/Users/Ada/app.asar/dist/a.js 1 734',
    ],
    [
      'Electron by path',
      at('C:\\Users\\Ada\\app.asar\\dist\\a.js:1:734'),
      'C:\\Users\\Ada\\app.asar\\dist\\a.js 1 734',
    ],
    ['Capacitor', at('capacitor://localhost/a.js:1:734'), 'capacitor://localhost/a.js 1 734'],
    ['Cordova', at('file:///android_asset/www/a.js:1:734'), 'file:///android_asset/www/a.js 1 734'],
    ['Tauri', 'total@tauri://localhost/a.js:1:734', 'tauri://localhost/a.js 1 734'],
    [
      'Firefox',
      'total@https://shop.example/a.js:1:734\n@https://shop.example/a.js:1:2',
      'https://shop.example/a.js 1 734',
    ],
    [
      'Firefox, behind an await',
      'async*total@https://shop.example/a.js:1:734',
      'https://shop.example/a.js 1 734',
    ],
    [
      'Firefox, in a promise',
      'promise callback*total@https://shop.example/a.js:1:734',
      'https://shop.example/a.js 1 734',
    ],
    [
      'Firefox, in a nested function',
      'total/<@https://shop.example/a.js:1:734',
      'https://shop.example/a.js 1 734',
    ],
    [
      'Safari',
      'total@https://shop.example/a.js:1:734\nglobal code@https://shop.example/a.js:1:2',
      'https://shop.example/a.js 1 734',
    ],
    [
      'Safari, without a name',
      'https://shop.example/a.js:1:734\ntotal@https://shop.example/a.js:1:7',
      'https://shop.example/a.js 1 734',
    ],
    [
      'Safari, behind an await',
      'async total@https://shop.example/a.js:1:734',
      'https://shop.example/a.js 1 734',
    ],
    ['JavaScriptCore in an app', 'total@main.jsbundle:1:734', 'main.jsbundle 1 734'],
    [
      'Hermes, of bytecode, whose offsets count from 0',
      at('address at index.android.bundle:1:734'),
      'index.android.bundle 1 735',
    ],
    ['Hermes, of text', at('index.android.bundle:1:734'), 'index.android.bundle 1 734'],
    ['Bun', at('/app/dist/server.js:1:734'), '/app/dist/server.js 1 734'],
    ['Deno', at('file:///app/dist/server.js:1:734', 'async fetch'), 'file:///app/dist/server.js 1 734'],
  ])('by %s', (_engine, stack, place) => {
    expect(asked(stack).places[0]).toBe(place);
  });

  it.each<[string, string, string | null]>([
    ['an extension', at('chrome-extension://abcdef/a.js:1:734'), null],
    ['an extension of Firefox', 'total@moz-extension://abcdef/a.js:1:734', null],
    ['the runtime', at('node:internal/process/task_queues:95:5'), null],
    ['native code', 'total@[native code]', null],
    ['the own code of Hermes', at('address at InternalBytecode.js:1:734'), null],
    ['originals of a runtime that maps itself', at('webpack://shop/src/cart.ts:3:9'), 'already_original'],
    ['such originals, whose folder a client left out', at('app:///src/cart.ts:3:9'), 'already_original'],
    ['TypeScript that a runtime ran', at('/srv/app/src/cart.ts:3:9'), 'already_original'],
    [
      'code that Firefox evaluated, of which it gives no column',
      'total@https://shop.example/a.js line 5 > eval:1:734',
      'no_position',
    ],
    ['a development server', at('http://localhost:5173/src/cart.tsx?t=1:3:9'), 'development_build'],
  ])('are none of %s', (_what, stack, reason) => {
    expect(asked(stack)).toEqual({ places: [], reasons: [reason] });
  });

  it('are those of an extension that has debug ids: it is the application', () => {
    const address = 'chrome-extension://abcdef/a.js';
    expect(asked(at(`${address}:1:734`), [address]).places).toEqual([`${address} 1 734`]);
  });
});
