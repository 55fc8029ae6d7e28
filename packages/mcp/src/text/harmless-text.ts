/**
 * Returns the lines of event text for an agent: invisible characters are shown, and text that a host would render or
 * load is broken (docs/contract/command-line.md 5.6). The fence marks each line as data.
 */
export function harmlessLines(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replace(INVISIBLE, shown).replace(RENDERED, apart));
}

/** Returns the same as `harmlessLines`, on one line. */
export function harmlessLine(text: string): string {
  return harmlessLines(text).join(' ⏎ ');
}

/** C0, C1, direction, zero width, tags, private use and lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
/** An image or a link of markdown, and a tag of HTML. */
const RENDERED = /!(?=\[)|\](?=\()|<(?=[A-Za-z/!])/g;

function shown(character: string): string {
  return character === '\t' ? ' ' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function apart(mark: string): string {
  return `${mark} `;
}

/** At most so many characters, with `…` where it was cut: at the end, or in the middle of what has two telling ends. */
export function cutText(text: string, charactersMax: number, where: 'end' | 'middle' = 'end'): string {
  if (text.length <= charactersMax) return text;
  if (where === 'end') return `${wholeCharacters(text.slice(0, charactersMax - 1))}…`;
  const half = Math.floor((charactersMax - 1) / 2);
  return `${wholeCharacters(text.slice(0, half))}…${text.slice(-half).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '');
}
