import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtFolder, CODE, inject, misplacedWords, sha, textOf, wordMap } from './built.ts';

const OTHER_ID = '3e5754c3-637c-455c-8836-7313f9b96d2c';

const NOTE = "it's gr\u00fcn";
const NOTED = `{"x_note":"${NOTE}",`;

describe('where the map is', () => {
  const map = JSON.stringify(wordMap(CODE));
  it.each<[string, string, string]>([
    ['//# sourceMappingURL=b.map', 'b.map', 'b.map'],
    ['//@ sourceMappingURL=b.map', 'b.map', 'b.map'],
    ['//# sourceMappingURL=b.map  ', 'b.map', 'b.map'],
    ['/*# sourceMappingURL=b.map */', 'b.map', 'b.map'],
    [`//# sourceMappingURL=b.map\n//# debugId=${OTHER_ID}`, 'b.map', 'b.map'],
    ['//# sourceMappingURL=b.map\n//# sourceURL=x.js\n\n// end', 'b.map', 'b.map'],
    ['//# sourceMappingURL=gone.map\n//# sourceMappingURL=b.map', 'b.map', 'b.map'],
    ['//# sourceMappingURL=../maps/b.map', '../maps/b.map', '../maps/b.map'],
    ['//# sourceMappingURL=https://cdn.example/x/b.map?v=1#y', 'b.map', 'b.map'],
    ['//# sourceMappingURL=/assets/b.map', 'b.map', 'b.map'],
    ['//# sourceMappingURL=%5Bslug%5D.map', '[slug].map', '[slug].map'],
    ['//# sourceMappingURL=gr\u00fc\u00dfe.map', 'gr\u00fc\u00dfe.map', 'gr\u00fc\u00dfe.map'],
    ['//# sourceMappingURL=b.map\nwindow.added = 1;', 'b.map', 'b.map'],
    ['', 'a.js.map', 'a.js.map'],
  ])('%j', (comment, file, expected) => {
    const folder = builtFolder({ 'dist/a.js': `${CODE}${comment}`, [`dist/${file}`]: map });
    const { pairs } = inject(folder, { roots: ['dist'] });
    expect(pairs.map(({ mapFile }) => mapFile)).toEqual([join(folder, 'dist', expected)]);
  });

  it.each<[string, string, Record<string, string>, string]>([
    [
      'a whole address, from the folder of the site',
      'https://maps.example/shop/maps/js/a.js.map?v=2',
      { 'js/a.js': CODE, 'maps/js/a.js.map': map },
      'maps/js/a.js.map',
    ],
    [
      'a path of the site',
      '/static/maps/a.js.map',
      { 'static/js/a.js': CODE, 'static/maps/a.js.map': map },
      'static/maps/a.js.map',
    ],
    ['a path of Windows', '..\\maps\\b.map', { 'js/a.js': CODE, 'maps/b.map': map }, 'maps/b.map'],
    ['nothing but its name', '', { 'js/a.js': CODE, 'maps/deep/a.js.map': map }, 'maps/deep/a.js.map'],
  ])('is in a folder of its own, by %s', (_, address, files, expected) => {
    const named = Object.entries(files).map(([path, text]) => [
      path,
      path.endsWith('.js') && address !== '' ? `${text}//# sourceMappingURL=${address}\n` : text,
    ]);
    const folder = builtFolder(Object.fromEntries(named));
    expect(inject(folder).pairs.map(({ mapFile }) => mapFile)).toEqual([join(folder, expected)]);
  });

  it('is not one that only its name leads to, of another script or of several', () => {
    const other = JSON.stringify(
      wordMap('const another = "script", whose = words, lie = elsewhere;\n'.repeat(9)),
    );
    const folder = builtFolder({
      'a.js': CODE,
      'maps/a.js.map': other,
      'b.js': CODE,
      'x/b.js.map': map,
      'y/b.js.map': map,
      'c.js': CODE,
      'z/c.js': `${CODE}//# sourceMappingURL=c.js.map\n`,
      'z/c.js.map': map,
    });
    const { pairs, skipped, refused } = inject(folder);
    expect([pairs.map(({ path }) => path), refused]).toEqual([['z/c.js'], []]);
    expect(skipped.map(({ path }) => path)).toEqual([
      'a.js',
      'b.js',
      'c.js',
      'maps/a.js.map',
      'x/b.js.map',
      'y/b.js.map',
    ]);
    expect(textOf(folder, 'a.js')).toBe(CODE);
  });

  it('may begin with what keeps browsers from running it, in a line of its own or not', () => {
    const folder = builtFolder({
      ...{ 'a.js': CODE, 'a.js.map': `)]}'\n${map}` },
      ...{ 'b.js': CODE, 'b.js.map': `)]}'${map}` },
    });
    expect(inject(folder).pairs.map(({ path }) => path)).toEqual(['a.js', 'b.js']);
  });

  it('is behind code on the same line', () => {
    const script = `${CODE.trimEnd()}//# sourceMappingURL=b.map`;
    const folder = builtFolder({ 'a.js': script, 'b.map': map });
    expect(inject(folder).pairs).toHaveLength(1);
  });

  it('is named by nothing but its own file, or by its debug id', () => {
    const byName = JSON.stringify(wordMap(CODE, { file: 'a.js' }));
    const byId = JSON.stringify(wordMap(CODE, { debugId: OTHER_ID }));
    const folder = builtFolder({
      'x/a.js': CODE,
      'x/0a1b.map': byName,
      'y/a.js': `${CODE}//# debugId=${OTHER_ID}\n`,
      'y/0a1b.map': byId,
    });
    expect(inject(folder).pairs.map(({ path }) => path)).toEqual(['x/a.js', 'y/a.js']);
  });

  it.each([
    ['base64', (text: string) => `data:application/json;base64,${Buffer.from(text).toString('base64')}`],
    [
      'base64 with a character set',
      (text: string) => `data:application/json;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`,
    ],
    ['percent signs', (text: string) => `data:application/json,${encodeURIComponent(text)}`],
    [
      'apostrophes',
      (text: string) => `data:application/json,${encodeURIComponent(text.replace('{', NOTED))}`,
    ],
    [
      'characters that are not encoded',
      (text: string) =>
        `data:application/json,${encodeURIComponent(text.replace('{', NOTED)).replace(encodeURIComponent('\u00fc'), '\u00fc')}`,
    ],
    [
      'base64 that is encoded once more',
      (text: string) =>
        `data:application/json;base64,${[...Buffer.from(text).toString('base64')].map((digit) => `%${digit.charCodeAt(0).toString(16)}`).join('')}`,
    ],
  ])('is a data URL with %s, which is written anew', (_, urlOf) => {
    const script = `#!/usr/bin/env node\n${CODE}`;
    const folder = builtFolder({
      'a.js': `${script}//# sourceMappingURL=${urlOf(JSON.stringify(wordMap(script)))}\n`,
    });
    const { pairs } = inject(folder);
    expect(pairs).toMatchObject([{ mapFile: null, isChanged: true }]);
    const text = textOf(folder, 'a.js');
    const [, data = ''] = /sourceMappingURL=data:[^,]+,(\S+)/.exec(text) ?? [];
    const inline = JSON.parse(Buffer.from(data, 'base64').toString('utf8'));
    expect(inline.debugId).toBe(pairs[0]?.id);
    expect(inline.x_note ?? NOTE).toBe(NOTE);
    expect(misplacedWords(text, inline, script).wrong).toEqual([]);
    expect(inject(folder).pairs).toMatchObject([{ isChanged: false }]);
  });

  it('is refused where it is not there, no JSON, or of another build, and every file is named', () => {
    const folder = builtFolder({
      'gone.js': `${CODE}//# sourceMappingURL=gone.js.map\n`,
      'page.js': CODE,
      'page.js.map': '<!doctype html><title>404</title>',
      'two.js': `${CODE}//# debugId=${OTHER_ID}\n`,
      'two.js.map': JSON.stringify(wordMap(CODE, { debug_id: OTHER_ID.replace('3e', '4E') })),
      'empty.js': 'export {};\n',
      'empty.js.map': '{"version":3,"sources":[],"names":[],"mappings":";;"}',
      'none.js': CODE,
      'style.css.map': '{}',
      'a.d.ts.map': '{}',
      'lost.js.map': map,
    });
    const { pairs, refused, skipped } = inject(folder);
    expect(pairs).toEqual([]);
    expect(refused.map(({ path, problem }) => [path, problem])).toEqual([
      ['gone.js', 'map_not_found'],
      ['page.js', 'not_json'],
      ['two.js', 'debug_ids_differ'],
    ]);
    expect(skipped).toEqual([
      { path: 'empty.js', why: 'its map is empty' },
      { path: 'none.js', why: 'it has no source map' },
      { path: 'a.d.ts.map', why: 'it is the map of type declarations' },
      { path: 'lost.js.map', why: 'no script names it' },
      { path: 'style.css.map', why: 'it is the map of a style sheet' },
    ]);
    expect(textOf(folder, 'two.js')).toContain(OTHER_ID);
  });

  it('is neither behind a symbolic link nor outside of the folders', () => {
    const outside = builtFolder({ 'secret.map': map });
    const folder = builtFolder({
      'a.js': `${CODE}//# sourceMappingURL=${join(outside, 'secret.map')}\n`,
      'b.js': `${CODE}//# sourceMappingURL=link.map\n`,
      'c.js': `${CODE}//# sourceMappingURL=../${outside.split('/').at(-1)}/secret.map\n`,
      'd.js': `${CODE}//# sourceMappingURL=linked/secret.map\n`,
    });
    symlinkSync(join(outside, 'secret.map'), join(folder, 'link.map'));
    symlinkSync(outside, join(folder, 'linked'));
    expect(inject(folder).refused.map(({ problem }) => problem)).toEqual(Array(4).fill('map_not_found'));
  });

  it('is not looked for where the script is a link, which is said', () => {
    const folder = builtFolder({ 'cache/a.js': CODE, 'cache/a.js.map': map, 'bin/b.js': CODE });
    symlinkSync(join(folder, 'cache/a.js'), join(folder, 'bin/a.js'));
    expect(inject(folder, { roots: ['bin'] }).skipped).toEqual([
      { path: 'b.js', why: 'it has no source map' },
      { path: 'a.js', why: 'it is a symbolic link' },
    ]);
  });

  it('has a script with a name of its own where two folders have one path', () => {
    const folder = builtFolder({
      'build/client/index.js': CODE,
      'build/client/index.js.map': map,
      'build/client/page.js': CODE,
      'build/client/page.js.map': map,
      'build/server/index.js': `${CODE}// server\n`,
      'build/server/index.js.map': map,
    });
    const { pairs } = inject(folder, { roots: ['build/client', 'build/server'] });
    expect(pairs.map(({ path }) => path)).toEqual(['client/index.js', 'page.js', 'server/index.js']);
  });

  it('is that of its original for a script that the build copied without it, before or behind it', () => {
    const script = `${CODE}//# sourceMappingURL=a.js.map\n`;
    const folder = builtFolder({
      'copied/a.js': script,
      'server/a.js': script,
      'server/a.js.map': map,
      'standalone/a.js': script,
      'standalone/page.html': `<script src=a.js integrity="${sha('sha384', script)}"></script>`,
      'x/a.js': `${CODE}// another one\n`,
    });
    const { pairs, refused, skipped, texts } = inject(folder, { takesComments: true });
    expect([pairs.map(({ path }) => path), refused, texts]).toEqual([
      ['server/a.js'],
      [],
      ['standalone/page.html'],
    ]);
    expect(skipped).toEqual([
      { path: 'copied/a.js', why: 'it is a copy, and changes with its original' },
      { path: 'standalone/a.js', why: 'it is a copy, and changes with its original' },
      { path: 'x/a.js', why: 'it has no source map' },
    ]);
    const text = textOf(folder, 'server/a.js');
    expect(text).toContain(`//# debugId=${pairs[0]?.id}`);
    expect([textOf(folder, 'copied/a.js'), textOf(folder, 'standalone/a.js')]).toEqual([text, text]);
    expect(textOf(folder, 'standalone/page.html')).toContain(sha('sha384', text));
    expect(inject(folder, { takesComments: true }).pairs).toMatchObject([{ isChanged: false }]);
    expect(textOf(folder, 'copied/a.js')).toBe(text);
  });

  it('skips node_modules, .git and caches, unless one is named', () => {
    const files = {
      'node_modules/p/a.js': CODE,
      '.next/cache/a.js': CODE,
      '.git/a.js': CODE,
      '.turbo/a.js': CODE,
    };
    const folder = builtFolder(
      Object.fromEntries(
        Object.entries(files).flatMap(([path, text]) => [
          [path, text],
          [`${path}.map`, map],
        ]),
      ),
    );
    expect(inject(folder).pairs).toEqual([]);
    expect(inject(folder, { roots: ['node_modules/p'] }).pairs.map(({ path }) => path)).toEqual(['a.js']);
  });
});
