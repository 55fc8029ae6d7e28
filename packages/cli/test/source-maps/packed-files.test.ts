import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  brotliCompressSync,
  brotliDecompressSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { prepareFiles } from '../../src/source-maps/prepare-files.ts';
import { builtFolder, inject, misplacedWords, wordMap } from './built.ts';

/** docs/contract/source-maps.md 7.1: builds that are compressed before their maps are uploaded. */

const CODE = 'var first = 1;\nfunction fail() { throw new Error("x" + first); }\nout = typeof fail;\n';
const NAMED = `${CODE}//# sourceMappingURL=a.js.map\n`;
const MAP = JSON.stringify(wordMap(NAMED), null, 2);

describe('a build with compressed files', () => {
  const plain = (bytes: Buffer) => bytes;
  it.each<[string, string, (text: string) => Buffer, string, (text: string) => Buffer, typeof plain]>([
    ['a map as .gz alone', 'a.js', Buffer.from, 'a.js.map.gz', gzipSync, gunzipSync],
    ['a map as .br alone', 'a.js', Buffer.from, 'a.js.map.br', brotliCompressSync, brotliDecompressSync],
    ['a map as .zst alone', 'a.js', Buffer.from, 'a.js.map.zst', zstdCompressSync, zstdDecompressSync],
    ['script and map as .gz alone', 'a.js.gz', gzipSync, 'a.js.map.gz', gzipSync, gunzipSync],
    ['gzip under the names of script and map', 'a.js', gzipSync, 'a.js.map', gzipSync, gunzipSync],
  ])(
    '%s: has ids and places, stays compressed, and changes once',
    (_, script, pack, map, packMap, unpackMap) => {
      const folder = builtFolder({ [script]: pack(NAMED), [map]: packMap(MAP) });
      const unpack = script === 'a.js' && pack === Buffer.from ? plain : gunzipSync;

      const first = inject(folder);

      expect([first.refused, first.skipped, first.warnings]).toEqual([[], [], []]);
      expect(first.pairs).toMatchObject([{ path: 'a.js', isChanged: true }]);
      const text = unpack(readFileSync(join(folder, script))).toString('utf8');
      const changed = JSON.parse(unpackMap(readFileSync(join(folder, map))).toString('utf8'));
      expect(text).toContain(`//# debugId=${changed.debugId}`);
      expect(misplacedWords(text, changed, NAMED).wrong).toEqual([]);
      expect(existsSync(join(folder, 'a.js.map'))).toBe(map === 'a.js.map');

      const second = inject(folder);
      expect(second.pairs).toMatchObject([{ isChanged: false }]);
      // What is sent is not compressed: events name places in the text.
      const { files } = prepareFiles(second, { release: null, sourceRoot: folder });
      expect(files).toMatchObject([{ path: 'a.js', generated: { size_bytes: Buffer.byteLength(text) } }]);
    },
  );

  it('has new hashes in a page that is compressed alone, and in its copy', () => {
    const page = `<script src=a.js integrity="${integrity(NAMED)}"></script>`;
    const folder = builtFolder({
      'a.js': NAMED,
      'a.js.map': MAP,
      'index.html.br': brotliCompressSync(page),
      'index.html.gz': gzipSync(page),
    });
    expect(inject(folder).texts).toEqual(['index.html']);
    const text = readFileSync(join(folder, 'a.js'), 'utf8');
    for (const [name, unpack] of [
      ['index.html.br', brotliDecompressSync],
      ['index.html.gz', gunzipSync],
    ] as const) {
      expect(unpack(readFileSync(join(folder, name))).toString()).toContain(integrity(text));
    }
  });

  it('whose bytes cannot be unpacked stays unchanged, and says so', () => {
    const broken = gzipSync(NAMED).subarray(0, 40);
    const packed = brotliCompressSync(
      `${NAMED}${'// more of it, which is random: '.repeat(9)}${Array.from({ length: 400 }, (_, n) => Math.imul(n + 1, 2_654_435_761).toString(36)).join(' ')}`,
    );
    const folder = builtFolder({
      'broken.js': broken,
      'broken.js.map': MAP,
      'lost.js': CODE,
      'lost.js.map.gz': gzipSync(MAP).subarray(0, 40),
      'packed.js': packed,
      'packed.js.map': MAP,
    });
    const { pairs, refused, skipped } = inject(folder);
    expect(pairs).toEqual([]);
    expect(refused).toMatchObject([
      { path: 'lost.js', problem: 'not_json', words: expect.stringContaining('compressed (gzip)') },
    ]);
    expect(skipped).toEqual([
      { path: 'broken.js', why: 'it is compressed and cannot be decompressed' },
      { path: 'packed.js', why: 'it is not text: it may be compressed' },
    ]);
    expect(readFileSync(join(folder, 'broken.js')).equals(broken)).toBe(true);
    expect(readFileSync(join(folder, 'packed.js')).equals(packed)).toBe(true);
  });
});

function integrity(text: string): string {
  return `sha384-${createHash('sha384').update(text).digest('base64')}`;
}
