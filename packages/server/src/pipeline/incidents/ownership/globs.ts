import { entriesMet, indexByNeeds, type NeedIndex } from './need-index.ts';

/**
 * Returns true if a text matches a glob. It uses no regular expressions: a person's text must not cost more than its
 * length.
 */
export type Glob = (text: string) => boolean;

const ANY = '**';

/** The path of a file, read once for all globs. */
interface FilePath {
  segments: readonly string[];
  /** It names a place of the machine, so that the repository begins below the first segment. */
  isAbsolute: boolean;
  /** Its segments, and their endings after a star, by which globs are found that may fit. */
  marks: ReadonlySet<string>;
}

/** A glob of CODEOWNERS. */
export interface PathGlob {
  /** It begins at the root of the repository. */
  isAnchored: boolean;
  /** The name of the file or folder with which an anchored one begins, by which the root can be found; else null. */
  rootName: string | null;
  /** Marks that each fitting path has. */
  needs: readonly string[];
  fitsFrom(segments: readonly string[], start: number): boolean;
}

const DRIVE = /^[A-Za-z]:[/\\]/;

export function filePath(text: string): FilePath {
  const segments = text.split(/[/\\]/).filter((part) => part !== '');
  return {
    segments,
    isAbsolute: text.startsWith('/') || text.startsWith('\\') || DRIVE.test(text),
    marks: new Set(segments.flatMap((segment) => [segment, ...endingOf(segment)])),
  };
}

/** Reads a glob of CODEOWNERS: one with a slash before its end is anchored; a folder matches all that it holds. */
export function pathGlob(glob: string): PathGlob {
  const isFolder = glob.endsWith('/');
  const parts = glob.split('/').filter((part) => part !== '');
  const [first = ''] = parts;
  const last = parts.at(-1);
  const isAnchored = first !== ANY && (parts.length > 1 || glob.startsWith('/'));
  const rootName = isAnchored && !isWild(first) ? first : null;
  // `docs/*` holds files of the folder itself alone; one `*` alone fits files at any depth.
  const isExact = (last === '*' || last === ANY) && (isAnchored || parts.length > 1);
  // `**/logs` is `logs`.
  const isName = first === ANY && parts.length === 2 && !isExact;
  const wanted = (isName ? parts.slice(1) : parts).map(partOf);
  const needs = parts.flatMap((part) =>
    isWild(part) ? endingOf(part.slice(lastWildcard(part) + 1)) : [part],
  );
  if (!isAnchored && wanted.length === 1 && wanted[0] != null) {
    const [fits] = wanted;
    // A name fits a file or any folder above it, at any depth.
    return {
      ...{ isAnchored, rootName, needs },
      fitsFrom: (segments, start) =>
        (!isFolder || start < segments.length - 1) && fits(segments[start] ?? ''),
    };
  }
  const below = [...wanted, partOf('*'), null];
  // A pattern that begins with `**` is found from the first segment on.
  const isAnywhere = first === ANY;
  return {
    ...{ isAnchored, rootName, needs },
    fitsFrom: (segments, start) =>
      (rootName === null ? start === 0 || !isAnywhere : segments[start] === rootName) &&
      ((!isFolder && fitsParts(wanted, segments, start)) || (!isExact && fitsParts(below, segments, start))),
  };
}

/** The anchored globs of a text that begin with a name. */
export type RootGlobs = NeedIndex<PathGlob>;

export function rootGlobs(globs: readonly PathGlob[]): RootGlobs {
  const named = globs.filter(({ rootName }) => rootName !== null);
  return indexByNeeds(named.map((entry) => ({ entry, needs: entry.needs })));
}

/**
 * Returns the segment at which the repository begins: the first one from which an anchored glob fits, because the rest
 * of a path often looks like another folder of the root, such as `src` in `packages/api/src`. Null if none fits.
 */
export function findRoot(roots: RootGlobs, { segments, isAbsolute, marks }: FilePath): number | null {
  const globs = entriesMet(roots, marks);
  if (globs.length === 0) return null;
  const isRoot = (start: number) => globs.some((glob) => glob.fitsFrom(segments, start));
  for (let start = isAbsolute ? 1 : 0; start < segments.length; start += 1) {
    if (isRoot(start)) return start;
  }
  return isAbsolute && isRoot(0) ? 0 : null;
}

/** Returns true if a path matches a glob. Where the root is not known, an absolute path is tried from each segment. */
export function fitsPath(glob: PathGlob, { segments, isAbsolute }: FilePath, root: number | null): boolean {
  if (glob.isAnchored && (root !== null || !isAbsolute)) return glob.fitsFrom(segments, root ?? 0);
  for (let start = 0; start < segments.length; start += 1) {
    if (glob.fitsFrom(segments, start)) return true;
  }
  return false;
}

/** A glob over a whole text, in which `*` stays within a segment and `**` crosses. */
export function textGlob(glob: string): Glob {
  const parts = glob.split('/').map(partOf);
  return (text) => fitsParts(parts, text.split('/'), 0);
}

/** The pattern that a segment must match; null is `**`. */
type Part = Glob | null;

/** Most parts are names, or names with a star at one end, which need no search. */
function partOf(part: string): Part {
  if (part === ANY) return null;
  const [before = '', after = '', ...more] = part.split('*');
  if (more.length > 0 || part.includes('?')) return (text) => fitsPart(part, text);
  if (!part.includes('*')) return (text) => text === part;
  if (before === '') return (text) => text.endsWith(after);
  if (after === '') return (text) => text.startsWith(before);
  return (text) => fitsPart(part, text);
}

/**
 * Returns true if the segments from a start on match a list of parts, of which `**` matches any number of segments.
 */
function fitsParts(parts: readonly Part[], segments: readonly string[], start: number): boolean {
  let part = 0;
  let segment = start;
  let starAt = -1;
  let starSegment = start;
  while (segment < segments.length) {
    const wanted = parts[part];
    if (wanted === null) {
      starAt = part;
      starSegment = segment;
      part += 1;
    } else if (wanted?.(segments[segment] ?? '')) {
      part += 1;
      segment += 1;
    } else if (starAt !== -1) {
      starSegment += 1;
      segment = starSegment;
      part = starAt + 1;
    } else return false;
  }
  while (parts[part] === null) part += 1;
  return part === parts.length;
}

/** The mark of the last dot of a text and what follows it. */
function endingOf(text: string): string[] {
  const dot = text.lastIndexOf('.');
  return dot === -1 ? [] : [`*${text.slice(dot)}`];
}

function lastWildcard(part: string): number {
  return Math.max(part.lastIndexOf('*'), part.lastIndexOf('?'));
}

function isWild(part: string): boolean {
  return part.includes('*') || part.includes('?');
}

/** Returns true if a segment matches a part, in which `*` matches any letters and `?` one. */
function fitsPart(part: string, text: string): boolean {
  let at = 0;
  let place = 0;
  let starAt = -1;
  let starPlace = 0;
  while (place < text.length) {
    const letter = part[at];
    if (letter === '*') {
      starAt = at;
      starPlace = place;
      at += 1;
    } else if (letter !== undefined && (letter === '?' || letter === text[place])) {
      at += 1;
      place += 1;
    } else if (starAt !== -1) {
      starPlace += 1;
      place = starPlace;
      at = starAt + 1;
    } else return false;
  }
  while (part[at] === '*') at += 1;
  return at === part.length;
}
