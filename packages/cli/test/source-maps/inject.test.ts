import { createHash } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { builtFolder, inject, misplacedWords, textOf, wordMap } from './built.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;
const OTHER_ID = '3e5754c3-637c-455c-8836-7313f9b96d2c';
const CODE = 'var first = 1;\nfunction fail() { throw new Error("x" + first); }\nout = typeof fail;\n';

const sha = (name: string, text: string) => `${name}-${createHash(name).update(text).digest('base64')}`;
const hex = (name: string, text: string) => createHash(name).update(text).digest('hex');

describe('the shapes of a script', () => {
  const shapes: [string, string][] = [
    ['plain code', CODE],
    ['code without a last line end', 'out = 1'],
    ['lines that end with CRLF', CODE.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${CODE}`],
    ['a hash-bang', `#!/usr/bin/env node\n${CODE}`],
    ['a hash-bang and a directive', `#!/usr/bin/env node\n"use strict";\n${CODE.replace('out', 'var out')}`],
    ['a hash-bang with CRLF', `#!/usr/bin/env node\r\n${CODE}`],
    ['a license comment', `/*! @license\n * 'use strict'; of nobody */\n// line\n${CODE}`],
    ['one line', 'var a=1;out=a;function b(){return a}'],
    ['text beyond the basic plane', 'var a = "😀 ü";\nout = a;\n'],
    ['a name in a string', 'var s = "//# sourceMappingURL=lost.js.map";\nout = s;\n'],
    ['a name in a template', 'var s = `\n//# sourceMappingURL=lost.js.map\n`;\nout = s;\n'],
    ['a name in a comment of lines', 'out = 1;\n/*\n//# sourceMappingURL=lost.js.map\n*/\n'],
    ['an id in a string', `out = "//# debugId=${OTHER_ID}";\n`],
    ['a comment as its last line', 'out = 1; // the end'],
    ['parentheses first', '(function(){ out = 1 })()'],
    ['a template first', '`x`;\nout = 1;'],
  ];

  it.each(shapes)('%s: keeps every place, runs as before, and changes once', (_, file) => {
    // Engines count columns without the mark.
    const script = file.replace('\uFEFF', '');
    const folder = builtFolder({ 'a.js': file, 'a.js.map': JSON.stringify(wordMap(script)) });

    const { pairs, refused } = inject(folder);

    expect(refused).toEqual([]);
    const [pair] = pairs;
    expect(pair?.id).toMatch(UUID);
    const text = textOf(folder, 'a.js');
    const map = JSON.parse(textOf(folder, 'a.js.map'));
    expect(map.debugId).toBe(pair?.id);
    expect(text.endsWith(`//# debugId=${pair?.id}\n`)).toBe(true);
    expect(text.startsWith('\uFEFF')).toBe(file.startsWith('\uFEFF'));
    const words = misplacedWords(text, map, script);
    expect(words.wrong).toEqual([]);
    expect(words.words).toBe([...script.matchAll(/[A-Za-z_$][\w$]*/g)].length);
    expect(runs(text)).toEqual(runs(script));

    expect(inject(folder).pairs).toMatchObject([{ id: pair?.id, isChanged: false }]);
    expect(textOf(folder, 'a.js')).toBe(text);
  });

  it('registers the id while it runs, in scripts and modules of every ending', () => {
    for (const ending of ['js', 'mjs', 'cjs']) {
      const script = ending === 'mjs' ? 'import "node:fs";\nexport const out = 1;\n' : CODE;
      const folder = builtFolder({
        [`a.${ending}`]: script,
        [`a.${ending}.map`]: JSON.stringify(wordMap(script)),
      });
      const id = inject(folder).pairs[0]?.id;
      const text = textOf(folder, `a.${ending}`);
      expect(text).toContain(`[n]="${id}"`);
      if (ending !== 'mjs') expect(Object.values(registered(text, `a.${ending}`))).toEqual([id]);
    }
  });

  it.each([
    ['"use strict";', true],
    ["'use strict'\nvar a = 1;", true],
    ['/* a */ "use client"; // b\n"use strict"\n\nvar a', true],
    ['"use strict"/**/\n++a', true],
    ['"use strict"}', true],
    ['"use strict"\n.length;', false],
    ['"use strict"\n/* c */ + 1;', false],
    ['"use strict", 1;', false],
    ['"use strict" in {};', false],
    ['"use strict"\n[0];', false],
    ['"use strict"\n`x`;', false],
    ['"use strict" instanceof Object;', false],
    ['"use\\\n strict";', false],
    ['var a; "use strict";', false],
    ['"use strict"\ninner();', true],
  ])('keeps %j strict or not', (beginning, isStrict) => {
    const script = `${beginning}\nvar out = 1;\n`;
    const folder = builtFolder({ 'a.js': script, 'a.js.map': JSON.stringify(wordMap(script)) });
    inject(folder);
    const [line = ''] = textOf(folder, 'a.js').split('\n');
    expect(/^(?:"use client";)?["']use strict["'];/.test(line)).toBe(isStrict);
    expect(
      misplacedWords(textOf(folder, 'a.js'), JSON.parse(textOf(folder, 'a.js.map')), script).wrong,
    ).toEqual([]);
  });

  it('changes no byte of a script in another encoding than UTF-8', () => {
    const script = Buffer.from('out = "gr\u00fc\u00dfe";\n', 'latin1');
    const folder = builtFolder({ 'a.js': script, 'a.js.map': JSON.stringify(wordMap('out = "grusse";\n')) });
    inject(folder);
    expect(readFileSync(join(folder, 'a.js')).includes(script)).toBe(true);
  });

  it('passes over UTF-16, and says so', () => {
    const script = Buffer.from(`\uFEFF${CODE}`, 'utf16le');
    const folder = builtFolder({ 'a.js': script, 'a.js.map': JSON.stringify(wordMap(CODE)) });
    const { pairs, skipped } = inject(folder);
    expect(pairs).toEqual([]);
    expect(skipped).toContainEqual({ path: 'a.js', why: 'it is UTF-16; only UTF-8 is read' });
  });
});

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

describe('the id', () => {
  const map = wordMap(CODE);
  it.each([
    [
      'the comment of a bundler',
      `${CODE}//# debugId=${OTHER_ID.toUpperCase()}\n`,
      { ...map, debugId: OTHER_ID },
    ],
    ['debugId of the map', CODE, { ...map, debugId: OTHER_ID }],
    ['debug_id of the map', CODE, { ...map, debug_id: OTHER_ID }],
    [
      'the registration of a plugin',
      `!function(){try{var e=window,n=(new e.Error).stack;n&&(e._sentryDebugIds=e._sentryDebugIds||{},e._sentryDebugIds[n]="${OTHER_ID}")}catch(e){}}();${CODE}`,
      map,
    ],
  ])('is that of %s', (_, script, itsMap) => {
    const folder = builtFolder({ 'a.js': script, 'a.js.map': JSON.stringify(itsMap) });
    expect(inject(folder).pairs.map(({ id }) => id)).toEqual([OTHER_ID]);
    const text = textOf(folder, 'a.js');
    expect(text.match(/_debugIds\|\|\{\}/g) ?? []).toHaveLength(script.includes('_sentryDebugIds') ? 0 : 1);
    expect(JSON.parse(textOf(folder, 'a.js.map')).debugId).toBe(OTHER_ID);
  });

  it('is equal for equal builds, and another one for another release', () => {
    const files = { 'a.js': CODE, 'a.js.map': JSON.stringify(map) };
    const ids = [null, null, '1.0', '2.0'].map(
      (release) => inject(builtFolder(files), { release }).pairs[0]?.id,
    );
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(3);
  });

  it('names the release, also a later one, and text of a release cannot leave its string', () => {
    const folder = builtFolder({ 'a.js': CODE, 'a.js.map': JSON.stringify(map) });
    for (const release of ['1.0', '"</script>\u2028ü\n']) {
      inject(folder, { release });
      expect(runs(textOf(folder, 'a.js'), '_culpritRelease')).toBe(release);
      expect(textOf(folder, 'a.js')).not.toMatch(/<\/script|[^ -~\n]/);
    }
    expect(inject(folder).pairs).toMatchObject([{ isChanged: false }]);
  });

  it('moves the lines of a map once, when a run ended between the map and the script', () => {
    const folder = builtFolder({ 'a.js': CODE, 'a.js.map': JSON.stringify(map) });
    const id = inject(folder).pairs[0]?.id;
    writeFileSync(join(folder, 'a.js'), CODE);
    expect(inject(folder).pairs[0]?.id).toBe(id);
    const words = misplacedWords(textOf(folder, 'a.js'), JSON.parse(textOf(folder, 'a.js.map')), CODE);
    expect(words.wrong).toEqual([]);
    expect(words.words).toBeGreaterThan(10);
  });
});

describe('bundles of React Native', () => {
  it('are injected as text, and stay as they are as bytecode, whose id is that of the map', () => {
    const bytecode = Buffer.concat([Buffer.from('c61fbc03c103191f', 'hex'), Buffer.alloc(64, 0x61)]);
    const folder = builtFolder({
      'index.android.bundle': CODE,
      'index.android.bundle.map': JSON.stringify(wordMap(CODE)),
      'main.jsbundle': bytecode,
      'main.jsbundle.map': JSON.stringify({ ...wordMap('a'), debugId: OTHER_ID }),
    });
    expect(inject(folder).pairs).toMatchObject([
      { path: 'index.android.bundle', id: expect.stringMatching(UUID), isChanged: true },
      { path: 'main.jsbundle', id: OTHER_ID, isKept: true, isChanged: false },
    ]);
    expect(readFileSync(join(folder, 'main.jsbundle')).equals(bytecode)).toBe(true);
  });
});

describe('an id of Bun', () => {
  it('has no hyphens in file and map, and is one UUID', () => {
    const bun = '6D5B3C9B6F3A2E1764756E2164756E21';
    const folder = builtFolder({
      'a.js': `${CODE}//# debugId=${bun}\n`,
      'a.js.map': JSON.stringify({ ...wordMap(CODE), debugId: bun }),
    });
    const [pair] = inject(folder).pairs;
    expect(pair?.id).toBe('6d5b3c9b-6f3a-2e17-6475-6e2164756e21');
    expect(Object.values(registered(textOf(folder, 'a.js'), 'a.js'))).toEqual([pair?.id]);
    expect(inject(folder).pairs).toMatchObject([{ isChanged: false }]);
  });

  it('of a library above the code of the file is not that of the file', () => {
    const folder = builtFolder({
      'a.js': `var lib = 1;\n//# debugId=${OTHER_ID}\n${CODE}`,
      'a.js.map': JSON.stringify(wordMap(`var lib = 1;\n//# debugId=${OTHER_ID}\n${CODE}`)),
    });
    expect(inject(folder).pairs[0]?.id).not.toBe(OTHER_ID);
  });
});

describe('maps with sections', () => {
  const second = 'var later = 2;\nlater.fail();\n';
  const sections = (line: number) => ({
    version: 3,
    sections: [
      { offset: { line: 0, column: 0 }, map: wordMap(`${'\n'.repeat(line)}${CODE}`) },
      { offset: { line: line + 3, column: 0 }, map: wordMap(second, { sources: ['later.ts'] }) },
    ],
  });

  it.each([
    ['', 0],
    ['#!/usr/bin/env node\n', 1],
  ])('keep every place behind %j', (start, line) => {
    const script = `${start}${CODE}${second}`;
    const folder = builtFolder({ 'a.js': script, 'a.js.map': JSON.stringify(sections(line)) });
    expect(misplacedWords(script, sections(line), `${'\n'.repeat(line)}${CODE}`).words).toBeGreaterThan(10);
    inject(folder);
    const map = JSON.parse(textOf(folder, 'a.js.map'));
    expect(map.sections.map(({ offset }: { offset: object }) => offset)).toEqual([
      { line: line === 0 ? 1 : 0, column: 0 },
      { line: line + 4, column: 0 },
    ]);
    const first = textOf(folder, 'a.js')
      .split('\n')
      .slice(0, line + 4)
      .join('\n');
    expect(misplacedWords(first, map, `${'\n'.repeat(line)}${CODE}`).wrong).toEqual([]);
  });

  it('keep a prefix against inclusion', () => {
    const folder = builtFolder({ 'a.js': CODE, 'a.js.map': `)]}'\n${JSON.stringify(wordMap(CODE))}` });
    inject(folder);
    expect(textOf(folder, 'a.js.map').startsWith(")]}'\n{")).toBe(true);
  });
});

describe('what holds the hash of a file', () => {
  const files = (more: Record<string, string | Buffer>) =>
    builtFolder({ 'a.js': CODE, 'a.js.map': JSON.stringify(wordMap(CODE)), ...more });

  it('gets the new one in pages, import maps and manifests, in each way of writing it', () => {
    const integrity = sha('sha384', CODE);
    const folder = files({
      'index.html': `<script src=a.js integrity="${integrity} ${sha('sha512', CODE)}"></script>`,
      'escaped.html': `<script integrity="${sha('sha256', CODE).replaceAll('+', '&#43;').replaceAll('=', '&#61;').replaceAll('/', '&#x2F;')}">`,
      'manifest.json': JSON.stringify({ 'a.js': { integrity } }).replaceAll('/', '\\/'),
      'view.php': `<?php echo '${integrity}';`,
      'other.html': `<script integrity="${sha('sha384', 'other')}">`,
    });
    expect(inject(folder).texts.sort()).toEqual(['escaped.html', 'index.html', 'manifest.json', 'view.php']);
    const text = textOf(folder, 'a.js');
    expect(textOf(folder, 'index.html')).toContain(`"${sha('sha384', text)} ${sha('sha512', text)}"`);
    expect(textOf(folder, 'escaped.html')).toContain(`"${sha('sha256', text)}"`);
    expect(JSON.parse(textOf(folder, 'manifest.json'))['a.js'].integrity).toBe(sha('sha384', text));
    expect(textOf(folder, 'view.php')).toContain(sha('sha384', text));
    expect(textOf(folder, 'other.html')).toContain(sha('sha384', 'other'));
  });

  it('gets the new one where a manifest holds the page that holds it', () => {
    const page = `<script src=a.js integrity="${sha('sha384', CODE)}"></script>`;
    const folder = files({
      'index.html': page,
      'ngsw.json': JSON.stringify({
        hashTable: { '/index.html': hex('sha1', page), '/a.js': hex('sha1', CODE) },
      }),
    });
    inject(folder);
    expect(JSON.parse(textOf(folder, 'ngsw.json')).hashTable).toEqual({
      '/index.html': hex('sha1', textOf(folder, 'index.html')),
      '/a.js': hex('sha1', textOf(folder, 'a.js')),
    });
  });

  it.each([
    ['an integrity', (text: string) => `load("a.js", "${sha('sha384', text)}");`],
    [
      'the size and hash of a server',
      (text: string) =>
        `({"/a.js":{etag:"\\"${text.length.toString(16)}-${createHash('sha1').update(text).digest('base64').slice(0, 27)}\\"",size:${text.length}}});`,
    ],
  ])('is refused where a script has %s, and works with the ids of a bundler', (_, holder) => {
    const folder = files({ 'runtime.js': holder(CODE) });
    const { refused, pairs } = inject(folder);
    expect(refused).toMatchObject([
      {
        path: 'a.js',
        problem: 'integrity',
        words: expect.stringContaining('runtime.js has the hash of a.js'),
      },
    ]);
    expect(pairs).toEqual([]);
    expect(textOf(folder, 'a.js')).toBe(CODE);

    const withId = `${CODE}//# debugId=${OTHER_ID}\n`;
    const bundled = builtFolder({
      'a.js': withId,
      'a.js.map': JSON.stringify(wordMap(CODE, { debugId: OTHER_ID })),
      'runtime.js': holder(withId),
    });
    const kept = inject(bundled, { takesComments: true });
    expect(kept.pairs).toMatchObject([{ id: OTHER_ID, isKept: true }]);
    expect(kept.warnings).toMatchObject([expect.stringContaining('upload with --release')]);
    expect(textOf(bundled, 'a.js')).toBe(withId);
  });

  it('is named where a service worker has a revision', () => {
    const folder = files({ 'sw.js': `precache([{url:"a.js",revision:"${hex('md5', CODE)}"}]);` });
    expect(inject(folder).warnings).toMatchObject([expect.stringContaining('sw.js has a revision of a.js')]);
  });

  it('compresses copies again, and names those of another version', () => {
    const folder = files({ 'a.js.gz': gzipSync(CODE), 'a.js.br': brotliCompressSync('another version') });
    const { warnings } = inject(folder);
    expect(gunzipSync(readFileSync(join(folder, 'a.js.gz'))).toString()).toBe(textOf(folder, 'a.js'));
    expect(brotliDecompressSync(readFileSync(join(folder, 'a.js.br'))).toString()).toBe('another version');
    expect(warnings).toMatchObject([expect.stringContaining('a.js.br is a compressed copy')]);
  });

  it('changes nothing in a dry run, and says what it would change', () => {
    const folder = files({ 'index.html': `<script integrity="${sha('sha384', CODE)}">` });
    const dry = inject(folder, { isDryRun: true });
    expect([dry.pairs[0]?.isChanged, dry.texts]).toEqual([true, ['index.html']]);
    expect(textOf(folder, 'a.js')).toBe(CODE);
    expect(textOf(folder, 'index.html')).toContain(sha('sha384', CODE));
    expect(inject(folder).pairs[0]?.id).toBe(dry.pairs[0]?.id);
  });
});

describe('comments that name maps that will be deleted', () => {
  it.each([
    [`${CODE}//# sourceMappingURL=a.js.map\n`, CODE],
    [`${CODE}//# sourceMappingURL=a.js.map`, CODE],
    [`${CODE.trimEnd()}//# sourceMappingURL=a.js.map\n`, CODE],
    [`${CODE.replaceAll('\n', '\r\n')}//# sourceMappingURL=a.js.map\r\n`, CODE.replaceAll('\n', '\r\n')],
  ])('go, and nothing else: %j', (script, rest) => {
    const folder = builtFolder({ 'a.js': script, 'a.js.map': JSON.stringify(wordMap(CODE)) });
    inject(folder, { takesComments: true, injects: false });
    expect(textOf(folder, 'a.js')).toBe(rest);
    expect(inject(folder, { takesComments: true, injects: false }).pairs).toMatchObject([
      { isChanged: false },
    ]);
  });

  it('leave the map of a data URL beside the script', () => {
    const map = JSON.stringify(wordMap(CODE));
    const folder = builtFolder({
      'a.js': `${CODE}//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`,
    });
    const { pairs } = inject(folder, { takesComments: true });
    expect(textOf(folder, 'a.js')).not.toContain('sourceMappingURL');
    expect(existsSync(join(folder, 'a.js.map'))).toBe(true);
    expect(
      misplacedWords(textOf(folder, 'a.js'), JSON.parse(textOf(folder, 'a.js.map')), CODE).wrong,
    ).toEqual([]);
    expect(inject(folder, { takesComments: true }).pairs).toMatchObject([
      { id: pairs[0]?.id, isChanged: false },
    ]);
  });
});

/** What a script leaves in a global variable. */
function runs(text: string, name = 'out'): unknown {
  return runInNewContext(`${text}\n;globalThis.${name}`, { Error });
}

/** What a script registers. */
function registered(text: string, filename: string): object {
  return runInNewContext(`${text}\n;globalThis._debugIds`, {}, { filename });
}
