import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { builtFolder, CODE, inject, misplacedWords, sha, textOf, wordMap } from './built.ts';

const OTHER_ID = '3e5754c3-637c-455c-8836-7313f9b96d2c';
const hex = (name: string, text: string) => createHash(name).update(text).digest('hex');

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
