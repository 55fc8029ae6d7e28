import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { usageError } from '../cli-error.ts';

const FILES_MAX = 200_000;
/** Folders that are no output of a build, unless they are named themselves. */
const PASSED_OVER = [['node_modules'], ['.git'], ['.next', 'cache'], ['.turbo']];

/** A file below one of the folders of a command. */
export interface BuiltFile {
  /** Absolute. */
  file: string;
  /** Relative to its folder, with `/` between parts: the name under which it is uploaded. */
  path: string;
}

export interface BuiltFiles {
  scripts: BuiltFile[];
  /** Style sheets and declarations have maps too, which no stack needs. */
  maps: BuiltFile[];
  others: BuiltFile[];
}

/** Every file below the folders, in order of their paths; symbolic links are not followed. */
export function findBuiltFiles(roots: readonly string[], directory: string): BuiltFiles {
  const found: BuiltFiles = { scripts: [], maps: [], others: [] };
  const seen = new Set<string>();
  for (const named of roots) {
    const root = resolve(directory, named);
    const stats = statSync(root, { throwIfNoEntry: false });
    if (stats === undefined)
      throw usageError(`${named} does not exist.`, 'name the folder that the build wrote');
    const add = (file: string, from: string) => {
      if (seen.has(file)) return;
      if (seen.size === FILES_MAX)
        throw usageError(
          `${named} has more than ${FILES_MAX} files.`,
          'name the folder that the build wrote',
        );
      seen.add(file);
      listOf(found, file).push({ file, path: relative(from, file).split(sep).join('/') });
    };
    if (stats.isFile()) add(root, dirname(root));
    else for (const file of filesBelow(root)) add(file, root);
  }
  return found;
}

function listOf(found: BuiltFiles, file: string): BuiltFile[] {
  if (/\.(?:[mc]?js|bundle|jsbundle|hbc)$/i.test(file)) return found.scripts;
  return /\.map$/i.test(file) ? found.maps : found.others;
}

function* filesBelow(folder: string): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!isPassedOver(path)) yield* filesBelow(path);
    } else if (entry.isFile()) {
      yield path;
    }
  }
}

function isPassedOver(folder: string): boolean {
  const name = basename(folder);
  return PASSED_OVER.some(
    (parts) => parts.at(-1) === name && (parts.length === 1 || parts[0] === basename(dirname(folder))),
  );
}

/** Returns true if the path is a file and no link to one. */
export function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
