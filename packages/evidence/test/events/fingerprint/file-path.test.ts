import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isServedFile, modulePath, writtenFile } from '../../../src/events/fingerprint/file-path.ts';

describe('modulePath', () => {
  it.each([
    ['/srv/releases/20260324101500/src/checkout/theme.js', 'checkout/theme.js'],
    ['C:\\ci\\9\\s\\Invoicing\\TaxCalculator.cs', 'Invoicing/TaxCalculator.cs'],
    ['C:/x.js', 'x.js'],
    ['main.py', 'main.py'],
    ['./src/../lib/./a.js', 'lib/a.js'],
    ['file:///srv/app/a.js', 'app/a.js'],
    ['file:///C:/a.js', 'a.js'],
    ['webpack-internal:///./src/App.vue?ab12', 'src/App.vue'],
    ['webpack://shop/./src/pages/Home.vue', 'pages/Home.vue'],
    ['webpack:///./a.js', 'a.js'],
    ['app:///main.bundle', 'main.bundle'],
    ['capacitor://localhost/main.js', 'localhost/main.js'],
    ['https://user@cdn.example.com:8080/js/app.js?v=3#x', 'js/app.js'],
    ['https://shop.example.com', ''],
    ['HTTPS://shop.example.com/a.js', 'a.js'],
    ['node:internal/process/task_queues', 'process/task_queues'],
    ['<anonymous>', '<anonymous>'],
    ['', ''],
  ])('of %s is %s', (file, path) => {
    expect(modulePath(file)).toBe(path);
  });

  it.each([
    ['20260324', '*'],
    ['1.2.3', '*'],
    ['v2.10', '*'],
    ['3f9a2c1', '*'],
    ['deadbeef', 'deadbeef'],
    ['release-42', '*'],
    ['build_7', '*'],
    ['deploy2026', '*'],
    ['release', 'release'],
    ['v2', 'v2'],
    ['es2015', 'es2015'],
    ['3f9a2', '3f9a2'],
    ['a'.repeat(41).replace('a', '1'), 'a'.repeat(41).replace('a', '1')],
  ])('reads the directory %s as %s', (directory, segment) => {
    expect(modulePath(`/srv/${directory}/a.js`)).toBe(`${segment}/a.js`);
  });

  it.each([
    ['checkout-3f9a2c1b.js', 'checkout-*.js'],
    ['main.8f3c1d2a.chunk.js', 'main.*.chunk.js'],
    ['chunk-VENDORS1.js', 'chunk-*.js'],
    ['2.chunk.js', '2.chunk.js'],
    ['12.chunk.js', '*.chunk.js'],
    ['jquery-3.6.0.min.js', 'jquery-3.6.0.min.js'],
    ['app_a1b2c3.js', 'app_*.js'],
    ['app_a1b2c.js', 'app_a1b2c.js'],
    ['facade.js', 'facade.js'],
    ['index-AxCdEf9_.js', 'index-AxCdEf9_.js'],
    ['index-AbCdEfG9.js', 'index-*.js'],
  ])('reads the served base name %s as %s', (base, name) => {
    expect(modulePath(`https://a.example/assets/${base}`)).toBe(`assets/${name}`);
  });

  it('leaves hashes in the names of local files', () => {
    expect(modulePath('/app/dist/checkout-3f9a2c1b.js')).toBe('dist/checkout-3f9a2c1b.js');
    expect(modulePath('webpack://x/./a/b-3f9a2c1b.js')).toBe('a/b-3f9a2c1b.js');
  });

  it('has at most two segments whatever the file', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (file) => {
        expect(modulePath(file).split('/').length).toBeLessThanOrEqual(2);
      }),
    );
  });
});

describe('writtenFile', () => {
  it.each([
    ['https://a.example:80/js/app.js?v=1#x', '/js/app.js'],
    ['file:///srv/a.mjs?update=1', '/srv/a.mjs'],
    ['/srv/a.mjs?update=1', '/srv/a.mjs'],
    ['/home/c#/a.js', '/home/c#/a.js'],
    ['webpack://shop/./src/a.js', '/./src/a.js'],
    ['C:\\src\\a.cs', 'C:\\src\\a.cs'],
    ['node:fs', 'node:fs'],
  ])('of %s is %s', (file, written) => {
    expect(writtenFile(file)).toBe(written);
  });
});

describe('isServedFile', () => {
  it('is true for URLs only', () => {
    expect(isServedFile('https://a.example/x.js')).toBe(true);
    expect(isServedFile('ionic://localhost/x.js')).toBe(true);
    for (const file of [
      '/x.js',
      'file:///x.js',
      'webpack://a/x.js',
      'app:///x.js',
      'node:fs',
      'x.js',
      'FILE:///x',
    ]) {
      expect(isServedFile(file)).toBe(false);
    }
  });
});
