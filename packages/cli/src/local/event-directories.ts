import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Something on disk that was left out, and why. */
export interface Skipped {
  file: string;
  why: string;
}

/**
 * The folders in which libraries in local mode store events, from the directory of the program
 * (docs/contract/ingestion.md 8.4).
 */
const EVENT_FOLDERS = [
  ['.culprit', 'local', 'events'],
  ['.debugbundle', 'local', 'events'],
] as const;

/** The directories with events: the nearest of each kind, from a directory upwards. */
export function findEventDirectories(from: string): { directories: string[]; skipped: Skipped[] } {
  const skipped: Skipped[] = [];
  const directories = EVENT_FOLDERS.flatMap((folder) => {
    const found = nearest(realOr(from), folder);
    if (found === null) return [];
    const link = linkAmong(found.base, folder);
    if (link === null) return [join(found.base, ...folder)];
    skipped.push({ file: link, why: 'is a symbolic link' });
    return [];
  });
  return { directories, skipped };
}

/** A directory that was named: one of events, or the one that has it. */
export function namedEventDirectory(named: string): { directories: string[]; skipped: Skipped[] } {
  const directory = resolve(named);
  const inside = join(directory, 'events');
  const found = kindOf(inside) === null ? directory : inside;
  const isLink = kindOf(found) === 'link';
  return isLink
    ? { directories: [], skipped: [{ file: found, why: 'is a symbolic link' }] }
    : { directories: [found], skipped: [] };
}

function nearest(from: string, [first, second]: readonly string[]): { base: string } | null {
  for (let base = from; ; base = dirname(base)) {
    if (first !== undefined && second !== undefined && kindOf(join(base, first, second)) !== null)
      return { base };
    if (dirname(base) === base) return null;
  }
}

/** The first part of the path that is a symbolic link: such a directory may lead anywhere. */
function linkAmong(base: string, folder: readonly string[]): string | null {
  let path = base;
  for (const part of folder) {
    path = join(path, part);
    if (kindOf(path) === 'link') return path;
  }
  return null;
}

function kindOf(path: string): 'link' | 'other' | null {
  try {
    return lstatSync(path).isSymbolicLink() ? 'link' : 'other';
  } catch {
    return null;
  }
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
