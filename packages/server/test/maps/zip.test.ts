import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readArchive } from '../../src/maps/archives/archive-files.ts';
import { listEntries, readEntry } from '../../src/maps/archives/zip.ts';

/** Archives of build tools that want to be more (docs/contract/source-maps.md 9, item 39). */

interface Written {
  name: string;
  bytes?: Buffer;
  flags?: number;
  method?: number;
  /** What the directory says. */
  sizeBytes?: number;
  crc?: number;
  offset?: number;
}

function zip(files: readonly Written[], count = files.length): Buffer {
  const bodies: Buffer[] = [];
  const headers: Buffer[] = [];
  let at = 0;
  for (const { name, bytes = Buffer.from('text'), flags = 0, method = 8, ...said } of files) {
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE(flags, 8);
    header.writeUInt16LE(method, 10);
    header.writeUInt32LE(said.crc ?? crc32(bytes), 16);
    header.writeUInt32LE(packed.length, 20);
    header.writeUInt32LE(said.sizeBytes ?? bytes.length, 24);
    header.writeUInt16LE(name.length, 28);
    header.writeUInt32LE(said.offset ?? at, 42);
    headers.push(header, Buffer.from(name));
    const body = Buffer.concat([local, Buffer.from(name), packed]);
    bodies.push(body);
    at += body.length;
  }
  const directory = Buffer.concat(headers);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, directory, end]);
}

const source = (bytes: Buffer) => ({
  sizeBytes: bytes.length,
  read: async (offset: number, length: number) => bytes.subarray(offset, offset + length),
});
const manifest = (files: object, more: object = {}) => ({
  name: 'manifest.json',
  bytes: Buffer.from(JSON.stringify({ files, ...more })),
});
const script = (url: string) => ({ type: 'minified_source', url, headers: { sourcemap: 'a.js.map' } });

describe('an archive', () => {
  it.each<[string, Buffer, RegExp]>([
    ['is none', Buffer.from('<html>'), /is not a zip archive/],
    ['is cut', zip([{ name: 'a' }]).subarray(20), /is broken/],
    ['is encrypted', zip([{ name: 'a', flags: 1 }]), /a is encrypted/],
    ['is packed otherwise', zip([{ name: 'a', method: 12 }]), /method 12; only deflate/],
    ['has 4,001 entries', zip([{ name: 'a' }], 4001), /has 4001 entries; the limit is 4000/],
    ['has one entry twice', zip([{ name: 'a' }, { name: 'b', offset: 0 }]), /overlaps another entry/],
    ['has an entry behind its end', zip([{ name: 'a', offset: 90_000 }]), /is broken/],
    ['has an entry of 4 GiB', zip([{ name: 'a', sizeBytes: 0xffff_ffff }]), /a is too large/],
    [
      'unpacks to more than a gigabyte',
      zip(Array.from({ length: 9 }, (_, n) => ({ name: `a${n}`, sizeBytes: 134_217_728 }))),
      /unpacks to 1207959552 bytes/,
    ],
    ['has no manifest', zip([{ name: 'a' }]), /manifest/],
    ['has a manifest that is no JSON', zip([{ name: 'manifest.json' }]), /manifest/],
    [
      'lists what is not in it',
      zip([manifest({ 'b.js': script('~/b.js') })]),
      /lists b\.js, which is not in/,
    ],
    ['is named hostilely', zip([{ name: '\u001b[2J', flags: 1 }]), /^\?\[2J is encrypted/],
  ])('that %s is refused in words', async (_what, bytes, words) => {
    await expect(readArchive(source(bytes))).rejects.toThrow(words);
  });

  it('unpacks no entry beyond what its directory says', async () => {
    const bomb = zip([{ name: 'a', bytes: Buffer.alloc(10_000_000), sizeBytes: 1000 }]);
    const lie = zip([{ name: 'a', crc: 1 }]);
    for (const bytes of [bomb, lie]) {
      const [entry] = (await listEntries(source(bytes))).values();
      if (entry === undefined) throw new Error('there is no entry');
      await expect(readEntry(source(bytes), entry)).rejects.toThrow(/are not those that the archive lists/);
    }
  });

  it('finds a map by its address from the root, takes the id of the map where a file has none, and no long path', async () => {
    const id = '3e5754c3-637c-455c-8836-7313f9b96d2c';
    const [long, byRoot] = [`~/${'x/'.repeat(600)}a.js`, { sourcemap: '~/maps/b.map' }];
    const bytes = zip([
      manifest({
        'files/1': { ...script('~/js/a.js'), headers: { Sourcemap: 'a.js.map' } },
        'files/2': { type: 'source_map', url: '~/js/a.js.map', headers: { 'Debug-Id': id } },
        'files/3': { ...script('~/js/b.js'), headers: byRoot },
        'files/4': { type: 'source_map', url: '~/maps/b.map' },
        'files/5': { ...script(long), headers: byRoot },
      }),
      ...['files/1', 'files/2', 'files/3', 'files/4', 'files/5'].map((name) => ({ name })),
    ]);
    const { files, skipped } = await readArchive(source(bytes));
    expect(files.map(({ path, debugId, map }) => [path, debugId, map.name])).toEqual([
      ['js/a.js', id, 'files/2'],
      ['js/b.js', null, 'files/4'],
    ]);
    expect(skipped).toEqual([
      { path: expect.stringMatching(/^.{200}$/), words: expect.stringMatching(/at most 1000 characters\.$/) },
    ]);
  });

  it('takes a path as a name, and passes over one that leaves the folder', async () => {
    const bytes = zip([
      manifest(
        {
          'files/1': script('~/assets/a.js'),
          'files/2': { type: 'source_map', url: '~/assets/a.js.map' },
          'files/3': script('~/../../etc/passwd'),
          'files/4': { type: 'source_map', url: '~/../../etc/a.js.map' },
        },
        { release: ' shop@1 ' },
      ),
      ...['files/1', 'files/2', 'files/3', 'files/4'].map((name) => ({ name })),
    ]);
    const { release, files, skipped } = await readArchive(source(bytes));
    expect(release).toBe('shop@1');
    expect(files.map(({ path }) => path)).toEqual(['assets/a.js']);
    expect(skipped).toHaveLength(1);
  });
});
