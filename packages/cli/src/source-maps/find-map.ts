import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isPlainFile } from './built-files.ts';
import { findEarlierMapComment, findMagicComments, type MagicComment } from './magic-comments.ts';

/** The place of a script's map. */
export type MapPlace =
  | { kind: 'file'; path: string }
  /** Inside the script, as a data URL. */
  | { kind: 'inline'; text: string }
  /** The script names a map that is not there. */
  | { kind: 'missing'; name: string }
  | { kind: 'none' };

export interface FoundMap {
  place: MapPlace;
  /** The comment that names it; null when the file is only named alike. */
  comment: MagicComment | null;
}

/**
 * Finds the map of a script: the one its last comment names, else the one named after it, else the one map of its folder
 * that names the script or has its debug id.
 * @param named the maps of a folder by the script that they name, and by their debug id; null where several do
 * @param isAllowed whether a map outside of the folders of the command may be used
 */
export function findMap(
  file: string,
  text: string,
  named: (folder: string) => ReadonlyMap<string, string | null>,
  isAllowed: (path: string) => boolean,
): FoundMap {
  const { map: comment, id } = findMagicComments(text);
  if (comment?.value.startsWith('data:')) {
    const inline = textOfDataUrl(comment.value);
    return { place: inline === null ? { kind: 'none' } : { kind: 'inline', text: inline }, comment };
  }
  for (const each of [comment, comment === null ? findEarlierMapComment(text) : null]) {
    const path =
      each === null ? undefined : pathsOf(file, each.value).find((one) => isAllowed(one) && isPlainFile(one));
    if (path !== undefined) return { place: { kind: 'file', path }, comment: each };
  }
  const beside = `${file}.map`;
  if (isPlainFile(beside)) return { place: { kind: 'file', path: beside }, comment };
  const maps = named(dirname(file));
  const alone = maps.get(basename(file)) ?? (id === null ? null : maps.get(id.value));
  if (alone !== undefined && alone !== null) return { place: { kind: 'file', path: alone }, comment };
  return {
    place: comment === null ? { kind: 'none' } : { kind: 'missing', name: decoded(utf8(comment.value)) },
    comment,
  };
}

/** The files that an address of a map may mean; of a whole address its last part. */
function pathsOf(file: string, value: string): string[] {
  const address = utf8(value).split(/[?#]/, 1)[0] ?? '';
  const isAddress = /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(address);
  const folder = dirname(file);
  return [...new Set([decoded(address), address])]
    .filter((each) => each !== '' && !each.includes('\0'))
    .map((each) => (isAddress ? join(folder, basename(each)) : resolve(folder, each)));
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
  const body = url.slice(comma + 1);
  if (/;base64$/i.test(head)) return Buffer.from(body, 'base64').toString('utf8');
  try {
    return decodeURIComponent(body);
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

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
