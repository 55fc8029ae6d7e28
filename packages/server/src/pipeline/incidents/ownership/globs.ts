/**
 * Returns true if a text matches a glob. It uses no regular expressions: a person's text must not cost more than its
 * length.
 */
export type Glob = (text: string) => boolean;

const ANY = '**';

/**
 * A glob of CODEOWNERS over the path of a file. Every part of the path that begins at a segment is tried, so that a
 * glob fits wherever the application lies; a folder matches all that it holds.
 */
export function pathGlob(glob: string): Glob {
  const isFolder = glob.endsWith('/');
  const parts = glob.split('/').filter((part) => part !== '');
  const last = parts.at(-1);
  // `docs/*` holds files of the folder itself alone.
  const isExact = last === '*' || last === ANY;
  const wanted = [ANY, ...parts];
  const below = [...wanted, '*', ANY];
  return (path) => {
    const segments = path.split(/[/\\]/).filter((part) => part !== '');
    if (!isFolder && fitsParts(wanted, segments)) return true;
    // One `*` alone fits files at any depth, as in CODEOWNERS.
    return (!isExact || parts.length === 1) && fitsParts(below, segments);
  };
}

/** A glob over a whole text, in which `*` stays within a segment and `**` crosses. */
export function textGlob(glob: string): Glob {
  const parts = glob.split('/');
  return (text) => fitsParts(parts, text.split('/'));
}

/** Returns true if a list of segments matches a list of parts, of which `**` matches any number of segments. */
function fitsParts(parts: readonly string[], segments: readonly string[]): boolean {
  let part = 0;
  let segment = 0;
  let starAt = -1;
  let starSegment = 0;
  while (segment < segments.length) {
    const wanted = parts[part];
    if (wanted === ANY) {
      starAt = part;
      starSegment = segment;
      part += 1;
    } else if (wanted !== undefined && fitsPart(wanted, segments[segment] ?? '')) {
      part += 1;
      segment += 1;
    } else if (starAt !== -1) {
      starSegment += 1;
      segment = starSegment;
      part = starAt + 1;
    } else return false;
  }
  while (parts[part] === ANY) part += 1;
  return part === parts.length;
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
