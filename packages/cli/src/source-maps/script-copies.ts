import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { BuiltFile } from './built-files.ts';
import { readBuilt, rewriteFile } from './packed-files.ts';

/**
 * Scripts that a build copied without their maps, as Next.js does for its `standalone` folder: those are the files that
 * run, so they change like their originals.
 */
export class ScriptCopies {
  readonly #names: ReadonlyMap<string, readonly BuiltFile[]>;
  readonly #originals = new Map<string, BuiltFile>();
  readonly #waiting = new Set<BuiltFile>();

  constructor(scripts: readonly BuiltFile[]) {
    this.#names = Map.groupBy(scripts, ({ file }) => basename(file));
  }

  /** Notes a script that has a map, with its bytes from before. */
  add(script: BuiltFile, before: Buffer): void {
    this.#originals.set(hash('sha256', before), script);
  }

  /** Returns true, once, for a script whose original may follow. */
  waits(script: BuiltFile): boolean {
    const alike = this.#names.get(basename(script.file)) ?? [];
    if (alike.length < 2 || this.#waiting.has(script)) return false;
    this.#waiting.add(script);
    return true;
  }

  originalOf(bytes: Buffer): BuiltFile | null {
    return this.#originals.get(hash('sha256', bytes)) ?? null;
  }
}

/** Why a copy is no file of an upload: its bytes are those of its original. */
export const IS_COPY = 'it is a copy, and changes with its original';

/** Changes a copy as its original was changed; compressed copies of other bytes are named. */
export function changeCopy(copy: BuiltFile, before: Buffer, original: BuiltFile): string[] {
  const after = readBuilt(original.file);
  return after.equals(before) ? [] : rewriteFile(copy.file, before, after);
}
