import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { builtFolder, CODE, inject, misplacedWords, textOf, wordMap } from './built.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;
const OTHER_ID = '3e5754c3-637c-455c-8836-7313f9b96d2c';

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

/** What a script leaves in a global variable. */
function runs(text: string, name = 'out'): unknown {
  return runInNewContext(`${text}\n;globalThis.${name}`, { Error });
}

/** What a script registers. */
function registered(text: string, filename: string): object {
  return runInNewContext(`${text}\n;globalThis._debugIds`, {}, { filename });
}
