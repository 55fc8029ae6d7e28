/** The methods of a text that a glob needs. */
export type GlobText = Pick<string, 'length' | 'indexOf' | 'startsWith' | 'charCodeAt'>;

/** Returns true if a text matches a glob. */
export type Glob = (text: GlobText) => boolean;

/**
 * Only the start of a longer text and this many of its last characters are compared, so that the work is bounded
 * whatever the text is.
 */
export const GLOB_TAIL_CHARS = 200;

/**
 * Compiles a glob: `*` matches any text, `?` one character, everything else itself. Each part between stars is searched
 * after the part before it and never again, so that a match takes time in proportion to the text.
 */
export function compileGlob(glob: string): Glob {
  const [start = '', ...others] = glob.split(/\*+/);
  const first = compilePart(start);
  const end = others.pop();
  if (end === undefined) return (text) => text.length === first.length && first.isAt(text, 0);
  const last = compilePart(end);
  const inner = others.map(compilePart);
  return (text) => {
    const lastAt = text.length - last.length;
    if (lastAt < first.length || !last.isAt(text, lastAt) || !first.isAt(text, 0)) return false;
    let from = Math.max(first.length, text.length - GLOB_TAIL_CHARS);
    for (const part of inner) {
      const at = part.find(text, from);
      if (at === -1 || at + part.length > lastAt) return false;
      from = at + part.length;
    }
    return true;
  };
}

/** The characters of a glob between two stars. */
interface GlobPart {
  readonly length: number;
  isAt(text: GlobText, at: number): boolean;
  /** The first place at or after `from`; -1 when there is none. */
  find(text: GlobText, from: number): number;
}

const ANY_CHAR = '?'.charCodeAt(0);

function compilePart(part: string): GlobPart {
  const { length } = part;
  if (!part.includes('?')) {
    return {
      length,
      isAt: (text, at) => text.startsWith(part, at),
      find: (text, from) => text.indexOf(part, from),
    };
  }
  const search = compileSearch(part);
  return {
    length,
    isAt(text, at) {
      for (let index = 0; index < length; index += 1) {
        const code = part.charCodeAt(index);
        if (code !== ANY_CHAR && code !== text.charCodeAt(at + index)) return false;
      }
      return true;
    },
    find: (text, from) => search(text, from),
  };
}

const WORD_BITS = 32;

/**
 * The search for a part with `?`, each character of the text once: bit n says whether the last n + 1 characters are the
 * beginning of the part (shift-and).
 */
function compileSearch(part: string): (text: GlobText, from: number) => number {
  const words = Math.ceil(part.length / WORD_BITS);
  const placesOfAny = new Uint32Array(words);
  const placesOf = new Map<number, Uint32Array>();
  for (let index = 0; index < part.length; index += 1) {
    const code = part.charCodeAt(index);
    if (code === ANY_CHAR) markPlace(placesOfAny, index);
    else placesOf.set(code, markPlace(placesOf.get(code) ?? new Uint32Array(words), index));
  }
  for (const places of placesOf.values()) {
    for (let word = 0; word < words; word += 1) places[word] = (places[word] ?? 0) | (placesOfAny[word] ?? 0);
  }
  const lastWord = words - 1;
  const lastBit = 1 << ((part.length - 1) % WORD_BITS);
  const found = new Uint32Array(words);
  return (text, from) => {
    found.fill(0);
    for (let at = from; at < text.length; at += 1) {
      const places = placesOf.get(text.charCodeAt(at)) ?? placesOfAny;
      let carried = 1;
      for (let word = 0; word < words; word += 1) {
        const bits = found[word] ?? 0;
        found[word] = ((bits << 1) | carried) & (places[word] ?? 0);
        carried = bits >>> (WORD_BITS - 1);
      }
      if (((found[lastWord] ?? 0) & lastBit) !== 0) return at + 1 - part.length;
    }
    return -1;
  };
}

function markPlace(places: Uint32Array, index: number): Uint32Array {
  const word = Math.floor(index / WORD_BITS);
  places[word] = (places[word] ?? 0) | (1 << (index % WORD_BITS));
  return places;
}
