import { basename, dirname } from 'node:path';
import type { BuiltFile, BuiltFiles } from './built-files.ts';
import type { MapSearch } from './find-map.ts';
import { idOfMap, parseMap } from './map-file.ts';
import { readBuilt, rewriteFile } from './packed-files.ts';
import { type HashHolders, replacements, withHashes } from './pinned-hashes.ts';

const ROUNDS_MAX = 5;

/** The maps among which those of scripts are looked for; each folder is read once. */
export function searchMaps(found: BuiltFiles, folders: readonly string[]): MapSearch {
  const byName = Map.groupBy(found.maps, ({ file }) => basename(file));
  const ofFolder = Map.groupBy(found.maps, ({ file }) => dirname(file));
  const byFolder = new Map<string, Map<string, string | null>>();
  return {
    folders,
    called: (name) => (byName.get(name) ?? []).map(({ file }) => file),
    named(folder) {
      const known = byFolder.get(folder) ?? namedIn(ofFolder.get(folder) ?? []);
      byFolder.set(folder, known);
      return known;
    },
  };
}

function namedIn(maps: readonly BuiltFile[]): Map<string, string | null> {
  const named = new Map<string, string | null>();
  for (const { file } of maps) {
    const map = /\.(?:css|d\.[mc]?ts)\.map$/i.test(file)
      ? undefined
      : parseMap(readBuilt(file).toString('utf8'))?.map;
    if (map === undefined) continue;
    for (const name of [typeof map.file === 'string' ? basename(map.file) : null, idOfMap(map)]) {
      if (name !== null) named.set(name, named.has(name) ? null : file);
    }
  }
  return named;
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
        const bytes = before.get(built) ?? readBuilt(built.file);
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
