import { describe, expect, it } from 'vitest';
import { chooseMap } from '../../src/maps/lookup/choose-map.ts';
import type { NamedMap } from '../../src/maps/lookup/names.queries.ts';

/** docs/contract/source-maps.md 5.2: which file of a release an address means. */

const named = (path: string): NamedMap => ({
  ...{ sourceMapId: path, path, debugId: null, objectKey: path, storedBytes: 1 },
  ...{ removedReason: null, removedAtMs: null, createdAtMs: 0 },
});
const chosen = (address: string, paths: readonly string[], pageHost: string | null = null) => {
  const choice = chooseMap(address, paths.map(named), pageHost);
  return choice.kind === 'found' ? choice.map.path : choice.kind;
};

const ANGULAR = 'main-5MZQEVDA.js';
const VITE = 'index-CaUdZvQx.js';

describe('the file that an address means', () => {
  it.each<[string, string, string[], string]>([
    ['with a version in the query', 'https://shop.example/assets/a.js?v=3', ['assets/a.js'], 'assets/a.js'],
    ['with a fragment', 'https://shop.example/a.js#x/y.js', ['a.js'], 'a.js'],
    [
      'with the query of a deployment of Next.js',
      'https://shop.example/_next/static/chunks/1a-2b.js?dpl=dpl_9',
      ['static/chunks/1a-2b.js'],
      'static/chunks/1a-2b.js',
    ],
    [
      'with an asset prefix',
      'https://cdn.example/v7/_next/static/chunks/1a.js',
      ['static/chunks/1a.js'],
      'static/chunks/1a.js',
    ],
    [
      'with escaped characters',
      'https://shop.example/app/%5Bslug%5D/a%20b.js',
      ['app/[slug]/a b.js'],
      'app/[slug]/a b.js',
    ],
    ['that is not well escaped', 'https://shop.example/a%.js', ['a%.js'], 'a%.js'],
    ['with a port', 'http://10.0.0.7:8080/assets/a.js', ['assets/a.js'], 'assets/a.js'],
    ['of Capacitor', 'capacitor://localhost/assets/a.js', ['dist/assets/a.js'], 'dist/assets/a.js'],
    ['of Ionic on Android', 'http://localhost/assets/a.js', ['assets/a.js'], 'assets/a.js'],
    [
      'of Capacitor, with the port that a client left',
      'app:///:8080/main.8f52b672fcdd06fc.js',
      ['www/main.8f52b672fcdd06fc.js'],
      'www/main.8f52b672fcdd06fc.js',
    ],
    [
      'of a page, with a scheme that a client put in front',
      'app:///https://shop.example/assets/a.js',
      ['assets/a.js'],
      'assets/a.js',
    ],
    [
      'of Next.js, whose folder has another name on the disk',
      'https://shop.example/_next/static/chunks/1a.js',
      ['apps/web/.next/static/chunks/1a.js'],
      'apps/web/.next/static/chunks/1a.js',
    ],
    ['of Cordova', 'file:///android_asset/www/js/a.js', ['www/js/a.js'], 'www/js/a.js'],
    ['of Tauri', 'tauri://localhost/assets/a.js', ['assets/a.js'], 'assets/a.js'],
    [
      'of Electron',
      'file:///C:/Users/Ada/AppData/Local/Programs/shop/resources/app.asar/dist/main.js',
      ['dist/main.js'],
      'dist/main.js',
    ],
    ['of React Native', 'index.android.bundle', ['index.android.bundle'], 'index.android.bundle'],
    [
      'of React Native on iOS',
      '/var/containers/Bundle/Application/4F/Shop.app/main.jsbundle',
      ['main.jsbundle'],
      'main.jsbundle',
    ],
    ['of a worker of Cloudflare', 'worker.js', ['dist/worker.js'], 'dist/worker.js'],
    ['of Lambda', '/var/task/index.js', ['index.js'], 'index.js'],
    ['of Windows', 'C:\\srv\\shop\\dist\\a.js', ['dist/a.js'], 'dist/a.js'],
    [
      'written by another tool',
      'https://shop.example/static/js/a.js',
      ['~/static/js/a.js'],
      '~/static/js/a.js',
    ],
    ['of a blob', 'blob:https://shop.example/6a7c-11', ['a.js'], 'none'],
    ['of a page', 'https://shop.example/checkout', ['checkout.js'], 'none'],
    ['of another folder', 'https://shop.example/b/a.js', ['c/a.js'], 'none'],
    ['of which several end alike', 'https://shop.example/a.js', ['x/a.js', 'y/a.js'], 'ambiguous'],
  ])('%s', (_what, address, paths, path) => {
    expect(chosen(address, paths)).toBe(path);
  });

  it.each<[string, string, string, string]>([
    ['by its hash, from any host', `https://cdn.example/v7/${ANGULAR}`, ANGULAR, ANGULAR],
    ['by a hash without a digit', `https://cdn.example/v7/${VITE}`, VITE, VITE],
    [
      'by a hash before its kind',
      'https://cdn.example/x/main.8f3a1c2b.chunk.js',
      'main.8f3a1c2b.chunk.js',
      'main.8f3a1c2b.chunk.js',
    ],
    ['by its path, from any host', 'https://cdn.example/x/js/main.js', 'js/main.js', 'js/main.js'],
    ['not by its name alone', 'https://cdn.example/x/main.js', 'main.js', 'elsewhere'],
    [
      'not by a name of words',
      'https://cdn.example/x/jquery-validation.js',
      'jquery-validation.js',
      'elsewhere',
    ],
    ['by its name alone from the page', 'https://shop.example/x/main.js', 'main.js', 'main.js'],
  ])('is found %s', (_what, address, path, expected) => {
    expect(chosen(address, [path], 'shop.example')).toBe(expected);
  });
});
