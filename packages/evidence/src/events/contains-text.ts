/** A test of whether a text contains a certain part. */
type ContainsPart = (text: Pick<string, 'length' | 'charCodeAt' | 'includes'>) => boolean;

/** For longer parts, engines compare only the last 250 characters before they compare the whole at each place. */
const SEARCHED_BY_ENGINE_MAX = 200;

/** `includes` for a part that a user wrote, in time in proportion to the text whatever the part is. */
export function compileContains(part: string): ContainsPart {
  if (part.length <= SEARCHED_BY_ENGINE_MAX) return (text) => text.includes(part);
  const borders = bordersOf(part);
  return (text) => {
    let fits = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      while (fits > 0 && part.charCodeAt(fits) !== code) fits = borders[fits - 1] ?? 0;
      if (part.charCodeAt(fits) === code) fits += 1;
      if (fits === part.length) return true;
    }
    return false;
  };
}

/** For each beginning of a part, the length of its longest proper beginning that is its end too (Knuth, Morris, Pratt). */
function bordersOf(part: string): Uint16Array {
  const borders = new Uint16Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at += 1) {
    while (length > 0 && part.charCodeAt(at) !== part.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(at) === part.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}
