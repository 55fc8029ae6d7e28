import { lstatSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { writeWhole } from '../config/write-file.ts';
import type { BuiltFile, BuiltFiles } from './built-files.ts';
import { idOfMap, parseMap } from './map-file.ts';
import { type HashHolders, replacements, withHashes } from './pinned-hashes.ts';

const ROUNDS_MAX = 5;
const COPIES = [
  { ending: '.gz', unpack: gunzipSync, pack: (bytes: Buffer) => gzipSync(bytes, { level: 9 }) },
  { ending: '.br', unpack: brotliDecompressSync, pack: brotliCompressSync },
] as const;
const COPY_BYTES_MAX = 64 * 1024 * 1024;

/** Writes a file of a build over itself, and makes compressed copies beside it anew; those of other bytes are named. */
export function rewriteFile(file: string, before: Buffer, after: Buffer): string[] {
  writeWhole(file, after, statSync(file).mode & 0o777);
  const stale: string[] = [];
  for (const { ending, unpack, pack } of COPIES) {
    const copy = file + ending;
    if (lstatSync(copy, { throwIfNoEntry: false })?.isFile() !== true) continue;
    try {
      const isOfBefore = unpack(readFileSync(copy), { maxOutputLength: COPY_BYTES_MAX }).equals(before);
      if (isOfBefore) writeWhole(copy, pack(after), statSync(copy).mode & 0o777);
      else stale.push(copy);
    } catch {
      stale.push(copy);
    }
  }
  return stale;
}

/** The compressed copies of a file. */
export function copiesOf(file: string): string[] {
  return COPIES.map(({ ending }) => file + ending);
}

/** The maps of each folder by the script that they name and by their debug id; each folder is read once. */
export function namedMaps(found: BuiltFiles): (folder: string) => ReadonlyMap<string, string | null> {
  const folders = new Map<string, Map<string, string | null>>();
  return (folder) => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const named = new Map<string, string | null>();
    for (const { file } of found.maps.filter((each) => dirname(each.file) === folder)) {
      const map = /\.(?:css|d\.[mc]?ts)\.map$/i.test(file)
        ? undefined
        : parseMap(readFileSync(file, 'utf8'))?.map;
      if (map === undefined) continue;
      for (const name of [typeof map.file === 'string' ? basename(map.file) : null, idOfMap(map)]) {
        if (name !== null) named.set(name, named.has(name) ? null : file);
      }
    }
    folders.set(folder, named);
    return named;
  };
}

/** Hashes of files that changed, and the texts that hold them. */
export class HashChanges {
  readonly #holders: HashHolders;
  readonly #changes = new Map<string, string>();

  constructor(holders: HashHolders) {
    this.#holders = holders;
  }

  add(hashes: readonly string[], before: Buffer, after: Buffer): void {
    for (const [hash, other] of replacements(hashes, before, after)) this.#changes.set(hash, other);
  }

  /** Writes the new hashes into the texts, and those of the texts into the texts that hold them in turn. */
  write(isDryRun: boolean): { texts: string[]; stale: string[] } {
    const before = new Map<BuiltFile, Buffer>();
    const after = new Map<BuiltFile, Buffer>();
    for (let round = 0, size = -1; round < ROUNDS_MAX && size !== this.#changes.size; round += 1) {
      size = this.#changes.size;
      const holders = [...this.#changes.keys()].flatMap((hash) => this.#holders.texts.get(hash) ?? []);
      for (const built of new Set(holders)) {
        const bytes = before.get(built) ?? readFileSync(built.file);
        before.set(built, bytes);
        const changed = Buffer.from(withHashes(bytes.toString('latin1'), this.#changes), 'latin1');
        after.set(built, changed);
        const held = replacements([...this.#holders.texts.keys()], bytes, changed);
        for (const [hash, other] of held) this.#changes.set(hash, other);
      }
    }
    const stale: string[] = [];
    for (const [built, changed] of after) {
      const bytes = before.get(built);
      if (!isDryRun && bytes !== undefined) stale.push(...rewriteFile(built.file, bytes, changed));
    }
    return { texts: [...after.keys()].map(({ path }) => path), stale };
  }
}
