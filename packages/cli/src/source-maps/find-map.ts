import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { findEarlierMapComment, findMagicComments, type MagicComment } from './magic-comments.ts';
import { isBuiltFile } from './packed-files.ts';

/** The place of a script's map. */
export type MapPlace =
  /** `isGuess`: nothing but its name leads to it, so that it may be that of another script. */
  | { kind: 'file'; path: string; isGuess: boolean }
  /** Inside the script, as a data URL. */
  | { kind: 'inline'; text: string }
  /** The script names a map that is not there. */
  | { kind: 'missing'; name: string }
  | { kind: 'none' };

interface FoundMap {
  place: MapPlace;
  /** The comment that names it; null when the file is only named alike. */
  comment: MagicComment | null;
}

/** The maps among which that of a script is looked for. */
export interface MapSearch {
  /** The maps of a folder by the script that they name, and by their debug id; null where several do. */
  named: (folder: string) => ReadonlyMap<string, string | null>;
  /** The maps with a name, in any folder. */
  called: (name: string) => readonly string[];
  /** The folders of the command; maps outside of them are not used. */
  folders: readonly string[];
}

/** The search that finds only maps inside of scripts. */
export const INLINE_ONLY: MapSearch = { named: () => new Map(), called: () => [], folders: [] };

/**
 * Finds the map of a script: the one its last comment names, else the one named after it, else the one map of its folder
 * that names the script or has its debug id, else the one map of all folders that is named after it and lies beside no
 * script.
 */
export function findMap(file: string, text: string, { named, called, folders }: MapSearch): FoundMap {
  const { map: comment, id } = findMagicComments(text);
  if (comment?.value.startsWith('data:')) {
    const inline = textOfDataUrl(comment.value);
    return { place: inline === null ? { kind: 'none' } : { kind: 'inline', text: inline }, comment };
  }
  const at = (path: string, of = comment): FoundMap => ({
    place: { kind: 'file', path, isGuess: false },
    comment: of,
  });
  for (const each of [comment, comment === null ? findEarlierMapComment(text) : null]) {
    const paths = each === null ? [] : pathsOf(file, each.value, folders);
    const path = paths.find(
      (one) => isWithin(one, folders) && isBuiltFile(one) && isBehindNoLink(one, folders),
    );
    if (path !== undefined) return at(path, each);
  }
  const beside = `${file}.map`;
  if (isBuiltFile(beside)) return at(beside);
  const maps = named(dirname(file));
  const alone = maps.get(basename(file)) ?? (id === null ? null : maps.get(id.value));
  if (alone !== undefined && alone !== null) return at(alone);
  const [path, ...others] = called(basename(beside)).filter(
    (one) => !isBuiltFile(one.replace(/\.map$/i, '')),
  );
  if (path !== undefined && others.length === 0)
    return { place: { kind: 'file', path, isGuess: true }, comment };
  return {
    place: comment === null ? { kind: 'none' } : { kind: 'missing', name: decoded(utf8(comment.value)) },
    comment,
  };
}

/** Returns false where a link among the folders of a file leads out of all folders. */
function isBehindNoLink(path: string, folders: readonly string[]): boolean {
  return isWithin(
    realpathSync(dirname(path)),
    folders.map((folder) => realpathSync(folder)),
  );
}

const PARTS_MAX = 20;

/**
 * The files that an address of a map may mean. A whole address is one of the site: its last part in the folder of the
 * script, else the longest end of it below one of the folders above the script.
 */
function pathsOf(file: string, value: string, folders: readonly string[]): string[] {
  const address = utf8(value).split(/[?#]/, 1)[0] ?? '';
  const isAddress = /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(address);
  const folder = dirname(file);
  return [...new Set([decoded(address), address, decoded(address).replaceAll('\\', '/')])]
    .filter((each) => each !== '' && !each.includes('\0'))
    .flatMap((each) => {
      if (!isAddress) return [resolve(folder, each)];
      const parts = each
        .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
        .split('/')
        .slice(-PARTS_MAX);
      const ends = parts.map((_, at) => parts.slice(at));
      const above = foldersAbove(folder, folders);
      return [join(folder, basename(each)), ...ends.flatMap((end) => above.map((one) => join(one, ...end)))];
    });
}

/** A folder and those above it that are in one of the folders, from below. */
function foldersAbove(folder: string, folders: readonly string[]): string[] {
  const above: string[] = [];
  for (let at = folder; isWithin(at, folders) && above.length < PARTS_MAX; at = dirname(at)) {
    above.push(at);
    if (at === dirname(at)) break;
  }
  return above;
}

/** Returns true if a path is in one of the folders. */
export function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way !== '..' && !way.startsWith(`..${sep}`) && !/^(?:[a-z]:)?[\\/]/i.test(way);
  });
}

/** The map in a data URL, or null when it holds no JSON. */
function textOfDataUrl(url: string): string | null {
  const comma = url.indexOf(',');
  const head = url.slice(0, comma);
  if (comma < 0 || !/^data:(?:application|text)\/json(?:;|$)/i.test(head)) return null;
  try {
    const body = decodeURIComponent(utf8(url.slice(comma + 1)));
    return /;base64$/i.test(head) ? Buffer.from(body, 'base64').toString('utf8') : body;
  } catch {
    return null;
  }
}

/** A data URL with a map. */
export function dataUrlOf(text: string): string {
  return `data:application/json;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`;
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The text of an address whose characters are encoded; unchanged where it is none. */
export function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
