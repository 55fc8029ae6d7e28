import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { usageError } from '../cli-error.ts';
import { fileOfCopy } from './packed-files.ts';

const FILES_MAX = 200_000;
/** Folders that are no output of a build, unless they are named themselves. */
const PASSED_OVER = [['node_modules'], ['.git'], ['.next', 'cache'], ['.turbo']];

/** A file below one of the folders of a command. */
export interface BuiltFile {
  /** Absolute; without the ending of a copy where there are compressed copies alone. */
  file: string;
  /** Relative to its folder, with `/` between parts: the name under which it is uploaded. */
  path: string;
}

export interface BuiltFiles {
  scripts: BuiltFile[];
  /** Style sheets and declarations have maps too, which no stack needs. */
  maps: BuiltFile[];
  others: BuiltFile[];
  /** Scripts that are symbolic links, which are not followed. */
  links: BuiltFile[];
}

/** Every file below the folders, in order of their paths; symbolic links are not followed. */
export function findBuiltFiles(roots: readonly string[], directory: string): BuiltFiles {
  const found: BuiltFiles = { scripts: [], maps: [], others: [], links: [] };
  const folders: string[] = [];
  const seen = new Set<string>();
  for (const folder of roots) {
    const root = resolve(directory, folder);
    const stats = statSync(root, { throwIfNoEntry: false });
    if (stats === undefined)
      throw usageError(`${folder} does not exist.`, 'give the output folder of the build');
    const add = (named: string, from: string, isLink: boolean) => {
      // A folder is read in order, so a plain file comes before its copies.
      const file = fileOfCopy(named) ?? named;
      if (seen.has(file)) return;
      if (seen.size === FILES_MAX)
        throw usageError(
          `${folder} has more than ${FILES_MAX} files.`,
          'give the output folder of the build',
        );
      seen.add(file);
      const list = isLink ? found.links : listOf(found, file);
      list.push({ file, path: pathBelow(from, file) });
    };
    folders.push(stats.isFile() ? dirname(root) : root);
    if (stats.isFile()) add(root, dirname(root), false);
    else
      for (const { file, isLink } of filesBelow(root))
        if (!isLink || SCRIPT.test(file)) add(file, root, isLink);
  }
  return { ...found, scripts: withOwnPaths(found.scripts, folders) };
}

const SCRIPT = /\.(?:[mc]?js|bundle|jsbundle|hbc)$/i;

function listOf(found: BuiltFiles, file: string): BuiltFile[] {
  if (SCRIPT.test(file)) return found.scripts;
  return /\.map$/i.test(file) ? found.maps : found.others;
}

function pathBelow(folder: string, file: string): string {
  return relative(folder, file).split(sep).join('/');
}

/** Files of two folders with one path, such as those of a page and of its server, are named from the folder above both. */
function withOwnPaths(scripts: readonly BuiltFile[], folders: readonly string[]): BuiltFile[] {
  const byPath = Map.groupBy(scripts, ({ path }) => path);
  const above = folderAbove(folders);
  return scripts.map((script) =>
    byPath.get(script.path)?.length === 1 ? script : { ...script, path: pathBelow(above, script.file) },
  );
}

/** The deepest folder that contains all of them. */
function folderAbove(folders: readonly string[]): string {
  let above = folders[0] ?? '';
  const contains = (folder: string) => folder === above || folder.startsWith(join(above, sep));
  while (!folders.every(contains) && above !== dirname(above)) above = dirname(above);
  return above;
}

interface FoundFile {
  file: string;
  isLink: boolean;
}

function* filesBelow(folder: string): Generator<FoundFile> {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!isPassedOver(path)) yield* filesBelow(path);
    } else if (entry.isFile() || entry.isSymbolicLink()) {
      yield { file: path, isLink: entry.isSymbolicLink() };
    }
  }
}

function isPassedOver(folder: string): boolean {
  const name = basename(folder);
  return PASSED_OVER.some(
    (parts) => parts.at(-1) === name && (parts.length === 1 || parts[0] === basename(dirname(folder))),
  );
}
